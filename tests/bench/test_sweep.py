"""A sweep: every combination, each pool planned under each limit, the frontier marked."""

from backend.bench.sweep import (
    Outcome,
    combine,
    draw_sweep,
    group_work,
    mark,
    name_params,
    run_work,
    summarize,
)
from backend.pool.rebuild import rebuild
from tests.replay.runs import make_pool


def make_outcome(name: str, profit: float, tokens: float, errors: int = 0) -> Outcome:
    return Outcome(name, 5, errors, 1.0, profit, 1.0, 20, tokens, 0.5)


def test_all_combinations_are_tried() -> None:
    settings = combine({"POOL_POI_SIZE": [6, 10]}, {"list_pois": [3, 5, 7]})
    assert [setting.name for setting in settings][:2] == [
        "POOL_POI_SIZE=6 list_pois=3",
        "POOL_POI_SIZE=6 list_pois=5",
    ]
    assert len(settings) == 6
    assert [setting.name for setting in combine({}, {})] == [""]


def test_what_another_beats_in_everything_is_not_efficient() -> None:
    outcomes = [
        make_outcome("good", 100, 500),
        make_outcome("cheap", 80, 200),
        make_outcome("beaten", 80, 600),
        make_outcome("wrong", 100, 500, errors=3),
    ]
    marked = {o.setting: mark(o, outcomes).is_efficient for o in outcomes}
    assert marked == {"good": True, "cheap": True, "beaten": False, "wrong": False}


def test_pools_are_planned_under_each_limit_and_drawn() -> None:
    settings = combine({"POOL_POI_SIZE": [6, 10]}, {"list_pois": [3, 10]})
    pool = make_pool(interests=["history"])
    texts = {name_params(s): rebuild(pool, s.params).as_text() for s in settings}
    work = list(group_work(settings, [texts]))
    assert len(work) == 2
    outcomes = summarize(settings, run_work(work, 1))
    assert [outcome.runs for outcome in outcomes] == [1, 1, 1, 1]
    assert all(outcome.profit > 0 and outcome.tokens > 0 for outcome in outcomes)
    assert any(outcome.is_efficient for outcome in outcomes)
    assert outcomes[0].calls > outcomes[1].calls
    picture = draw_sweep(outcomes)
    assert picture.startswith("<svg")
    assert picture.count("<circle") == 8  # in the picture, and in the list below

"""Choosing trains: the chain is the best there is, and hours, budget and bookings count."""

import datetime as dt
import itertools
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.agent.llm import Message
from backend.agent.policy.brief import Brief, Ride, parse_brief
from backend.agent.policy.call_log import CallLog, Step
from backend.agent.policy.rides import (
    choose_rides,
    is_possible,
    list_rides,
    rate_journey,
    rate_ride,
)
from backend.agent.prompt import describe_trip, read_brief, write_opening
from backend.planner.plan.draft import Draft
from tests.factories import make_snapshot


def make_brief(**request: Any) -> Brief:
    destinations = request.pop("destinations", ("beijing",))
    return parse_brief(describe_trip(make_snapshot(destinations, **request), Draft()))


def ride(leg: int, number: int, depart: int, arrive: int, price: float | None = 100.0) -> Ride:
    return Ride(leg, (f"{leg}-{number}",), depart, arrive, price)


def pick(brief: Brief, *options: Sequence[Ride]) -> list[Ride]:
    return choose_rides(brief, list(zip(brief.legs, options, strict=True)))


IN, OUT = ride(0, 0, 480, 780), ride(1, 0, 1140, 1440)


def test_early_in_and_home_by_nine_at_one_price() -> None:
    brief = make_brief()
    later, earlier = ride(0, 1, 780, 1080), ride(1, 1, 600, 900)
    assert pick(brief, [later, IN], [earlier, OUT]) == [IN, earlier]


def test_a_cheap_train_wins_where_hours_are_cheap() -> None:
    dear, cheap = ride(0, 0, 480, 780, 500.0), ride(0, 1, 480, 900, 250.0)
    assert pick(make_brief(budget_tier="economy"), [dear, cheap], [OUT])[0] == cheap
    late = ride(0, 1, 780, 1260, 450.0)
    assert pick(make_brief(budget_tier="quality"), [dear, late], [OUT])[0] == dear


def test_nobody_arrives_in_the_middle_of_the_night_for_little() -> None:
    day, night = ride(0, 0, 540, 840), ride(0, 1, 1260, 1440 + 180, 90.0)
    assert pick(make_brief(), [night, day], [OUT])[0] == day


def test_a_booking_is_not_missed_for_a_train() -> None:
    booked = {"title": "x", "start": "2026-10-15T17:00", "end": "2026-10-15T18:00"}
    early, late = ride(1, 0, 960, 1200), ride(1, 1, 1170, 1430, 180.0)
    assert pick(make_brief(), [IN], [early, late])[1] == early
    assert pick(make_brief(fixed=[booked]), [IN], [early, late])[1] == late


def test_a_day_trip_takes_the_only_pair_that_can_be_caught() -> None:
    brief = make_brief(days=1)
    first, last = ride(0, 1, 420, 540, 400.0), ride(1, 1, 600, 900)
    assert pick(brief, [IN, first], [last]) == [first, last]


def test_own_departure_is_caught_by_the_last_leg() -> None:
    brief = make_brief(
        destinations=("beijing", "xian"),
        nights=(2, 0),
        origin=None,
        departure={"time": "18:00", "place": {"lat": 34.4, "lon": 108.8, "name": "Airport"}},
    )
    late, early = ride(0, 0, 905, 1220, 50.0), ride(0, 1, 490, 810)
    assert pick(brief, [late, early]) == [early]


def _hint(text: str) -> CallLog:
    messages: list[Message] = write_opening(make_snapshot(), Draft())
    step = Step("list_trains", {"leg": 0}, {"rows": [], "hint": text})
    return CallLog(parse_brief(read_brief(messages)), (step,), frozenset())


@pytest.mark.parametrize(
    "text",
    [
        "Connections: train_ids=[a-1, b-2] via Xi'an, departs 10-13 09:05, arrives 10-14 00:20, "
        "410.50 CNY; train_ids=[c, d] via Y, departs 10-13 10:00, arrives 10-13 20:00, price "
        "unknown. Choose one.",
        "中转： train_ids=[a-1, b-2] 经西安换乘，10-13 09:05 出发，10-14 00:20 到达，410.50 CNY；"
        "train_ids=[c, d] 经某地换乘，10-13 10:00 出发，10-13 20:00 到达，票价未知。",
    ],
)
def test_connections_are_read_in_both_languages(text: str) -> None:
    log = _hint(text)
    assert list_rides(log, log.brief.legs[0]) == [
        Ride(0, ("a-1", "b-2"), 545, 1460, 410.5),
        Ride(0, ("c", "d"), 600, 1200, None),
    ]


def test_a_connection_of_unknown_shape_can_still_be_chosen() -> None:
    log = _hint("try train_ids=[a,b]")
    assert [r.train_ids for r in list_rides(log, log.brief.legs[0])] == [("a", "b")]


def test_the_new_year_is_crossed() -> None:
    snapshot = make_snapshot(start_date=dt.date(2026, 12, 31))
    text = "train_ids=[a, b] via X, departs 12-31 20:00, arrives 01-01 09:00, 1.00 CNY"
    step = Step("list_trains", {"leg": 0}, {"rows": [], "hint": text})
    log = CallLog(parse_brief(describe_trip(snapshot, Draft())), (step,), frozenset())
    assert [r.arrive for r in list_rides(log, log.brief.legs[0])] == [1440 + 540]


RIDES = st.lists(
    st.tuples(st.integers(0, 1439), st.integers(60, 900), st.none() | st.floats(1, 900)),
    min_size=1,
    max_size=4,
)


@given(st.tuples(RIDES, RIDES, RIDES), st.sampled_from(["economy", "comfort", "quality"]))
def test_no_other_chain_is_better(drawn: Any, tier: str) -> None:
    brief = make_brief(destinations=("beijing", "xian"), days=2, nights=(1, 0), budget_tier=tier)
    options = [
        [
            ride(leg, n, start, start + length, price)
            for n, (start, length, price) in enumerate(rows)
        ]
        for leg, rows in enumerate(drawn)
    ]
    chosen = pick(brief, *options)
    possible = [list(c) for c in itertools.product(*options) if is_possible(brief, c)]
    if not possible:
        return
    assert is_possible(brief, chosen)

    def cost(chain: list[Ride]) -> float:
        rated = zip(brief.legs, chain, options, strict=True)
        rides = sum(rate_ride(brief, leg, one, among) for leg, one, among in rated)
        return rides + rate_journey(brief, chain)

    assert cost(chosen) <= min(map(cost, possible)) + 1e-6


def test_nobody_rises_in_the_night_for_half_an_hour() -> None:
    first, second = ride(0, 0, 406, 435), ride(0, 1, 545, 574)
    assert pick(make_brief(), [first, second], [OUT])[0] == second


def test_no_city_is_left_with_nothing_where_hours_are_cheap() -> None:
    brief = make_brief(
        destinations=("beijing", "xian"), days=3, nights=(1, 1), budget_tier="economy"
    )
    night = ride(1, 0, 1240, 1440 + 600, 90.0)
    day = ride(1, 1, 600, 900, 300.0)
    home = ride(2, 0, 720, 1200)
    assert pick(brief, [IN], [night, day], [home])[1] == day


def test_home_on_the_last_day_rather_than_on_the_next() -> None:
    sleeper = ride(1, 1, 1230, 1440 + 420, 60.0)
    assert pick(make_brief(), [IN], [OUT, sleeper])[1] == OUT


@pytest.mark.parametrize(("pace", "number"), [("relaxed", 1), ("packed", 0)])
def test_whoever_wants_rest_travels_neither_before_dawn_nor_into_the_night(
    pace: str, number: int
) -> None:
    trip = {"destinations": ("beijing", "xian"), "days": 6, "origin": None}
    into_night, evening = ride(0, 0, 1341, 1398), ride(0, 1, 1165, 1254)
    before_dawn = ride(0, 2, 430, 520)
    options = [into_night, evening, before_dawn]
    assert pick(make_brief(pace=pace, **trip), options) == [options[number]]


@pytest.mark.parametrize(
    ("party", "is_spared"),
    [
        ({"children": (9,)}, True),
        ({"children": (10,)}, False),
        ({"seniors": (65,)}, True),
        ({"seniors": (64,)}, False),
        ({}, False),
    ],
)
def test_small_children_and_old_people_sleep_at_night(
    party: dict[str, Any], is_spared: bool
) -> None:
    brief = make_brief(budget_tier="economy", **party)
    day = ride(0, 0, 540, 840, 300.0)
    for hard in (ride(0, 1, 420, 720, 30.0), ride(0, 1, 1200, 1440 + 480, 30.0)):
        assert pick(brief, [hard, day], [OUT])[0] == (day if is_spared else hard)
        assert pick(brief, [hard], [OUT])[0] == hard  # where there is nothing else

"""A sound plan without needless waiting: the same visits, a later train there, an earlier one home."""

import pytest

from backend.agent.builtin_planner import BuiltinPlanner
from tests.agent.harness import Trial, run_trial
from tests.factories import make_snapshot
from tests.row_makers import make_poi, make_train

TRAINS = [
    make_train("in-early", ("shanghai", "上海虹桥", "07:30"), ("beijing", "北京南", "11:30")),
    make_train("in-late", ("shanghai", "上海虹桥", "08:45"), ("beijing", "北京南", "12:45")),
    make_train("in-too-late", ("shanghai", "上海虹桥", "11:40"), ("beijing", "北京南", "15:40")),
    make_train("out-too-early", ("beijing", "北京南", "16:20"), ("shanghai", "上海虹桥", "20:20")),
    make_train("out-early", ("beijing", "北京南", "20:05"), ("shanghai", "上海虹桥", "22:05")),
    make_train("out-late", ("beijing", "北京南", "20:40"), ("shanghai", "上海虹桥", "22:40")),
]
ON = [
    make_train("on-too-early", ("beijing", "北京西", "16:20"), ("xian", "西安北", "20:20")),
    make_train("on-early", ("beijing", "北京西", "20:05"), ("xian", "西安北", "21:05")),
    make_train("on-hungry", ("beijing", "北京西", "17:20"), ("xian", "西安北", "19:15")),
    make_train("on-starving", ("beijing", "北京西", "17:55"), ("xian", "西安北", "21:05")),
    make_train("on-late", ("beijing", "北京西", "22:00"), ("xian", "西安北", "23:00")),
]
PLACE = make_poi("p", opening_hours="15:00-16:30", duration_min=90, lat=39.87, lon=116.37)


async def plan(hours: str = "15:00-16:30") -> Trial:
    place = PLACE.model_copy(update={"opening_hours": hours})
    return await run_trial(
        make_snapshot(pois=[place], trains=TRAINS, days=1, must_see=["p"]), BuiltinPlanner()
    )


async def test_the_trains_wait_for_nobody_and_nobody_waits_for_them() -> None:
    trial = await plan()
    assert trial.errors == []
    assert trial.result.state.draft.poi_ids == ("p",)
    assert trial.result.state.draft.trains == {0: ("in-late",), 1: ("out-early",)}
    assert trial.names.count("arrange") == 1


async def test_a_train_that_is_needed_stays() -> None:
    trial = await plan("12:00-13:30")
    assert trial.result.state.draft.trains[0] == ("in-early",)


async def go_on(seen: str, *trains: str) -> Trial:
    """A place in Beijing on the day of the move, one in Xi'an on the day after."""
    here = PLACE.model_copy(update={"opening_hours": f"We {seen}"})
    there = make_poi("q", city="xian", opening_hours="Th 10:00-18:00", lat=34.26, lon=108.94)
    return await run_trial(
        make_snapshot(
            ("beijing", "xian"),
            pois=[here, there],
            trains=[train for train in ON if train.id in trains],
            must_see=["p", "q"],
            origin=None,
        ),
        BuiltinPlanner(),
    )


@pytest.mark.parametrize(
    ("seen", "trains", "chosen"),
    [
        ("15:00-16:30", ("on-too-early", "on-early", "on-late"), "on-early"),
        ("14:00-15:30", ("on-hungry", "on-late"), "on-hungry"),  # dinner is on arrival
        ("15:00-16:30", ("on-starving", "on-late"), "on-late"),  # no dinner at all
    ],
)
async def test_nobody_waits_for_a_train_that_only_leads_to_bed(
    seen: str, trains: tuple[str, ...], chosen: str
) -> None:
    trial = await go_on(seen, *trains)
    assert trial.errors == []
    assert "MEAL_MISSED" not in [violation.code for violation in trial.violations]
    assert set(trial.result.state.draft.poi_ids) == {"p", "q"}
    assert trial.result.state.draft.trains == {0: (chosen,)}

"""`arrange` puts chosen places into days by code, says what is left out, and blocks nobody."""

import asyncio
import json
import threading
from typing import Any

import pytest

from backend.planner.search.arrange import Arrangement
from backend.planner.search.arrange import arrange as arrange_places
from backend.tools.call import ToolCall
from backend.tools.context import RunState, ToolLimit
from backend.tools.runner import ToolRunner
from tests.factories import make_poi, make_snapshot
from tests.tools.desk import Desk, error_of

PLACES = ["bj-gugong", "bj-tiantan", "bj-jingshan", "bj-yiheyuan", "bj-yeshi"]


def settle(desk: Desk) -> None:
    desk("choose_hotel", city="beijing", hotel_id="bj-h-dongdan")
    desk("choose_train", leg=0, train_ids=["g2"])
    desk("choose_train", leg=1, train_ids=["g21"])


def test_places_come_out_on_days_and_the_plan_can_be_submitted() -> None:
    desk = Desk(make_snapshot())
    settle(desk)
    plan = desk("arrange", poi_ids=PLACES)
    assert list(plan) == ["left_out", "days", "violations", "plan"]
    left = {entry["poi_id"] for entry in plan["left_out"]}
    planned = set(desk.state.draft.poi_ids)
    assert planned | left == set(PLACES)
    assert not planned & left
    assert plan["plan"]["errors"] == 0
    assert desk("submit_itinerary")["submitted"] is True


def test_what_cannot_fit_is_left_out_with_its_reason() -> None:
    pois = (make_poi("shut", opening_hours="Mo 09:00-17:00"), make_poi("open"))
    desk = Desk(make_snapshot(pois=pois))
    settle(desk)
    left = desk("arrange", poi_ids=["shut", "open"])["left_out"]
    assert [(entry["poi_id"], entry["code"]) for entry in left] == [("shut", "CLOSED")]
    assert "shut" in left[0]["message"]


def test_what_it_was_given_counts_as_opened_each_once() -> None:
    desk = Desk(make_snapshot())
    desk("arrange", poi_ids=["bj-gugong", "bj-tiantan", "bj-gugong"])
    assert desk.outcomes[-1].opened == ("bj-gugong", "bj-tiantan")
    assert desk.state.opened_ids("poi") == {"bj-gugong", "bj-tiantan"}
    assert desk.state.listed_ids("poi") == frozenset()


def test_with_keep_visits_stay_on_their_days_and_without_they_start_anew() -> None:
    desk = Desk(make_snapshot())
    settle(desk)
    desk("put_visit", day=2, poi_id="bj-guobo")
    desk("arrange", poi_ids=["bj-jingshan"], keep=True)
    assert "bj-guobo" in {visit.poi_id for visit in desk.state.draft.visits_on(2)}
    assert "bj-jingshan" in desk.state.draft.poi_ids
    desk("arrange", poi_ids=["bj-jingshan"])
    assert desk.state.draft.poi_ids == ("bj-jingshan",)


def test_an_unknown_place_is_refused_and_nothing_is_opened() -> None:
    desk = Desk(make_snapshot())
    error = error_of(desk("arrange", poi_ids=["bj-gugong", "bj-gugon"]))
    assert error["code"] == "NOT_IN_POOL"
    assert error["allowed"][0] == "bj-gugong"
    assert desk.state.opened_ids("poi") == frozenset()
    assert error_of(desk("arrange", poi_ids=[]))["code"] == "BAD_ARGUMENTS"
    assert error_of(desk("arrange", poi_ids=["x"] * 201))["code"] == "BAD_ARGUMENTS"


def test_the_same_places_give_the_same_plan() -> None:
    contents = []
    for _ in range(2):
        desk = Desk(make_snapshot())
        settle(desk)
        contents.append(desk("arrange", poi_ids=PLACES))
    assert contents[0] == contents[1]


async def test_the_event_loop_stays_live_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    has_begun, is_loop_live = threading.Event(), threading.Event()

    def wait_for_loop(*args: Any, **options: Any) -> Arrangement:
        has_begun.set()
        assert is_loop_live.wait(60)  # in vain where this stands in the loop's own way
        return arrange_places(*args, **options)

    async def no_limits() -> dict[str, ToolLimit]:
        return {}

    runner = ToolRunner(make_snapshot(), no_limits)
    call = ToolCall(id="c", name="arrange", arguments=json.dumps({"poi_ids": PLACES}))
    monkeypatch.setattr("backend.tools.toolset.arrange.arrange_places", wait_for_loop)
    answering = asyncio.create_task(runner.run(call, RunState()))
    while not has_begun.is_set():  # noqa: ASYNC110 - it is set in a thread
        await asyncio.sleep(0.01)
    is_loop_live.set()
    assert not (await answering).is_error

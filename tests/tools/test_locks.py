"""No write takes out what the traveller keeps, or brings back what was taken out."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from backend.planner.plan.draft import Draft, Locks, PlannedVisit
from backend.tools.call import ToolCall
from backend.tools.context import RunState, ToolLimit
from backend.tools.runner import ToolRunner
from tests.factories import make_snapshot

DRAFT = Draft(
    visits={2: (PlannedVisit(poi_id="bj-gugong"),)},
    hotels={"beijing": "bj-h-dongdan"},
    trains={0: ("g2",), 1: ("g21",)},
)
LOCKS = Locks(
    visits=((2, "bj-gugong"),),
    hotels={"beijing": "bj-h-dongdan"},
    trains={0: ("g2",)},
    out=(("poi", "bj-tiantan"), ("train", "g14")),
)


async def call(name: str, locks: Locks = LOCKS, **arguments: Any) -> Mapping[str, Any]:
    async def read_limits() -> Mapping[str, ToolLimit]:
        return {}

    tools = ToolRunner(make_snapshot(), read_limits)
    state = RunState(draft=DRAFT, locks=locks)
    outcome = await tools.run(ToolCall(id="c", name=name, arguments=json.dumps(arguments)), state)
    assert state.after(outcome).locks == locks
    return outcome.content


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("remove_item", {"day": 2, "item": 1}),
        ("choose_hotel", {"city": "beijing", "hotel_id": "bj-h-xidan"}),
        ("choose_train", {"leg": 0, "train_ids": ["g14"]}),
        ("put_visit", {"day": 1, "poi_id": "bj-tiantan"}),
        ("arrange", {"poi_ids": ["bj-798", "bj-tiantan"], "keep": True}),
    ],
)
async def test_a_write_that_breaks_a_lock_is_refused(name: str, arguments: dict[str, Any]) -> None:
    assert (await call(name, **arguments))["error"]["code"] == "LOCKED"


async def test_other_writes_are_free() -> None:
    assert "error" not in await call("put_visit", day=2, poi_id="bj-798")
    assert "error" not in await call("arrange", poi_ids=["bj-798"], keep=True)
    assert "error" not in await call("choose_train", leg=1, train_ids=["g21"])


def list_days(content: Mapping[str, Any], poi_id: str) -> list[int]:
    return [
        day["day"]
        for day in content["days"]
        for item in day["items"]
        if item.get("poi_id") == poi_id
    ]


async def test_arranging_anew_leaves_locked_visits_on_their_days() -> None:
    content = await call("arrange", poi_ids=["bj-798", "bj-yiheyuan"])
    assert list_days(content, "bj-gugong") == [2]
    assert list_days(content, "bj-798")


async def test_a_place_that_is_held_on_any_day_may_move_and_stays() -> None:
    held = Locks(places=("bj-gugong",))
    content = await call("arrange", held, poi_ids=["bj-798"])
    assert len(list_days(content, "bj-gugong")) == 1
    assert (await call("remove_item", held, day=2, item=1))["error"]["code"] == "LOCKED"


def test_what_is_held_last_counts() -> None:
    held = Locks().hold(Locks(visits=((1, "a"),), hotels={"beijing": "h"}))
    out = held.bar(("poi", "a"), ("hotel", "h"))
    assert (out.visits, out.hotels, out.out) == ((), {}, (("poi", "a"), ("hotel", "h")))
    back = out.hold(Locks(places=("a",)))
    assert (back.places, back.out) == (("a",), (("hotel", "h"),))
    assert not Locks()
    assert out

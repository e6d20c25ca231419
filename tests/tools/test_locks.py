"""No write takes out what the traveller has locked."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from backend.planner.draft import Draft, PlannedVisit
from backend.planner.locks import Locks
from backend.tools.call import ToolCall
from backend.tools.context import RunState
from backend.tools.limits import ToolLimit
from backend.tools.runner import ToolRunner
from tests.factories import make_snapshot

DRAFT = Draft(
    visits={2: (PlannedVisit(poi_id="bj-gugong"),)},
    hotels={"beijing": "bj-h-dongdan"},
    trains={0: ("g2",), 1: ("g21",)},
)
LOCKS = Locks(visits=((2, "bj-gugong"),), hotels={"beijing": "bj-h-dongdan"}, trains={0: ("g2",)})


async def call(name: str, **arguments: Any) -> Mapping[str, Any]:
    async def read_limits() -> Mapping[str, ToolLimit]:
        return {}

    tools = ToolRunner(make_snapshot(), read_limits)
    state = RunState(draft=DRAFT, locks=LOCKS)
    outcome = await tools.run(ToolCall(id="c", name=name, arguments=json.dumps(arguments)), state)
    assert state.after(outcome).locks == LOCKS
    return outcome.content


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("remove_item", {"day": 2, "item": 1}),
        ("choose_hotel", {"city": "beijing", "hotel_id": "bj-h-xidan"}),
        ("choose_train", {"leg": 0, "train_ids": ["g14"]}),
        ("arrange", {"poi_ids": ["bj-798"]}),
    ],
)
async def test_a_write_that_breaks_a_lock_is_refused(name: str, arguments: dict[str, Any]) -> None:
    assert (await call(name, **arguments))["error"]["code"] == "LOCKED"


async def test_other_writes_are_free() -> None:
    assert "error" not in await call("put_visit", day=2, poi_id="bj-798")
    assert "error" not in await call("arrange", poi_ids=["bj-798"], keep=True)
    assert "error" not in await call("choose_train", leg=1, train_ids=["g21"])

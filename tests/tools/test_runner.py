"""The runner: switches and limits at every call, numbers for all calls, state that folds."""

import json

from backend.planner.plan.draft import Draft
from backend.tools.call import ToolOutcome
from backend.tools.context import RunState, ToolLimit
from backend.tools.registry import TOOLS
from tests.factories import make_snapshot
from tests.tools.desk import Desk, error_of

OFF = ToolLimit(enabled=False)


def test_an_unknown_tool_names_those_that_are_offered_nearest_first() -> None:
    desk = Desk(make_snapshot())
    desk.limits["list_hotels"] = OFF
    error = error_of(desk("list_poi", city="beijing"))
    assert error["code"] == "UNKNOWN_TOOL"
    assert error["allowed"][0] == "list_pois"
    assert "list_hotels" not in error["allowed"]


def test_an_unknown_name_of_any_size_is_answered_shortly() -> None:
    desk = Desk(make_snapshot())
    error = error_of(desk.send("\ud800" + "x" * 100_000, "{}"))
    assert len(json.dumps(error)) < 1000
    assert len(desk.outcomes[-1].tool) <= 60


def test_a_tool_that_is_switched_off_is_not_offered_and_refuses_from_the_next_call_on() -> None:
    desk = Desk(make_snapshot())
    assert desk.offered() == [tool.name for tool in TOOLS if not tool.needs_results]
    assert "error" not in desk("list_pois", city="beijing")
    desk.limits["list_pois"] = OFF
    assert "list_pois" not in desk.offered()
    assert error_of(desk("list_pois", city="xian"))["code"] == "TOOL_DISABLED"
    del desk.limits["list_pois"]
    assert "list_pois" in desk.offered()
    assert "error" not in desk("list_pois", city="beijing", limit=2)


def test_a_changed_limit_holds_from_the_next_call_on() -> None:
    desk = Desk(make_snapshot())
    for rows, expected in ((3, 3), (2, 2), (200, 10), (None, 10)):
        desk.limits["list_pois"] = ToolLimit(max_return_rows=rows)
        page = desk("list_pois", city="beijing")
        assert (page["limit"], page["returned"]) == (rows or 25, expected)


def test_calls_are_numbered_from_1_errors_too() -> None:
    desk = Desk(make_snapshot())
    desk("list_pois", city="beijing")
    desk("nothing")
    desk.send("list_pois", "{")
    desk("view_itinerary")
    assert [outcome.number for outcome in desk.outcomes] == [1, 2, 3, 4]
    assert [outcome.is_error for outcome in desk.outcomes] == [False, True, True, False]
    assert [bool(outcome.key) for outcome in desk.outcomes] == [True, False, False, True]


def test_folding_recorded_outcomes_gives_the_same_state() -> None:
    desk = Desk(make_snapshot(), list_pois=3)
    desk("list_pois", city="beijing")
    desk("list_hotels", city="beijing")
    desk("get_poi", poi_id="bj-gugong")
    desk("put_visit", day=2, poi_id="bj-gugong")
    desk("list_pois", city="beijing")
    desk("list_pois", city="beijing")
    desk("submit_itinerary")
    state = RunState()
    for outcome in desk.outcomes:
        state = state.after(outcome)
    assert state == desk.state
    assert RunState.model_validate_json(state.model_dump_json()) == state
    assert (state.calls, state.edits) == (7, 1)
    assert state.listed_ids("hotel") == {"bj-h-dongdan", "bj-h-xidan"}


def test_a_run_may_start_from_a_draft() -> None:
    given = Draft(hotels={"beijing": "bj-h-xidan"})
    desk = Desk(make_snapshot())
    desk.state = RunState(draft=given)
    desk("list_pois", city="beijing")
    assert desk.state.draft == given
    assert desk.state.edits == 0


def test_the_same_id_in_two_kinds_is_two_candidates() -> None:
    outcome = ToolOutcome(
        call_id="c", number=1, tool="list_pois", content={}, kind="poi", listed=("1",)
    )
    state = RunState().after(outcome)
    assert state.listed_ids("poi") == {"1"}
    assert state.listed_ids("hotel") == frozenset()

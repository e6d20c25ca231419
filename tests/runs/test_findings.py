"""Findings name the numbers, the knob and the call that previews it; sound figures give none."""

import datetime as dt
from typing import Any

import pytest

from backend.params.registry import default_values, find_param
from backend.runs.stats.figures import summarize
from backend.runs.stats.findings import find_findings
from backend.runs.stats.report import draw_timeline, propose
from backend.tools.context import ToolLimit


def make_row(
    status: str = "succeeded", rating: int | None = None, **changes: Any
) -> dict[str, Any]:
    city = {
        "places": 140,
        "size": 60,
        "pool": 60,
        "listed": 50,
        "opened": 20,
        "selected": 9,
        "rejected": {"price": 20, "rank": 60},
    }
    tool = {"calls": 3, "errors": 0, "pages": 3, "has_more": 1, "repeats": 0, "empty": 0}
    figures = {
        "tier": "economy",
        "planner": "builtin",
        "model": None,
        "stop": "submitted",
        "stopped_by_limit": changes.get("stopped", False),
        "cities": {"guilin": city | changes.get("city", {})},
        "tools": {"list_pois": tool | changes.get("tool", {})},
    }
    return {
        "id": "run_1",
        "tenant": "one",
        "status": status,
        "planner": "auto",
        "model": None,
        "cost": None,
        "rating": rating,
        "started_at": dt.datetime(2026, 5, 1, 9, tzinfo=dt.UTC),
        "finished_at": dt.datetime(2026, 5, 1, 9, 0, 4, tzinfo=dt.UTC),
        "usage": {"tool_calls": 20},
        "figures": figures | ({"stop": "max_turns"} if changes.get("stopped") else {}),
    }


def test_sound_runs_give_no_finding() -> None:
    assert find_findings([make_row() for _ in range(10)]) == []
    assert find_findings([]) == []


def test_a_short_pool_names_the_cap_and_the_numbers() -> None:
    short = {"pool": 31, "rejected": {"price": 54, "closed": 2, "rank": 0}}
    rows = [make_row("infeasible", city=short) for _ in range(4)] + [make_row() for _ in range(6)]
    (finding,) = find_findings(rows)
    assert (finding.code, finding.param) == ("POOL_SHORT", "POI_PRICE_CAP_ECONOMY")
    assert finding.message == (
        "40% of runs in guilin end without a valid plan and their pool held 31 of 60 places:"
        " the cap of the economy tier rejects 54; raise it or add places"
    )
    shown = finding.show().as_json()
    assert shown["preview"]["href"] == "/v1/admin/pool-preview"
    assert shown["preview"]["body"] == {"run_id": "run_1"}
    cap = propose(finding, default_values(), {})
    body = finding.show(cap).as_json()["preview"]["body"]
    assert body["params"] == {"POI_PRICE_CAP_ECONOMY": "300.00"}


@pytest.mark.parametrize(
    ("changes", "code", "knob", "value"),
    [
        ({"city": {"listed": 20}}, "POOL_IDLE", "POOL_POI_SIZE", 20),
        ({"stopped": True}, "STOPPED_BY_LIMIT", "AGENT_MAX_TURNS", 120),
        ({"tool": {"calls": 6, "pages": 6, "has_more": 5}}, "PAGES_TOO_SHORT", "list_pois", 50),
        ({"tool": {"calls": 6, "repeats": 2}}, "REPEATS", "list_pois", 50),
        ({"tool": {"pages": 3, "empty": 2}}, "EMPTY_ANSWERS", "POOL_POI_SIZE", 120),
        ({"rating": 1}, "LOW_RATINGS", None, None),
    ],
)
def test_each_rule_names_its_knob_and_a_value_to_try(
    changes: dict[str, Any], code: str, knob: str | None, value: int | None
) -> None:
    (finding,) = find_findings([make_row(**changes) for _ in range(5)])
    assert finding.code == code
    assert knob in {finding.param, finding.tool}
    assert propose(finding, default_values(), {}) == value
    largest = {"POOL_POI_SIZE": 500, "AGENT_MAX_TURNS": 1000}
    limits = {"list_pois": ToolLimit(max_return_rows=200)}
    capped = propose(finding, {**default_values(), **largest}, limits)
    assert capped == (20 if code == "POOL_IDLE" else None)


@pytest.mark.parametrize("present", [20, 19])
def test_an_idle_pool_that_is_no_larger_than_what_was_used_is_left_alone(present: int) -> None:
    (finding,) = find_findings([make_row(city={"listed": 20}) for _ in range(5)])
    assert propose(finding, {**default_values(), "POOL_POI_SIZE": present}, {}) is None


@pytest.mark.parametrize(("present", "value"), [("0.00", None), ("7.50", "15.00"), (None, None)])
def test_a_cap_is_doubled_up_to_its_bound(present: str | None, value: str | None) -> None:
    short = {"pool": 31, "rejected": {"price": 54}}
    (finding,) = find_findings([make_row("infeasible", city=short) for _ in range(4)])
    params = {**default_values(), "POI_PRICE_CAP_ECONOMY": present}
    assert propose(finding, params, {}) == value
    most = find_param("POI_PRICE_CAP_ECONOMY").maximum
    params["POI_PRICE_CAP_ECONOMY"] = str(most)
    assert propose(finding, params, {}) is None


def test_a_run_counts_in_each_of_its_groups() -> None:
    rows = [make_row(), make_row("failed")]
    (group,) = summarize(rows, "city")
    assert (group["runs"], group["without_plan"], group["city"]["pool"]) == (2, 1, 60)
    assert summarize(rows, "tool")[0]["tools"]["list_pois"]["has_more_share"] == 0.33


def test_runs_stand_on_the_time_axis_where_they_ended() -> None:
    since = dt.datetime(2026, 5, 1, tzinfo=dt.UTC)
    late = make_row("cancelled") | {"finished_at": since + dt.timedelta(days=1)}
    rows = [make_row(), make_row("failed"), late]
    parts = draw_timeline(rows, since, since + dt.timedelta(days=1))
    assert [n for n, part in enumerate(parts) if part.runs] == [10, 27]
    assert (parts[10].succeeded, parts[10].without_plan) == (1, 1)
    assert parts[27].runs == 1
    (group,) = summarize([make_row(), make_row() | {"started_at": None}], "city")
    assert group["seconds"] == 2.0

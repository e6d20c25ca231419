"""What statistics count of one run, taken once at its end: the log may be pruned later."""

from collections.abc import Sequence
from typing import Any

from backend.pool.limits import read_limits
from backend.pool.snapshot import Snapshot
from backend.runs.stages import Stage
from backend.tools.context import RunState

STOP_LIMITS = frozenset({"max_turns", "max_tokens", "max_tool_calls", "max_seconds"})


def count_figures(snapshot: Snapshot, stages: Sequence[Stage], state: RunState) -> dict[str, Any]:
    """Per tool and per city, and how the last planner stopped; JSON values."""
    last = stages[-1] if stages else None
    return {
        "tier": snapshot.request.budget_tier,
        "planner": last.planner if last else None,
        "model": next((stage.model for stage in stages if stage.model), None),
        "stop": last.stop if last else None,
        "stopped_by_limit": any(stage.stop in STOP_LIMITS for stage in stages),
        "tools": _count_tools(stages),
        "cities": _count_cities(snapshot, state),
    }


def _count_tools(stages: Sequence[Stage]) -> dict[str, dict[str, int]]:
    tools: dict[str, dict[str, int]] = {}
    for step in (step for stage in stages for step in stage.steps if step.kind == "tool_called"):
        outcome = step.payload["outcome"]
        content = outcome["content"]
        is_page = "hasMore" in content
        is_repeat = "repeat_of" in content
        counts = tools.setdefault(
            outcome["tool"],
            {"calls": 0, "errors": 0, "pages": 0, "has_more": 0, "repeats": 0, "empty": 0},
        )
        counts["calls"] += 1
        counts["errors"] += bool(outcome["is_error"])
        counts["repeats"] += is_repeat
        if is_page and not is_repeat:
            counts["pages"] += 1
            counts["has_more"] += bool(content["hasMore"])
            counts["empty"] += content["total"] == 0
    return tools


def _count_cities(snapshot: Snapshot, state: RunState) -> dict[str, dict[str, Any]]:
    size = read_limits(snapshot.params, snapshot.request.budget_tier).poi_size
    listed, opened = state.listed_ids("poi"), state.opened_ids("poi")
    selected = set(state.draft.poi_ids)
    return {
        city: {
            "places": len(pool.pois) + sum(pool.rejected.values()),
            "size": size,
            "pool": len(pool.pois),
            "listed": len(listed.intersection(pool.pois)),
            "opened": len(opened.intersection(pool.pois)),
            "selected": len(selected.intersection(pool.pois)),
            "rejected": pool.rejected,
        }
        for city, pool in snapshot.cities.items()
    }

"""What a run comes to, computed from its snapshot and log alone; a replay computes the same."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from backend.pool.snapshot import Snapshot
from backend.runs.result import RunUsage, check_plan, count_run_funnel
from backend.runs.stages import Stage, fold_state
from backend.runs.verdict import Cut, Verdict, judge


@dataclass(frozen=True)
class Conclusion:
    """The final status, and the stored result document."""

    verdict: Verdict
    result: dict[str, Any]


def conclude(
    snapshot: Snapshot, stages: Sequence[Stage], now: dt.datetime, cut: Cut | None
) -> Conclusion:
    """The end of a run after these stages; `now` tells whether the trip lies in the past."""
    state = fold_state(stages)
    findings = check_plan(snapshot, state.draft, now)
    last = stages[-1] if stages else None
    verdict = judge(snapshot, last, findings, cut)
    usage = RunUsage()
    for stage in stages:
        usage = usage.plus(stage.turns, stage.tool_calls, stage.usage)
    result = {
        "planner_used": last.planner if last else None,
        "fallback_reason": (stages[0].error or stages[0].stop) if len(stages) > 1 else None,
        "model": next((stage.model for stage in stages if stage.model), None),
        "funnel": count_run_funnel(snapshot, state),
        "itinerary": findings.itinerary.as_json(),
        "violations": [v.model_dump(mode="json") for v in findings.violations],
        "clash": verdict.clash,
        "relaxation": verdict.relaxation,
        "usage": usage.model_dump(),
        "error": verdict.error,
    }
    return Conclusion(verdict, result)

"""What a run comes to, computed from its snapshot and log alone; a replay computes the same."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from backend.planner.itinerary import Violation, Where
from backend.pool.snapshot import Snapshot
from backend.runs.figures import count_figures
from backend.runs.findings import Findings, check_plan
from backend.runs.relaxing.outcome import RelaxedPlan, Sought
from backend.runs.result import RunUsage, count_run_funnel
from backend.runs.revision_losses import warn_of_losses
from backend.runs.source_warnings import warn_of_sources
from backend.runs.stages import Stage, fold_state
from backend.runs.verdict import Cut, Verdict, judge
from backend.tools.context import RunState


@dataclass(frozen=True)
class Conclusion:
    """The final status, the stored result document, and what statistics count."""

    verdict: Verdict
    result: dict[str, Any]
    figures: dict[str, Any]


def conclude(
    snapshot: Snapshot,
    stages: Sequence[Stage],
    now: dt.datetime,
    cut: Cut | None,
    sought: Sought | None = None,
) -> Conclusion:
    """The end of a run after these stages; `now` tells whether the trip lies in the past.

    `sought` is what was found to make an impossible request possible: its plan is delivered.
    """
    state = fold_state(stages)
    findings = check_plan(snapshot, state.draft, now)
    last, start = (stages[-1], stages[0].start) if stages else (None, RunState())
    verdict = judge(last, findings, cut)
    plan = sought.plan if verdict.status == "infeasible" and sought is not None else None
    if plan is not None and sought is not None and sought.is_possible:
        verdict = Verdict("succeeded")
    elif verdict.status == "infeasible" and sought is not None:
        verdict = replace(verdict, clash=_correct(verdict.clash or [], sought.shortage))
    usage = RunUsage()
    for stage in stages:
        usage = usage.plus(stage.turns, stage.tool_calls, stage.usage)
    result = {
        "planner_used": last.planner if last else None,
        "fallback_reason": (stages[0].error or stages[0].stop) if len(stages) > 1 else None,
        "model": next((stage.model for stage in stages if stage.model), None),
        **_show_plan(snapshot, state, verdict, findings, plan, start),
        "clash": verdict.clash,
        "relaxation": sought.relaxation if sought is not None and plan is not None else None,
        "usage": usage.model_dump(),
        "error": verdict.error,
    }
    figures = {**count_figures(snapshot, stages, state), "usage": usage.model_dump()}
    return Conclusion(verdict, result, figures)


def _correct(clash: list[dict[str, Any]], shortage: dict[str, Any] | None) -> list[dict[str, Any]]:
    """With the least shortage of money in the place of another one."""
    if shortage is None:
        return clash
    return [*(c for c in clash if c["code"] != shortage["code"]), shortage]


def _show_plan(
    snapshot: Snapshot,
    state: RunState,
    verdict: Verdict,
    findings: Findings,
    plan: RelaxedPlan | None,
    start: RunState,
) -> dict[str, Any]:
    """The plan that there is, else the best one under the relaxation with what stands against it."""
    violations, itinerary = findings.violations, findings.itinerary
    if verdict.status == "infeasible":
        violations = findings.as_impossible()
    if plan is not None:
        violations = (*_list_errors(verdict), *plan.warnings)
        itinerary, state = plan.itinerary, state.model_copy(update={"draft": plan.draft})
    losses = warn_of_losses(start, state.draft, snapshot)
    violations = (*violations, *losses, *warn_of_sources(state.failed_sources, snapshot))
    return {
        "funnel": count_run_funnel(snapshot, state),
        "itinerary": itinerary.as_json(),
        "violations": [violation.model_dump(mode="json") for violation in violations],
    }


def _list_errors(verdict: Verdict) -> Iterator[Violation]:
    """What stands against the request; it has no place in a plan that was made for another one."""
    for clash in verdict.clash or ():
        message = clash["message"]
        yield Violation(code=clash["code"], severity="error", where=Where(), message=message)

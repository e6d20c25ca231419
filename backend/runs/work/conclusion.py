"""What a run comes to, computed from its snapshot and log alone; a replay computes the same.

What statistics count of one run, taken once at its end: the log may be pruned later.

Warns in a revision's result of places that nobody asked to take out and that are out all the same.

Warns in a run's result of sources that gave it nothing.
"""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from backend.planner.days.trip import name_in
from backend.planner.plan.draft import Draft
from backend.planner.plan.itinerary import Violation, Where
from backend.pool.findings import read_limits
from backend.pool.snapshot import Snapshot
from backend.runs.life.result import RunUsage, count_run_funnel
from backend.runs.life.verdict import Cut, Findings, Verdict, check_plan, judge
from backend.runs.log.run_log import Stage, fold_state
from backend.runs.log.steps import Clash, RelaxedPlan, Sought
from backend.text import Locale
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
    for outcome in (called.outcome for stage in stages for called in stage.calls):
        content = outcome.content
        is_page = "hasMore" in content
        is_repeat = "repeat_of" in content
        counts = tools.setdefault(
            outcome.tool,
            {"calls": 0, "errors": 0, "pages": 0, "has_more": 0, "repeats": 0, "empty": 0},
        )
        counts["calls"] += 1
        counts["errors"] += outcome.is_error
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


REVISION_LOSS = "MADE_ROOM"

_LOSS_MESSAGES: dict[Locale, str] = {
    "zh-CN": "按要求修改后放不下“{name}”，已从行程中去掉",
    "en": "“{name}” has no room beside what was asked for, so it is not in the plan any more",
}


def warn_of_losses(start: RunState, draft: Draft, snapshot: Snapshot) -> Iterator[Violation]:
    """One warning for each of them; after words it was the model's to decide what goes."""
    lost = () if start.wish else (*start.gone, *start.draft.poi_ids)
    for poi_id in lost:
        if poi_id not in draft.poi_ids:
            yield _describe(snapshot, poi_id)


def _describe(snapshot: Snapshot, poi_id: str) -> Violation:
    locale, poi = snapshot.request.locale, snapshot.rows.pois.get(poi_id)
    name = poi_id if poi is None else name_in(poi, locale)
    message = _LOSS_MESSAGES[locale].format(name=name)
    return Violation(code=REVISION_LOSS, severity="warning", where=Where(), message=message)


SOURCE_FAILED = "SOURCE_FAILED"

_SOURCE_MESSAGES: dict[Locale, str] = {
    "zh-CN": "外部数据源 {name} 没有给出数据（{code}），行程未参考它",
    "en": "the source {name} gave no data ({code}); the plan was made without it",
}


def warn_of_sources(failed: Mapping[str, str], snapshot: Snapshot) -> Iterator[Violation]:
    """One warning for each source that failed and has not answered since."""
    template = _SOURCE_MESSAGES[snapshot.request.locale]
    for name, code in failed.items():
        message = template.format(name=name, code=code)
        where = Where(day=None, item=None)
        yield Violation(code=SOURCE_FAILED, severity="warning", where=where, message=message)


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
        verdict = replace(verdict, clash=_correct(verdict.clash or (), sought.shortage))
    usage = RunUsage()
    for stage in stages:
        usage = usage.plus(stage.turns, stage.tool_calls, stage.usage)
    relaxation = sought.relaxation if sought is not None and plan is not None else None
    result = {
        "planner_used": last.planner if last else None,
        "fallback_reason": (stages[0].error or stages[0].stop) if len(stages) > 1 else None,
        "model": next((stage.model for stage in stages if stage.model), None),
        **_show_plan(snapshot, state, verdict, findings, plan, start),
        "clash": verdict.clash and [clash.model_dump() for clash in verdict.clash],
        "relaxation": relaxation.model_dump(mode="json") if relaxation is not None else None,
        "usage": usage.model_dump(),
        "error": verdict.error and verdict.error.model_dump(),
    }
    figures = {**count_figures(snapshot, stages, state), "usage": usage.model_dump()}
    return Conclusion(verdict, result, figures)


def _correct(clash: tuple[Clash, ...], shortage: Clash | None) -> tuple[Clash, ...]:
    """With the least shortage of money in the place of another one."""
    if shortage is None:
        return clash
    return (*(c for c in clash if c.code != shortage.code), shortage)


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
        "funnel": {k: step.model_dump() for k, step in count_run_funnel(snapshot, state).items()},
        "itinerary": itinerary.as_json(),
        "violations": [violation.model_dump(mode="json") for violation in violations],
    }


def _list_errors(verdict: Verdict) -> Iterator[Violation]:
    """What stands against the request; it has no place in a plan that was made for another one."""
    for clash in verdict.clash or ():
        yield Violation(code=clash.code, severity="error", where=Where(), message=clash.message)

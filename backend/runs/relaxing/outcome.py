"""What a search for a relaxation came to, as the run log keeps it.

The search as a step of a run: once, where planning has ended and the request is impossible.
"""

import asyncio
from collections.abc import Sequence

from backend.db.session import Engine, transaction
from backend.planner.plan.draft import Draft
from backend.pool.plan_request import PlanRequest
from backend.pool.service import CandidatePoolService
from backend.pool.snapshot import Snapshot, SnapshotRows
from backend.runs.life.verdict import Findings, check_plan, judge, show_clash
from backend.runs.log.durable import RunWriter
from backend.runs.log.run_log import fold_state, read_stages
from backend.runs.log.steps import Clash, RelaxedPlan, Sought, Step, select_payloads
from backend.runs.relaxing.change import BUDGET, show_changes
from backend.runs.relaxing.search import BuildPool, Relaxation, find_for_draft, find_relaxation
from backend.runs.relaxing.trial import judge_draft, with_budget


async def seek(snapshot: Snapshot, draft: Draft, findings: Findings, build: BuildPool) -> Sought:
    """What would make the request possible for which this draft is the best plan."""
    return _describe(snapshot, await find_relaxation(snapshot, draft, findings, build))


def seek_for_draft(snapshot: Snapshot, draft: Draft, findings: Findings) -> Sought:
    """What would make this draft possible, which is not to be changed any more."""
    return _describe(snapshot, find_for_draft(snapshot, draft, findings))


def _describe(snapshot: Snapshot, found: Relaxation | None) -> Sought:
    if found is None:
        return Sought(relaxation=None, plan=None)
    trial = found.trial
    plan = RelaxedPlan(
        draft=trial.draft,
        itinerary=trial.findings.itinerary,
        warnings=tuple(v for v in trial.findings.violations if v.severity == "warning"),
        request=trial.snapshot.request,
        rows=_list_rows(trial.snapshot, trial.draft),
    )
    shown = show_changes(found.changes, snapshot.request.locale) if found.changes else None
    return Sought(relaxation=shown, plan=plan, shortage=_find_shortage(found, snapshot))


def _list_rows(snapshot: Snapshot, draft: Draft) -> SnapshotRows:
    rows = snapshot.rows
    trains = [train for ids in draft.trains.values() for train in ids]
    return SnapshotRows(
        pois={i: rows.pois[i] for i in draft.poi_ids},
        hotels={i: rows.hotels[i] for i in draft.hotels.values()},
        trains={i: rows.trains[i] for i in trains},
    )


def _find_shortage(found: Relaxation, snapshot: Snapshot) -> Clash | None:
    asked = with_budget(found.trial.snapshot, snapshot.request.budget_total)
    clashes = judge_draft(asked, found.trial.draft).findings.clashes
    return next((show_clash(c) for c in clashes if c.violation.code == BUDGET), None)


def read_sought(steps: Sequence[Step]) -> Sought | None:
    """What the log says of it; None where nobody has looked."""
    found = [*select_payloads(steps, Sought)]
    return found[-1] if found else None


async def relax_once(
    engine: Engine,
    writer: RunWriter,
    steps: Sequence[Step],
    snapshot: Snapshot,
    *,
    is_revision: bool = False,
) -> None:
    """Write what was found to the log, from which the result is made; `steps` are all so far.

    Other dates need other pools: they are built from the catalogue, by the run's own parameters.
    The plan of a revision is the traveller's: for it only what leaves it as it is is looked for.
    """
    stages = read_stages(steps)
    draft = fold_state(stages).draft
    findings = check_plan(snapshot, draft)
    is_impossible = judge(stages[-1], findings, None).status == "infeasible"
    if not is_impossible or read_sought(steps) is not None:
        return

    async def build(request: PlanRequest) -> Snapshot:
        async with transaction(engine) as session:
            built = await CandidatePoolService(session).build(request, snapshot.params)
            return built.model_copy(update={"asked_on": snapshot.asked_on})

    if is_revision:
        sought = await asyncio.to_thread(seek_for_draft, snapshot, draft, findings)
    else:
        sought = await seek(snapshot, draft, findings, build)
    await writer.append(sought)

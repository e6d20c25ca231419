"""What a search for a relaxation came to, as the run log keeps it."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict

from backend.planner.draft import Draft
from backend.planner.itinerary import Itinerary, Violation
from backend.pool.plan_request import PlanRequest
from backend.pool.snapshot import Snapshot, SnapshotRows
from backend.runs.findings import Findings
from backend.runs.relaxing.change import show_changes
from backend.runs.relaxing.diagnosis import BUDGET
from backend.runs.relaxing.search import (
    BuildPool,
    Relaxation,
    find_for_draft,
    find_relaxation,
)
from backend.runs.relaxing.trial import judge_draft, with_budget
from backend.runs.run_log import Step
from backend.runs.verdict import show_clash

STEP = "relaxation_sought"


class RelaxedPlan(BaseModel):
    """The best plan under a relaxation; `request` is the relaxed one, of which it is a plan.

    `rows` are those of its things: other dates have another pool than the run's own.
    """

    model_config = ConfigDict(frozen=True)

    draft: Draft
    itinerary: Itinerary
    warnings: tuple[Violation, ...]
    request: PlanRequest | None = None
    rows: SnapshotRows | None = None


class Sought(BaseModel):
    """The step's payload: nothing is in it where nothing was found.

    A plan without a relaxation does what was asked: the run has succeeded after all.

    `shortage` is the clash with the budget: the plan under the relaxation shows how little would do.
    """

    model_config = ConfigDict(frozen=True)

    relaxation: dict[str, Any] | None
    plan: RelaxedPlan | None
    shortage: dict[str, Any] | None = None

    @property
    def is_possible(self) -> bool:
        """Whether the request can be done as it is."""
        return self.plan is not None and self.relaxation is None


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


def _find_shortage(found: Relaxation, snapshot: Snapshot) -> dict[str, Any] | None:
    asked = with_budget(found.trial.snapshot, snapshot.request.budget_total)
    clashes = judge_draft(asked, found.trial.draft).findings.clashes
    return next((show_clash(c) for c in clashes if c.violation.code == BUDGET), None)


def read_sought(steps: Sequence[Step]) -> Sought | None:
    """What the log says of it; None where nobody has looked."""
    payloads = [step.payload for step in steps if step.kind == STEP]
    return Sought.model_validate(payloads[-1]) if payloads else None

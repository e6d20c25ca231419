"""The result of a run: computed once at its end, shown with the run's head at any time.

A run's plan as a file: read with its snapshot, written by the planner's exports.
"""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from backend.agent.llm import Usage
from backend.db.session import Engine, Session, transaction
from backend.document import Document, Moment
from backend.errors import ConflictError
from backend.planner.exports.delivered import Delivered
from backend.planner.plan.itinerary import (
    Itinerary,
    MealItem,
    StayItem,
    Violation,
    VisitItem,
    list_missed,
)
from backend.pool.findings import FunnelStep, count_funnel
from backend.pool.plan_request import PlanRequest, Resolved, ResolvedDocument
from backend.pool.snapshot import Kind, Snapshot
from backend.pool.wish_texts import WishDocument, show_wishes
from backend.reading.reading import NeedDocument, ReadingDocument
from backend.runs.life.admission import CostDocument, show_cost
from backend.runs.life.commands import get_run
from backend.runs.log.lifecycle import RunStatus, is_final
from backend.runs.log.queries import RunHead, read_result, read_snapshot_text
from backend.runs.log.steps import Clash, PlannerName, RelaxationDocument, RunError
from backend.tools.context import RunState


class RunUsage(BaseModel):
    """What the run took."""

    model_config = ConfigDict(frozen=True)

    turns: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0

    def plus(self, turns: int, tool_calls: int, usage: Usage) -> "RunUsage":
        """With the share of one more planner."""
        return RunUsage(
            turns=self.turns + turns,
            tool_calls=self.tool_calls + tool_calls,
            input_tokens=self.input_tokens + usage.input_tokens,
            cached_tokens=self.cached_tokens + usage.cached_tokens,
            output_tokens=self.output_tokens + usage.output_tokens,
        )


def count_run_funnel(snapshot: Snapshot, state: RunState) -> dict[Kind, FunnelStep]:
    """The funnel of a run so far."""
    draft = state.draft
    selected: dict[Kind, set[str]] = {
        "poi": set(draft.poi_ids),
        "hotel": set(draft.hotels.values()),
        "train": {train for ids in draft.trains.values() for train in ids},
    }
    return count_funnel(snapshot, state.listed, state.opened, selected)


class RunDocument(Document):
    """A run; what is made at its end is null or empty before."""

    id: str
    status: RunStatus
    created_at: Moment
    finished_at: Moment | None
    parent_run_id: str | None = Field(description="The run that this one came out of.")
    planner_used: PlannerName | None = None
    fallback_reason: str | None = None
    model: str | None = Field(None, description="The configured name of the language model.")
    request: PlanRequest | None = Field(
        description="Null while questions are open, and where nobody answered them."
    )
    needs: tuple[NeedDocument, ...] = Field(
        (), description="Open questions, answered by `POST …/answers`."
    )
    reading: ReadingDocument | None = Field(None, description="What was read in the text.")
    resolved: tuple[ResolvedDocument, ...]
    wishes: tuple[WishDocument, ...] = Field((), exclude_if=lambda wishes: not wishes)
    snapshot_sha256: str | None
    catalogue_version: int | None
    funnel: dict[Kind, FunnelStep] | None = None
    itinerary: Itinerary | None = None
    violations: tuple[Violation, ...] = ()
    clash: tuple[Clash, ...] | None = None
    relaxation: RelaxationDocument | None = None
    usage: RunUsage = RunUsage()
    cost: CostDocument | None = Field(description="Of the model; null where no price is known.")
    error: RunError | None = None


def show_result(run: RunHead, result: dict[str, Any] | None) -> RunDocument:
    """The delivered document: the run's head around what was computed at its end."""
    kept = run.reading or {}
    head = {
        "id": run.id,
        "status": run.status,
        "created_at": run.created_at.isoformat(),
        "finished_at": run.finished_at.isoformat() if run.finished_at else None,
        "parent_run_id": run.parent_run_id,
        "model": run.model,
        "request": None if kept.get("needs") else run.request,
        "needs": kept.get("needs", ()) if run.status == "needs_input" else (),
        "reading": kept.get("shown"),
        "resolved": show_resolved(run.request),
        "snapshot_sha256": run.snapshot_sha256,
        "catalogue_version": run.catalogue_version,
        "cost": show_cost(run.cost, run.currency),
    }
    made = {key: value for key, value in (result or {}).items() if value is not None}
    if made and kept.get("shown"):
        made["violations"] = [*made.get("violations", ()), *_list_unclear(kept["shown"])]
    shown = RunDocument.model_validate(head | made)
    return shown.model_copy(update={"wishes": _show_run_wishes(shown)})


def _list_unclear(shown: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What was read with a doubt, as warnings of the plan."""
    return [
        {"code": entry["code"], "severity": "warning", "where": {}, "message": entry["message"]}
        for entry in shown["warnings"]
    ]


def _show_run_wishes(run: RunDocument) -> tuple[WishDocument, ...]:
    """The wishes with the names that the document itself holds."""
    if run.request is None:
        return ()
    names = {entry.id: entry.name for entry in run.resolved if entry.id is not None}
    items = [item for day in (run.itinerary.days if run.itinerary else ()) for item in day.items]
    for item in items:
        if isinstance(item, StayItem):
            names[item.hotel_id] = item.name
        elif isinstance(item, VisitItem | MealItem) and item.poi_id and item.name:
            names[item.poi_id] = item.name
    missed = list_missed(run.violations) if run.itinerary is not None else None
    return show_wishes(
        run.request, lambda row_id: names.get(row_id, row_id), run.request.locale, missed
    )


def show_resolved(request: Mapping[str, Any]) -> tuple[ResolvedDocument, ...]:
    """What the names of a request were taken for."""
    entries = (Resolved.model_validate(entry) for entry in request.get("resolved", ()))
    return tuple(ResolvedDocument.model_validate(entry.as_json()) for entry in entries)


async def show_run(engine: Engine, run_id: str, tenant: str | None) -> RunDocument:
    """The delivered document of a run; `NotFoundError` where there is none for this tenant."""
    async with transaction(engine) as session:
        run = await get_run(session, run_id, tenant)
        return show_result(run, await read_result(session, run_id))


async def list_selected(session: Session, run_id: str) -> set[str]:
    """Ids of the places in the run's itinerary; none before its end."""
    result = await read_result(session, run_id)
    itinerary = (result or {}).get("itinerary") or {"days": []}
    items = (item for day in itinerary["days"] for item in day["items"])
    return {item["poi_id"] for item in items if item.get("poi_id")}


class NoItineraryError(ConflictError):
    """The run has not ended, or has ended without a plan."""

    code = "NO_ITINERARY"


async def read_delivered(engine: Engine, run_id: str, tenant: str | None) -> Delivered:
    """The plan of an ended run, an infeasible one's too; `NoItineraryError` where there is none."""
    async with transaction(engine) as session:
        run = await get_run(session, run_id, tenant)
        result = await read_result(session, run_id)
        text = await read_snapshot_text(session, run_id)
    if not is_final(run.status):
        raise NoItineraryError(f"{run_id} is {run.status}: it has no itinerary yet")
    if text is None or not result or not result.get("itinerary"):
        raise NoItineraryError(f"{run_id} has ended as {run.status}, without an itinerary")
    return make_delivered(run, Snapshot.model_validate_json(text), result)


def make_delivered(run: RunHead, snapshot: Snapshot, result: dict[str, Any]) -> Delivered:
    """The plan of a run from the documents that are kept of it."""
    relaxation = result.get("relaxation")
    return Delivered(
        run_id=run.id,
        status=run.status,
        made_at=run.finished_at or run.created_at,
        snapshot=snapshot,
        itinerary=Itinerary.model_validate(result["itinerary"]),
        violations=tuple(Violation.model_validate(row) for row in result["violations"]),
        clash=tuple(str(row["message"]) for row in result.get("clash") or ()),
        relaxation=str(relaxation["message"]) if relaxation else None,
    )

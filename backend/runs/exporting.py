"""A run's plan as a file: read with its snapshot, written by the planner's exports."""

from typing import Any

from backend.db.session import Engine, transaction
from backend.errors import ConflictError
from backend.planner.exports.delivered import Delivered
from backend.planner.itinerary import Itinerary, Violation
from backend.pool.snapshot import Snapshot
from backend.runs.commands import get_run
from backend.runs.lifecycle import is_final
from backend.runs.queries import RunHead, read_result, read_snapshot_text


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

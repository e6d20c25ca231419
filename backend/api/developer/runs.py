"""For developers: the snapshot that a run was made from, and its whole log."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from backend.api.deps import Developer, ServicesDep
from backend.api.documents import LedgerDocument, Page, StepItem, document_problems
from backend.db.session import transaction
from backend.errors import ConflictError
from backend.runs.commands import get_run
from backend.runs.ledger import read_ledger
from backend.runs.queries import read_snapshot_text
from backend.runs.run_log import read_steps

router = APIRouter(prefix="/runs", tags=["developer"])

MAX_SEQ = 2**31 - 1
"""The largest number that a step can have."""

RunId = Annotated[str, Path(description="Id of the run, `run_…`.")]


@router.get(
    "/{run_id}/snapshot",
    summary="The input snapshot",
    response_class=Response,
    responses={
        200: {"content": {"application/json": {"schema": {"type": "object"}}}},
        **document_problems(404, 409),
    },
)
async def get_snapshot(run_id: RunId, services: ServicesDep, principal: Developer) -> Response:
    """The same object as `waypool pool preview --snapshot`, canonical JSON (RFC 8785)."""
    async with transaction(services.engine) as session:
        await get_run(session, run_id, principal.tenant)
        text = await read_snapshot_text(session, run_id)
    if text is None:
        raise ConflictError("the pool of this run is not built yet")
    return Response(text, media_type="application/json")


@router.get(
    "/{run_id}/ledger",
    summary="What the model was sent and what it cost",
    responses={200: {"model": LedgerDocument}, **document_problems(404)},
)
async def get_ledger(run_id: RunId, services: ServicesDep, principal: Developer) -> dict[str, Any]:
    """Each request by part, the main context at the end, the cumulative throughput."""
    return await read_ledger(services.engine, run_id, principal.tenant, services.planners.models)


@router.get(
    "/{run_id}/trace",
    summary="The run log, step by step",
    responses={200: {"model": Page[StepItem]}, **document_problems(404)},
)
async def get_trace(
    run_id: RunId,
    services: ServicesDep,
    principal: Developer,
    limit: Annotated[int, Query(ge=1, le=1000)] = 1000,
    cursor: Annotated[
        int, Query(ge=0, le=MAX_SEQ, description="`next_cursor` of the last page.")
    ] = 0,
) -> dict[str, Any]:
    """Every model reply, tool outcome and decision with its payload, in order."""
    async with transaction(services.engine) as session:
        await get_run(session, run_id, principal.tenant)
    steps = await read_steps(services.engine, run_id, cursor, limit + 1)
    items = [
        {"seq": s.seq, "kind": s.kind, "at": s.at.isoformat(), "payload": s.payload}
        for s in steps[:limit]
    ]
    return {"items": items, "next_cursor": items[-1]["seq"] if len(steps) > limit else None}

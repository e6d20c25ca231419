"""For developers: the snapshot that a run was made from, what it left out, and its whole log."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from backend.api.deps import Developer, ServicesDep
from backend.api.responses import document_problems
from backend.db.session import transaction
from backend.document import Page
from backend.errors import ConflictError
from backend.pool.dropped import Drop, DroppedDocument, Order, list_dropped
from backend.pool.dropped_queries import View
from backend.pool.snapshot import Kind, Snapshot
from backend.runs.life.commands import get_run
from backend.runs.life.ledger import LedgerDocument, read_ledger
from backend.runs.log.queries import read_snapshot_text
from backend.runs.log.run_log import StepItem, read_steps

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
    "/{run_id}/dropped",
    summary="What a rule has kept out of the pool",
    responses=document_problems(404, 409),
)
async def get_dropped(  # noqa: PLR0913 - which count of the funnel, and which part of its rows
    run_id: RunId,
    services: ServicesDep,
    principal: Developer,
    kind: Annotated[Kind, Query()],
    reason: Annotated[str, Query(max_length=20, description="As the funnel names it.")],
    at: Annotated[
        str | None, Query(max_length=100, description="A city's id, or a leg's number from 0.")
    ] = None,
    q: Annotated[str, Query(max_length=200, description="A part of a name or id.")] = "",
    order: Annotated[Order, Query()] = "rank",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    cursor: Annotated[
        int, Query(ge=0, le=MAX_SEQ, description="`next_cursor` of the last page.")
    ] = 0,
) -> DroppedDocument:
    """From the snapshot where it holds all of them, else by the same rules from today's catalogue."""
    async with transaction(services.engine) as session:
        await get_run(session, run_id, principal.tenant)
        text = await read_snapshot_text(session, run_id)
        if text is None:
            raise ConflictError("the pool of this run is not built yet")
        snapshot = await asyncio.to_thread(Snapshot.model_validate_json, text)
        view = View(q, order, cursor, limit)
        dropped = await list_dropped(session, snapshot, Drop(kind, reason, at), view)
    return dropped.show(cursor)


@router.get(
    "/{run_id}/ledger",
    summary="What the model was sent and what it cost",
    responses=document_problems(404),
)
async def get_ledger(run_id: RunId, services: ServicesDep, principal: Developer) -> LedgerDocument:
    """Each request by part, the main context at the end, the cumulative throughput."""
    return await read_ledger(services.engine, run_id, principal.tenant, services.planners.models)


@router.get(
    "/{run_id}/trace",
    summary="The run log, step by step",
    responses=document_problems(404),
)
async def get_trace(
    run_id: RunId,
    services: ServicesDep,
    principal: Developer,
    limit: Annotated[int, Query(ge=1, le=1000)] = 1000,
    cursor: Annotated[
        int, Query(ge=0, le=MAX_SEQ, description="`next_cursor` of the last page.")
    ] = 0,
) -> Page[StepItem]:
    """Every model reply, tool outcome and decision with its payload, in order."""
    async with transaction(services.engine) as session:
        await get_run(session, run_id, principal.tenant)
    steps = await read_steps(services.engine, run_id, cursor, limit + 1)
    items = tuple(StepItem.of(step) for step in steps[:limit])
    return Page(items=items, next_cursor=items[-1].seq if len(steps) > limit else None)

"""For developers: the snapshot that a run was made from, what it left out, and its whole log.

For developers: the large results that a run has stored, and questions about them.
"""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response

from backend.api.deps import Developer, ServicesDep
from backend.api.responses import document_problems
from backend.db.session import transaction
from backend.document import Page
from backend.errors import ConflictError, NotFoundError, OutOfBoundsError, ToolError, WaypoolError
from backend.pool.dropped import Drop, DroppedDocument, Order, list_dropped
from backend.pool.dropped_queries import View
from backend.pool.snapshot import Kind, Snapshot
from backend.results.asking import answer, parse_query_text
from backend.results.document import Document
from backend.results.handle import Reader
from backend.results.path_grammar import MAX_CHARACTERS
from backend.results.run_results import ResultItem, list_overview
from backend.results.values import write_json
from backend.runs.life.commands import get_run
from backend.runs.life.ledger import LedgerDocument, read_ledger
from backend.runs.log.queries import list_ancestors, read_snapshot_text
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


Handle = Annotated[str, Path(description="Handle of the result, `res_…`.")]

_KINDS: dict[str, type[WaypoolError]] = {
    "NO_SUCH_HANDLE": NotFoundError,
    "RESULT_PENDING": ConflictError,
    "RESULT_FAILED": ConflictError,
    "RESULT_EXPIRED": ConflictError,
}


@router.get(
    "/{run_id}/results",
    summary="The run's large results, with their summaries",
    responses={200: {"model": Page[ResultItem]}, **document_problems(404)},
)
async def list_results(
    run_id: RunId,
    services: ServicesDep,
    principal: Developer,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    cursor: Annotated[str | None, Query(description="`next_cursor` of the last page.")] = None,
) -> Response:
    """What the model got a handle for instead of the content, newest first."""
    async with transaction(services.engine) as session:
        await get_run(session, run_id, principal.tenant)
    reader = Reader(principal.key_id, principal.tenant, (run_id,))
    return _make_response(await list_overview(services.results, reader, limit, cursor))


@router.get(
    "/{run_id}/results/{handle}",
    summary="Ask about a large result",
    responses={
        200: {"content": {"application/json": {"schema": {"type": "object"}}}},
        **document_problems(404, 409),
    },
    response_class=Response,
)
async def ask_result(
    run_id: RunId,
    handle: Handle,
    services: ServicesDep,
    principal: Developer,
    path: Annotated[
        str | None, Query(max_length=MAX_CHARACTERS, description="A path, like `rows[0:5]`.")
    ] = None,
    query: Annotated[
        str | None, Query(max_length=65536, description="Instead: a structured query as JSON.")
    ] = None,
) -> Response:
    """As a model sees it, at most 500 tokens; handles of the runs that this one came out of too."""
    if (path is None) == (query is None):
        raise OutOfBoundsError("give either path or query, and only one of them")

    def ask(document: Document) -> tuple[dict[str, Any], int]:
        asked = None if query is None else parse_query_text(query)
        return answer(document, path, asked, "en")

    async with transaction(services.engine) as session:
        ancestors = await list_ancestors(session, run_id)
    reader = Reader(principal.key_id, principal.tenant, (run_id, *ancestors))
    try:
        return _make_response(await services.results.read(handle, reader, ask))
    except ToolError as error:
        kind = _KINDS.get(error.code, OutOfBoundsError)
        raise kind(error.message, code=error.code) from None


def _make_response(document: dict[str, Any]) -> Response:
    """JSON with the digits that the numbers have."""
    return Response(write_json(document), media_type="application/json")

"""Itineraries: ask for one, watch it being made, read it, cancel it, ask why a place is not in it."""

import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends, Header, Path, Query, Request, Response
from fastapi.responses import StreamingResponse
from fastapi.sse import format_sse_event

from backend.api.bodies import document_body, read_json_body, read_wait, wait_for_end
from backend.api.deps import ServicesDep, User
from backend.api.responses import Responses, document_problems
from backend.bootstrap import Services
from backend.db.session import transaction
from backend.document import Page
from backend.errors import ConflictError
from backend.pool.snapshot import Snapshot
from backend.pool.why import Explanation, explain_place
from backend.runs.life.admission import check_model
from backend.runs.life.commands import answer_run, cancel_run, get_run, remove_run, start_run
from backend.runs.life.result import RunDocument, list_selected, show_run
from backend.runs.log.events import render_event
from backend.runs.log.lifecycle import RunStatus, is_final
from backend.runs.log.queries import RunItem, list_runs, make_page, read_snapshot_text
from backend.runs.log.run_log import read_last_seq

router = APIRouter(prefix="/itineraries", tags=["itineraries"])

RUN_ID = "^run_[0-9a-z]{26}$"

RunId = Annotated[str, Path(description="Id of the run, `run_…`.")]
_EXAMPLE = {
    "origin": "上海",
    "destinations": [{"city": "北京"}],
    "start_date": "2026-05-01",
    "days": 3,
    "travellers": 2,
    "budget_tier": "comfort",
    "interests": ["history", "food"],
    "must_see": ["故宫博物院", "天坛公园"],
}
_BODY = document_body(
    "PlanRequest",
    {
        "three days": {"summary": "Three days in 北京", "value": _EXAMPLE},
        "a sentence": {
            "summary": "The trip in words",
            "value": {"text": "下周五从上海去北京玩3天，两个人，预算6000，想看故宫"},
        },
    },
    other="TextRequest",
)
_RUN: Responses = document_problems(404)
_STREAM = {
    "type": "object",
    "description": "One event of the stream; `id` is its `seq`, `event` its `type`.",
    "required": ["id", "event", "data"],
    "properties": {
        "id": {"type": "string", "pattern": "^[0-9]+$"},
        "event": {"type": "string"},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": {"$ref": "#/components/schemas/RunEvent"},
        },
    },
}


@dataclass(frozen=True)
class RunHeaders:
    """How a run is asked for, beside the request itself."""

    idempotency_key: str | None
    prefer: str | None
    run_deadline: int | None
    model: str | None


def read_run_headers(
    idempotency_key: Annotated[str | None, Header(min_length=1, max_length=255)] = None,
    prefer: Annotated[str | None, Header(description="`wait=N`: seconds to wait.")] = None,
    run_deadline: Annotated[
        int | None,
        Header(ge=1, le=2**31, description="Seconds from now by which the run must have ended."),
    ] = None,
    model: Annotated[
        str | None, Query(max_length=100, description="A configured model; unset: the first.")
    ] = None,
) -> RunHeaders:
    """The headers and the query of a call that starts a run."""
    return RunHeaders(idempotency_key, prefer, run_deadline, model)


RunHeadersDep = Annotated[RunHeaders, Depends(read_run_headers)]


@router.post(
    "",
    status_code=202,
    summary="Ask for an itinerary",
    openapi_extra=_BODY,
    responses={
        200: {"model": RunDocument, "description": "The run has ended in the time to wait."},
        202: {"description": "The run waits or goes on."},
        **document_problems(409, 413, 429),
    },
)
async def create_itinerary(
    request: Request,
    response: Response,
    services: ServicesDep,
    principal: User,
    headers: RunHeadersDep,
) -> RunDocument:
    """202 with the run's id, or with its questions (`needs_input`); with `Prefer: wait=N` 200 and the result if it ends in that time."""
    raw = await read_json_body(request)
    check_model(headers.model, services.planners.model_names)
    started = await start_run(
        services.engine,
        services.queue,
        principal.tenant,
        raw,
        headers.idempotency_key,
        headers.run_deadline,
        headers.model,
        has_model=bool(services.planners.models),
    )
    response.headers["Location"] = f"/v1/itineraries/{started.run_id}"
    wait = read_wait(headers.prefer)
    document = await show_run(services.engine, started.run_id, principal.tenant)
    if wait is not None:
        response.headers["Preference-Applied"] = f"wait={wait:.0f}"
        if document.status != "needs_input":
            await wait_for_end(services, started.run_id, wait)
            document = await show_run(services.engine, started.run_id, principal.tenant)
    if is_final(document.status):
        response.status_code = 200
    return document


@router.get(
    "",
    summary="List itineraries, newest first",
)
async def list_itineraries(
    services: ServicesDep,
    principal: User,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
    cursor: Annotated[
        str | None, Query(pattern=RUN_ID, description="`next_cursor` of the last page.")
    ] = None,
    status: Annotated[RunStatus | None, Query()] = None,
) -> Page[RunItem]:
    """A page of runs; `next_cursor` is null on the last one."""
    async with transaction(services.engine) as session:
        runs = await list_runs(session, principal.tenant, limit + 1, before=cursor, status=status)
    return make_page(runs, limit)


@router.get("/{run_id}", summary="The itinerary, and how far it is", responses=_RUN)
async def get_itinerary(run_id: RunId, services: ServicesDep, principal: User) -> RunDocument:
    """Status, request, funnel, itinerary, violations, usage."""
    return await show_run(services.engine, run_id, principal.tenant)


@router.get(
    "/{run_id}/events",
    summary="Events as the run goes (server-sent)",
    response_class=StreamingResponse,
    responses={
        200: {"content": {"text/event-stream": {"schema": _STREAM}}},
        204: {"description": "Nothing comes after `Last-Event-ID`: the run has ended."},
        **document_problems(404),
    },
)
async def stream_events(
    run_id: RunId,
    services: ServicesDep,
    principal: User,
    last_event_id: Annotated[int, Header(ge=0, description="Resume after this event.")] = 0,
) -> Response:
    """Every step from the first, or after `Last-Event-ID`, to `run_finished`."""
    async with transaction(services.engine) as session:
        run = await get_run(session, run_id, principal.tenant)
        last = await read_last_seq(session, run_id)
    if is_final(run.status) and last_event_id >= last:
        return Response(status_code=204)  # it tells an EventSource not to come again
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    events = _write_events(services, run_id, min(last_event_id, last))
    return StreamingResponse(events, media_type="text/event-stream", headers=headers)


async def _write_events(services: Services, run_id: str, after: int) -> AsyncIterator[bytes]:
    async with aclosing(services.feed.follow(run_id, after)) as steps:
        async for step in steps:
            event = render_event(step) if step else None
            if step is None or event is None:
                yield format_sse_event(comment="waiting")
                continue
            text = json.dumps(event, ensure_ascii=False)
            yield format_sse_event(id=str(step.seq), event=step.kind, data_str=text)


@router.get(
    "/{run_id}/why",
    summary="Why a place is not in the itinerary",
    responses=document_problems(404, 409),
)
async def explain_itinerary(
    run_id: RunId,
    services: ServicesDep,
    principal: User,
    place: Annotated[str, Query(min_length=1, max_length=200, description="Id or exact name.")],
) -> Explanation:
    """The reason, from the run's snapshot or, as `source` says, from today's catalogue."""
    async with transaction(services.engine) as session:
        await get_run(session, run_id, principal.tenant)
        text = await read_snapshot_text(session, run_id)
        if text is None:
            raise ConflictError("the pool of this run is not built yet")
        snapshot = Snapshot.model_validate_json(text)
        selected = await list_selected(session, run_id)
        return await explain_place(session, snapshot, place, selected)


@router.post(
    "/{run_id}/answers",
    status_code=202,
    summary="Answer a run's questions",
    openapi_extra=document_body("AnswersRequest"),
    responses={
        200: {"model": RunDocument, "description": "The run has ended in the time to wait."},
        202: {"description": "The run goes on."},
        **document_problems(404, 409, 413, 429),
    },
)
async def answer_itinerary(
    request: Request,
    response: Response,
    run_id: RunId,
    services: ServicesDep,
    principal: User,
    prefer: Annotated[str | None, Header(description="`wait=N`: seconds to wait.")] = None,
) -> RunDocument:
    """The run goes on; questions left out take their defaults. 409 where none is open."""
    raw = await read_json_body(request)
    await answer_run(services.engine, services.queue, run_id, principal.tenant, raw)
    wait = read_wait(prefer)
    if wait is not None:
        response.headers["Preference-Applied"] = f"wait={wait:.0f}"
        await wait_for_end(services, run_id, wait)
    document = await show_run(services.engine, run_id, principal.tenant)
    if is_final(document.status):
        response.status_code = 200
    return document


@router.post("/{run_id}/cancel", summary="Cancel a run", responses=_RUN)
async def cancel_itinerary(run_id: RunId, services: ServicesDep, principal: User) -> RunDocument:
    """A queued run ends at once, a running one within a second; an ended one stays as it is."""
    await cancel_run(services.engine, run_id, principal.tenant)
    return await show_run(services.engine, run_id, principal.tenant)


@router.delete(
    "/{run_id}",
    status_code=204,
    summary="Delete a run that has ended",
    responses=document_problems(404, 409),
)
async def delete_itinerary(run_id: RunId, services: ServicesDep, principal: User) -> None:
    """With its snapshot, log and result; 409 while it is going on."""
    await remove_run(services.engine, run_id, principal.tenant)

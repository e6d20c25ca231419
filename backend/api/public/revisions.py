"""Revisions: what a traveller wants changed in a finished itinerary, as a new run."""

from typing import Annotated

from fastapi import APIRouter, Header, Path, Request, Response

from backend.api.bodies import document_body, read_json_body, read_wait, wait_for_end
from backend.api.deps import ServicesDep, User
from backend.api.responses import document_problems
from backend.runs.life.result import RunDocument, show_run
from backend.runs.log.lifecycle import is_final
from backend.runs.revising.revisions import start_revision

router = APIRouter(prefix="/itineraries", tags=["itineraries"])

_EXAMPLES = {
    "words": {
        "summary": "In the traveller's words",
        "value": {"message": "第二天太满了，酒店想离老城近一些", "lock": [{"day": 1, "item": 2}]},
    },
    "edits": {
        "summary": "Edits that need no model",
        "value": {
            "edits": [
                {"op": "remove", "day": 2, "item": 3},
                {"op": "add", "poi_id": "beijing-tiantan"},
                {"op": "pace", "pace": "relaxed"},
                {"op": "swap_hotel", "city": "beijing"},
            ]
        },
    },
}


@router.post(
    "/{run_id}/revisions",
    status_code=202,
    summary="Change a finished itinerary",
    openapi_extra=document_body("RevisionRequest", _EXAMPLES),
    responses={
        200: {"model": RunDocument, "description": "The run has ended in the time to wait."},
        202: {"description": "The run waits or goes on."},
        **document_problems(404, 409, 413, 429),
    },
)
async def create_revision(
    run_id: Annotated[str, Path(description="Id of the run to change, `run_…`.")],
    request: Request,
    response: Response,
    services: ServicesDep,
    principal: User,
    prefer: Annotated[str | None, Header(description="`wait=N`: seconds to wait.")] = None,
) -> RunDocument:
    """A new run on the same snapshot, or with `refresh` on a new one; locked items stay."""
    raw = await read_json_body(request)
    has_model = bool(services.planners.model_names)
    started = await start_revision(
        services.engine, services.queue, run_id, principal.tenant, raw, has_model=has_model
    )
    response.headers["Location"] = f"/v1/itineraries/{started.run_id}"
    wait = read_wait(prefer)
    if wait is not None:
        response.headers["Preference-Applied"] = f"wait={wait:.0f}"
        await wait_for_end(services, started.run_id, wait)
    document = await show_run(services.engine, started.run_id, principal.tenant)
    if is_final(document.status):
        response.status_code = 200
    return document

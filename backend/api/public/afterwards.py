"""After the plan is made: does it still hold, and what does the traveller think of it.

A run's plan as a file: calendar, map, Markdown, each at an address of its own.

Revisions: what a traveller wants changed in a finished itinerary, as a new run.
"""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from backend.api.bodies import document_body, read_body_as, read_json_body, read_wait, wait_for_end
from backend.api.deps import ServicesDep, User
from backend.api.responses import Responses, document_problems
from backend.clock import read_utc
from backend.db.session import transaction
from backend.document import Document, Moment
from backend.errors import ConflictError
from backend.planner.exports.formats import FORMATS, Format
from backend.runs.life.commands import get_run
from backend.runs.life.result import RunDocument, read_delivered, show_run
from backend.runs.log.lifecycle import is_final
from backend.runs.log.queries import save_feedback
from backend.runs.revising.recheck import RecheckDocument, recheck_run
from backend.runs.revising.revisions import start_revision

router = APIRouter(prefix="/itineraries", tags=["itineraries"])

RunId = Annotated[str, Path(description="Id of the run, `run_…`.")]


class Feedback(BaseModel):
    """A word about the plan."""

    model_config = ConfigDict(extra="forbid", strict=True)

    rating: int = Field(ge=1, le=5, description="5 is best.")
    comment: str | None = Field(None, max_length=2000)


class FeedbackDocument(Document):
    """A word about a plan, as kept."""

    run_id: str
    rating: int
    comment: str | None
    at: Moment


@router.post(
    "/{run_id}/recheck",
    summary="Does the plan still hold?",
    responses=document_problems(404, 409),
)
async def recheck_itinerary(
    run_id: RunId, services: ServicesDep, principal: User
) -> RecheckDocument:
    """What has changed in the catalogue for the things in it: closed, dearer, gone.

    Of an infeasible run the plan that it shows is checked, under its `relaxation`. A run without a
    plan is a 409, `NO_ITINERARY`.
    """
    return await recheck_run(services.engine, run_id, principal.tenant)


@router.post(
    "/{run_id}/feedback",
    summary="Say what you think of the plan",
    openapi_extra=document_body("Feedback"),
    responses=document_problems(404, 409, 413),
)
async def give_feedback(
    run_id: RunId,
    services: ServicesDep,
    principal: User,
    feedback: Annotated[Feedback, Depends(read_body_as(Feedback))],
) -> FeedbackDocument:
    """A later word replaces the former; it is counted in the admin's statistics."""
    at = read_utc()
    async with transaction(services.engine) as session:
        run = await get_run(session, run_id, principal.tenant)
        if not is_final(run.status):
            raise ConflictError(f"{run_id} is {run.status}: there is nothing to rate yet")
        await save_feedback(session, run_id, feedback.rating, feedback.comment, at)
    return FeedbackDocument(run_id=run_id, at=at.isoformat(), **feedback.model_dump())


def _make_endpoint(form: Format) -> Callable[..., Awaitable[Response]]:
    async def export(run_id: RunId, services: ServicesDep, principal: User) -> Response:
        delivered = await read_delivered(services.engine, run_id, principal.tenant)
        headers = {
            "Content-Disposition": f'attachment; filename="{delivered.run_id}.{form.suffix}"',
            "X-Content-Type-Options": "nosniff",  # names in it are anybody's: never to be run
        }
        content = form.write(delivered).encode("utf-8", "replace")
        return Response(content, media_type=form.media_type, headers=headers)

    return export


def _document(form: Format) -> Responses:
    schema: dict[str, Any] = {"type": "object" if form.suffix == "geojson" else "string"}
    described = {"description": form.summary, "content": {form.media_type: {"schema": schema}}}
    return {200: described, **document_problems(404, 409)}


for _form in FORMATS:
    router.add_api_route(
        f"/{{run_id}}/{_form.name}",
        _make_endpoint(_form),
        name=f"export_{_form.option}",
        summary=_form.summary,
        description="Of a run that has ended with a plan; of an infeasible one, the best there is.",
        response_class=Response,
        responses=_document(_form),
    )


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

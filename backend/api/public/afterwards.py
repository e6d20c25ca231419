"""After the plan is made: does it still hold, and what does the traveller think of it.

A run's plan as a file: calendar, map, Markdown, each at an address of its own.
"""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Response
from pydantic import BaseModel, ConfigDict, Field

from backend.api.bodies import document_body, read_body_as
from backend.api.deps import ServicesDep, User
from backend.api.responses import Responses, document_problems
from backend.clock import read_utc
from backend.db.session import transaction
from backend.document import Document, Moment
from backend.errors import ConflictError
from backend.planner.exports.formats import FORMATS, Format
from backend.runs.life.commands import get_run
from backend.runs.life.result import read_delivered
from backend.runs.log.lifecycle import is_final
from backend.runs.log.queries import save_feedback
from backend.runs.revising.recheck import RecheckDocument, recheck_run

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

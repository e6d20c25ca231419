"""After the plan is made: does it still hold, and what does the traveller think of it."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path
from pydantic import BaseModel, ConfigDict, Field

from backend.api.bodies import document_body, read_body_as
from backend.api.deps import ServicesDep, User
from backend.api.responses import document_problems
from backend.clock import read_utc
from backend.db.session import transaction
from backend.document import Document, Moment
from backend.errors import ConflictError
from backend.runs.life.commands import get_run
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

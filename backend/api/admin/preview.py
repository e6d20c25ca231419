"""See what a change of parameters does to a request's pool before it is made."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from backend.api.bodies import document_body, read_body_as
from backend.api.deps import Admin, ServicesDep
from backend.api.documents import PoolTrialDocument, document_problems
from backend.db.session import transaction
from backend.runs.pool_trial import Trial, try_pool

router = APIRouter(prefix="/admin", tags=["admin"])


class PoolTrial(BaseModel):
    """A request, and the values to try; without any, both pools are the same."""

    model_config = ConfigDict(extra="forbid", strict=True)

    request: dict[str, Any] = Field(description="As for `POST /v1/itineraries`.")
    params: dict[str, Any] = Field({}, examples=[{"POOL_POI_SIZE": 20}])
    limits: dict[str, int] = Field({}, examples=[{"list_pois": 10}])


@router.post(
    "/pool-preview",
    summary="What other parameters would do to a pool",
    openapi_extra=document_body("PoolTrial"),
    responses={200: {"model": PoolTrialDocument}, **document_problems(413)},
)
async def preview_pool(
    services: ServicesDep,
    _: Admin,
    trial: Annotated[PoolTrial, Depends(read_body_as(PoolTrial))],
) -> dict[str, Any]:
    """Funnel, rejections, what enters and leaves against today's parameters, tokens of the lists."""
    wanted = Trial(trial.request, trial.params, trial.limits)
    async with transaction(services.engine) as session:
        return await try_pool(session, wanted)

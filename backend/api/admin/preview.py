"""See what a change of parameters does to a request's pool before it is made."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends
from pydantic import BaseModel, ConfigDict, Field

from backend.api.bodies import document_body, read_body_as
from backend.api.deps import Admin, ServicesDep
from backend.api.responses import document_problems
from backend.db.session import Session, transaction
from backend.errors import Fault, RequestRefusedError
from backend.runs.life.commands import get_run
from backend.runs.stats.pool_trial import PoolTrialDocument, Trial, try_pool

router = APIRouter(prefix="/admin", tags=["admin"])


class PoolTrial(BaseModel):
    """A request or a run that had it, and the values to try; without any, both pools are the same."""

    model_config = ConfigDict(extra="forbid", strict=True)

    request: dict[str, Any] | None = Field(None, description="As for `POST /v1/itineraries`.")
    run_id: str | None = Field(
        None, max_length=64, description="Instead: a run of the key's tenant, for its request."
    )
    params: dict[str, Any] = Field({}, examples=[{"POOL_POI_SIZE": 20}])
    limits: dict[str, int] = Field({}, examples=[{"list_pois": 10}])


@router.post(
    "/pool-preview",
    summary="What other parameters would do to a pool",
    openapi_extra=document_body("PoolTrial"),
    responses={200: {"model": PoolTrialDocument}, **document_problems(404, 413)},
)
async def preview_pool(
    services: ServicesDep,
    admin: Admin,
    trial: Annotated[PoolTrial, Depends(read_body_as(PoolTrial))],
) -> PoolTrialDocument:
    """Funnel, rejections, what enters and leaves against today's parameters, tokens of the lists."""
    async with transaction(services.engine) as session:
        request = await _choose_request(session, trial, admin.tenant)
        return await try_pool(session, Trial(request, trial.params, trial.limits))


async def _choose_request(session: Session, trial: PoolTrial, tenant: str) -> object:
    if (trial.request is None) == (trial.run_id is None):
        fault = Fault("/request", "missing", "give either request or run_id")
        raise RequestRefusedError([fault])
    if trial.run_id is None:
        return trial.request
    return (await get_run(session, trial.run_id, tenant)).request

"""What happened: figures, changes of parameters on the same axis, and findings.

See what a change of parameters does to a request's pool before it is made.

Runs that have not ended, the oldest first: what waits too long, and what hangs.
"""

import datetime as dt
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query
from pydantic import BaseModel, ConfigDict, Field

from backend.api.bodies import document_body, read_body_as
from backend.api.deps import Admin, ServicesDep
from backend.api.responses import document_problems
from backend.clock import read_utc
from backend.db.session import Session, transaction
from backend.document import Page
from backend.errors import Fault, RequestRefusedError
from backend.runs.life.commands import get_run
from backend.runs.life.open_runs import OpenRunItem, list_open_runs, show_open_run
from backend.runs.stats.figures import GroupBy
from backend.runs.stats.pool_trial import PoolTrialDocument, Trial, try_pool
from backend.runs.stats.report import StatsDocument, choose_span, read_stats

router = APIRouter(prefix="/admin", tags=["admin"])

Moment = Annotated[dt.datetime | None, Query(description="With offset; without one: UTC.")]


@router.get("/stats", summary="What happened")
async def get_stats(
    services: ServicesDep,
    admin: Admin,
    since: Moment = None,
    until: Moment = None,
    by: Annotated[GroupBy, Query()] = "city",
    against: Annotated[
        Literal["previous"] | None, Query(description="Beside the span before.")
    ] = None,
) -> StatsDocument:
    """Of the runs of the key's tenant that ended in the span (else in the last seven days)."""
    span = choose_span(since, until)
    is_compared = against == "previous"
    async with transaction(services.engine) as session:
        return await read_stats(session, admin.tenant, span, by, is_compared=is_compared)


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


@router.get(
    "/runs",
    summary="Runs that have not ended, the oldest first",
)
async def get_open_runs(
    services: ServicesDep,
    principal: Admin,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> Page[OpenRunItem]:
    """Of the key's tenant: age, last step and when it was, deadline."""
    now = read_utc()
    async with transaction(services.engine) as session:
        found = await list_open_runs(session, principal.tenant, limit)
    return Page(items=tuple(show_open_run(run, now) for run in found))

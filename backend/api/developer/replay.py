"""For developers: a run verified, made again with something changed, or compared with another."""

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Header, Path, Response
from pydantic import BaseModel, ConfigDict, Field

from backend.api.bodies import document_body, read_body_as, read_wait
from backend.api.deps import Developer, ServicesDep
from backend.api.responses import document_problems
from backend.bootstrap import Services
from backend.errors import Fault, RequestRefusedError, WaypoolError
from backend.params.registry import ParamValue, check_value, find_param
from backend.replay.export import RunExport
from backend.replay.live import Change, build_export, start_live
from backend.replay.run_diff import DiffDocument, diff_runs
from backend.replay.verify import ReplayDocument, start_verification, wait_for_verification
from backend.runs.life.admission import check_model
from backend.tools.registry import check_limit, get_tool

router = APIRouter(prefix="/runs", tags=["developer"])

RunId = Annotated[str, Path(description="Id of the run, `run_…`.")]

WAIT_SECONDS = 30.0
"""How long an answer waits for a verification unless `Prefer` says otherwise: it takes a second or two."""


class ReplayRequest(BaseModel):
    """What to do; anything but `mode` belongs to a live replay."""

    model_config = ConfigDict(extra="forbid", strict=True)

    mode: Literal["verify", "live"] = "verify"
    planner: Literal["builtin", "openai"] | None = None
    model: str | None = Field(None, max_length=100, description="One of the configured models.")
    params: dict[str, Any] = Field({}, examples=[{"POOL_POI_SIZE": 20}])
    limits: dict[str, int] = Field({}, examples=[{"list_pois": 10}])


@router.post(
    "/{run_id}/replay",
    summary="Verify a run, or plan it again with something changed",
    openapi_extra=document_body("ReplayRequest"),
    response_model_exclude_unset=True,
    responses={
        200: {"description": "Verified, or the first difference."},
        202: {"model": ReplayDocument, "description": "The new run, or the job, waits or goes on."},
        **document_problems(404, 409, 413, 429),
    },
)
async def replay_run(
    run_id: RunId,
    response: Response,
    services: ServicesDep,
    principal: Developer,
    wanted: Annotated[ReplayRequest, Depends(read_body_as(ReplayRequest))],
    prefer: Annotated[
        str | None, Header(description="`wait=N`: seconds to wait for a verification, 30 unasked.")
    ] = None,
) -> ReplayDocument:
    """Both are jobs for the workers. Verify is waited for, and looked up where `Location` says.

    Live queues a new run, whose parent this one is, and names it.
    """
    if wanted.mode == "verify":
        return await _verify(services, run_id, principal.tenant, read_wait(prefer), response)
    change = _read_change(wanted)
    check_model(wanted.model, services.planners.model_names)
    child = await start_live(services.engine, services.queue, run_id, principal.tenant, change)
    response.status_code = 202
    response.headers["Location"] = f"/v1/itineraries/{child}"
    return ReplayDocument(mode="live", run_id=child, replayed=run_id, status="queued")


async def _verify(
    services: Services, run_id: str, tenant: str, wait: float | None, response: Response
) -> ReplayDocument:
    engine = services.engine
    asked = await start_verification(engine, services.queue, run_id, tenant)
    if wait is not None:
        response.headers["Preference-Applied"] = f"wait={wait:.0f}"
    seconds = WAIT_SECONDS if wait is None else wait
    shown = await wait_for_verification(engine, run_id, asked, tenant, seconds)
    response.headers["Location"] = f"/v1/runs/{run_id}/replay/{asked}"
    if shown.status == "queued":
        response.status_code = 202
    return shown


@router.get(
    "/{run_id}/replay/{replay_id}",
    summary="How a verification stands, and what it came to",
    response_model_exclude_unset=True,
    responses=document_problems(404),
)
async def get_replay(
    run_id: RunId,
    replay_id: Annotated[str, Path(description="Id of the verification, `ver_…`.")],
    services: ServicesDep,
    principal: Developer,
    prefer: Annotated[str | None, Header(description="`wait=N`: seconds to wait for it.")] = None,
) -> ReplayDocument:
    """`queued`, `done` with the report, or `failed` with the error."""
    wait = read_wait(prefer) or 0.0
    return await wait_for_verification(services.engine, run_id, replay_id, principal.tenant, wait)


@router.get(
    "/{run_id}/diff/{other}",
    summary="What differs between two runs",
    responses=document_problems(404, 409),
)
async def diff_run(
    run_id: RunId,
    other: Annotated[str, Path(description="Id of the other run.")],
    services: ServicesDep,
    principal: Developer,
) -> DiffDocument:
    """Request, parameters, pool, calls, plan by day, tokens, cost; each pair is `[one, other]`."""
    mine = await _read(services, run_id, principal.tenant)
    its = await _read(services, other, principal.tenant)
    return await asyncio.to_thread(diff_runs, mine, its)


async def _read(services: Services, run_id: str, tenant: str) -> RunExport:
    return await build_export(services.engine, services.results, run_id, tenant, is_hashed=False)


def _read_change(wanted: ReplayRequest) -> Change:
    """The change with its values checked; everything wrong is named."""
    params: dict[str, ParamValue] = {}
    faults = []
    for key, value in wanted.params.items():
        try:
            params[key] = check_value(find_param(key), value)
        except WaypoolError as error:
            faults.append(Fault(f"/params/{key}", error.code.lower(), error.message))
    for name, rows in wanted.limits.items():
        try:
            check_limit(get_tool(name), rows)
        except WaypoolError as error:
            faults.append(Fault(f"/limits/{name}", error.code.lower(), error.message))
    if faults:
        raise RequestRefusedError(faults)
    return Change(wanted.planner, wanted.model, params, wanted.limits)

"""Runs that have not ended, the oldest first: what waits too long, and what hangs."""

from typing import Annotated

from fastapi import APIRouter, Query

from backend.api.deps import Admin, ServicesDep
from backend.clock import read_utc
from backend.db.session import transaction
from backend.document import Page
from backend.runs.life.open_runs import OpenRunItem, list_open_runs, show_open_run

router = APIRouter(prefix="/admin", tags=["admin"])


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

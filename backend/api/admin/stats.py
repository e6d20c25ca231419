"""What happened: figures, changes of parameters on the same axis, and findings."""

import datetime as dt
from typing import Annotated, Literal

from fastapi import APIRouter, Query

from backend.api.deps import Admin, ServicesDep
from backend.db.session import transaction
from backend.runs.stats.figures import GroupBy
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

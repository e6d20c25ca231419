"""The runs of a tenant, newest first."""

from typing import Annotated, Any

from fastapi import APIRouter, Query, Response

from backend.catalogue.queries import read_cities
from backend.console.render import show_page
from backend.console.visit import ServicesDep, VisitDep
from backend.db.session import transaction
from backend.errors import ForbiddenError, UnauthorizedError
from backend.runs.lifecycle import RunStatus
from backend.runs.listing import make_page
from backend.runs.queries import list_runs

router = APIRouter()

PAGE = 25
STATUSES: tuple[RunStatus, ...] = (
    "queued", "running", "succeeded", "infeasible", "failed", "cancelled",
)  # fmt: skip


@router.get("/runs")
async def show_runs(
    visit: VisitDep,
    services: ServicesDep,
    status: Annotated[str, Query(max_length=20)] = "",
    before: Annotated[str, Query(max_length=40)] = "",
) -> Response:
    """A page of them; for users and developers."""
    if visit.principal is None:
        raise UnauthorizedError("sign in first")
    if not (visit.may("user") or visit.may("developer")):
        raise ForbiddenError("this key lacks the scopes 'user' and 'developer'")
    wanted: Any = status if status in STATUSES else None
    async with transaction(services.engine) as session:
        runs = await list_runs(
            session, visit.principal.tenant, PAGE + 1, before=before or None, status=wanted
        )
        cities = {city.id: city for city in await read_cities(session)}
    values = {"cities": cities, "statuses": STATUSES, "status": wanted, "before": before}
    return show_page(visit, "runs.html", page=make_page(runs, PAGE), **values)

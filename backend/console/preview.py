"""What a change would do to a pool, before it is made: tried on the tenant's last request."""

from typing import Any

from fastapi import APIRouter, Request, Response

from backend.console.charts import draw_funnel
from backend.console.render import show_page
from backend.console.visit import ServicesDep, VisitDep, read_form, require
from backend.db.session import transaction
from backend.errors import OutOfBoundsError, RequestRefusedError
from backend.params.registry import find_param, parse_value
from backend.runs.pool_trial import KINDS, Trial, try_pool
from backend.runs.queries import list_runs

router = APIRouter(prefix="/tune/preview")


@router.post("/params/{key}")
async def preview_param(
    request: Request, key: str, visit: VisitDep, services: ServicesDep
) -> Response:
    """A would-be value of a parameter."""
    require(visit, "admin")
    form = await read_form(request, visit)
    typed = form.get("value", [""])[0].strip()
    value = parse_value(find_param(key), typed)
    return await _try(visit, services, {key: value}, {}, f"{key} = {typed}")


@router.post("/tools/{name}")
async def preview_tool(
    request: Request, name: str, visit: VisitDep, services: ServicesDep
) -> Response:
    """A would-be return limit."""
    require(visit, "admin")
    form = await read_form(request, visit)
    typed = form.get("max_return_rows", [""])[0].strip()
    if typed and not (typed.isascii() and typed.isdigit()):
        raise OutOfBoundsError(f"the return limit of {name} must be a whole number")
    limits = {name: int(typed)} if typed else {}
    return await _try(visit, services, {}, limits, f"{name}: {typed or '–'}")


async def _try(
    visit: VisitDep,
    services: ServicesDep,
    params: dict[str, Any],
    limits: dict[str, Any],
    change: str,
) -> Response:
    assert visit.principal is not None
    async with transaction(services.engine) as session:
        runs = await list_runs(session, visit.principal.tenant, 1)
        tried = None
        if runs:
            try:
                tried = await try_pool(session, Trial(runs[0].request, params, limits))
            except RequestRefusedError as refused:
                raise OutOfBoundsError("; ".join(f.message for f in refused.faults)) from None
    sides = [
        {
            "name": name,
            "funnel": draw_funnel(tried[side]["funnel"], visit.locale),
            "rejected": {kind: tried[side]["funnel"][kind]["rejected"] for kind in KINDS},
            "lists": tried[side]["lists"],
        }
        for side, name in (("today", "preview.today"), ("proposed", "preview.then"))
        if tried
    ]
    values = {
        "change": change,
        "run": runs[0] if runs else None,
        "sides": sides,
        "moved": tried["changes"] if tried else {},
    }
    return show_page(visit, "preview.html", **values)

"""Ask for an itinerary."""

import datetime as dt
from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from backend.bootstrap import Services
from backend.catalogue.queries import list_place_names, read_cities, read_state, read_tags
from backend.clock import read_utc
from backend.console.ask_form import MAX_BOOKINGS, MAX_CITIES, Fields, make_request, sort_faults
from backend.console.render import show_page
from backend.console.visit import ServicesDep, Visit, VisitDep, read_form, require
from backend.db.session import transaction
from backend.errors import Fault, RequestRefusedError
from backend.runs.commands import start_run

router = APIRouter()

DAYS_AHEAD = 14
MAX_NAMES = 12


@router.get("/")
async def go_home(visit: VisitDep) -> Response:
    """To the first page that the key opens."""
    if visit.principal is None or visit.may("user"):
        return RedirectResponse("/console/ask", 303)
    return RedirectResponse("/console/tune" if visit.may("admin") else "/console/runs", 303)


@router.get("/ask")
async def show_form(visit: VisitDep, services: ServicesDep) -> Response:
    """The empty form: three days, two weeks ahead."""
    require(visit, "user")
    start = read_utc().date() + dt.timedelta(DAYS_AHEAD)
    fields = {
        "city": [""],
        "start_date": [start.isoformat()],
        "days": ["3"],
        "travellers": ["2"],
        "budget_tier": ["comfort"],
        "pace": ["standard"],
    }
    return await _show(services, visit, fields, ())


@router.post("/ask")
async def ask(request: Request, visit: VisitDep, services: ServicesDep) -> Response:
    """Start a run and go to its page; with faults, the form as it was and what is wrong."""
    principal = require(visit, "user")
    fields = await read_form(request, visit)
    try:
        raw = make_request(fields, visit.locale)
        started = await start_run(services.engine, services.queue, principal.tenant, raw)
    except RequestRefusedError as refused:
        return await _show(services, visit, fields, refused.faults)
    return RedirectResponse(f"/console/runs/{started.run_id}", 303)


async def _show(
    services: Services, visit: Visit, fields: Fields, faults: tuple[Fault, ...]
) -> Response:
    async with transaction(services.engine) as session:
        cities, tags = await read_cities(session), await read_tags(session)
        state = await read_state(session)
    values: Mapping[str, Any] = {
        "fields": fields,
        "faults": sort_faults(faults),
        "cities": cities,
        "tags": tags,
        "currency": state.currency,
        "city_rows": _make_rows(fields, ("city", "nights"), MAX_CITIES),
        "booking_rows": _make_rows(
            fields, ("fixed_title", "fixed_start", "fixed_end"), MAX_BOOKINGS
        ),
        "has_model": bool(services.planners.models),
    }
    return show_page(visit, "ask.html", 422 if faults else 200, **values)


def _make_rows(fields: Fields, names: tuple[str, ...], count: int) -> list[dict[str, str]]:
    return [
        {
            name: fields.get(name, [])[number] if number < len(fields.get(name, [])) else ""
            for name in names
        }
        for number in range(count)
    ]


@router.get("/places")
async def find_places(
    visit: VisitDep,
    services: ServicesDep,
    q: Annotated[str, Query(min_length=1, max_length=100)],
    city: Annotated[list[str], Query(max_length=MAX_CITIES)],
) -> list[str]:
    """Names of places of some cities that hold what was typed, as the form offers them."""
    require(visit, "user")
    async with transaction(services.engine) as session:
        names = await list_place_names(session, city)
    typed = q.casefold().strip()
    found = [name for _, name in names if typed in name.casefold()]
    return sorted(found, key=lambda name: (not name.casefold().startswith(typed), len(name)))[
        :MAX_NAMES
    ]

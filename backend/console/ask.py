"""Ask for an itinerary.

The form of a request: its fields as a request document, and where each fault is shown.
"""

import datetime as dt
import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from backend.bootstrap import Services
from backend.catalogue.finder import complete_place
from backend.catalogue.queries import read_cities, read_state, read_tags
from backend.clock import read_utc
from backend.console.render import show_page
from backend.console.visit import ServicesDep, Visit, VisitDep, read_form, require
from backend.db.session import transaction
from backend.errors import Fault, RequestRefusedError
from backend.runs.life.commands import start_run

Fields = Mapping[str, list[str]]

MAX_CITIES = 8
MAX_BOOKINGS = 3


def make_request(fields: Fields, locale: str) -> dict[str, Any]:
    """The document that the API takes; fields left empty are left out, wrong ones kept as they are."""
    request: dict[str, Any] = {
        "destinations": list(_read_cities(fields)),
        "start_date": _get(fields, "start_date"),
        "days": _as_number(_get(fields, "days")),
        "travellers": _as_number(_get(fields, "travellers")),
        "budget_tier": _get(fields, "budget_tier"),
        "interests": fields.get("interests", []),
        "must_see": _read_lines(fields, "must_see"),
        "avoid": _read_lines(fields, "avoid"),
        "children": _read_ages(fields, "children"),
        "seniors": _read_ages(fields, "seniors"),
        "access": fields.get("access", []),
        "dietary": _read_lines(fields, "dietary"),
        "fixed": list(_read_bookings(fields)),
        "locale": locale,
    }
    for name in ("origin", "budget_total", "pace", "day_start", "day_end", "notes", "planner"):
        if value := _get(fields, name):
            request[name] = value
    if rooms := _get(fields, "rooms"):
        request["rooms"] = _as_number(rooms)
    for name in ("arrival", "departure"):
        time, place = _get(fields, f"{name}_time"), _get(fields, f"{name}_place")
        if time or place:
            request[name] = {"time": time, "place": place}
    return request


def _read_cities(fields: Fields) -> Iterable[dict[str, Any]]:
    nights = fields.get("nights", [])
    for number, city in enumerate(fields.get("city", [])[:MAX_CITIES]):
        own = nights[number].strip() if number < len(nights) else ""
        if city.strip():
            yield {"city": city.strip(), **({"nights": _as_number(own)} if own else {})}


def _read_bookings(fields: Fields) -> Iterable[dict[str, Any]]:
    names = ("fixed_title", "fixed_start", "fixed_end")
    for row in zip(*(fields.get(name, []) for name in names), strict=False):
        title, start, end = (value.strip() for value in row)
        if title or start or end:
            yield {"title": title, "start": start, "end": end}


def _read_ages(fields: Fields, name: str) -> list[int | str]:
    return [_as_number(age) for age in re.split(r"[\s,，、]+", _get(fields, name)) if age]


def _read_lines(fields: Fields, name: str) -> list[str]:
    return [line.strip() for line in _get(fields, name).splitlines() if line.strip()]


def _get(fields: Fields, name: str) -> str:
    return fields.get(name, [""])[0].strip()


def _as_number(text: str) -> int | str:
    """A whole number; any other text stays, so that the answer can name it."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text


def sort_faults(faults: Iterable[Fault]) -> dict[str, list[Fault]]:
    """The faults by the field of the form that shows them, its name as in the request."""
    by_field: dict[str, list[Fault]] = {}
    for fault in faults:
        name = fault.pointer.split("/")[1] if "/" in fault.pointer else ""
        by_field.setdefault(name, []).append(fault)
    return by_field


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
    """Start a run for a sentence or the whole form, and go to its page; with faults, the form as it was and what is wrong."""
    principal = require(visit, "user")
    fields = await read_form(request, visit)
    try:
        said = _get(fields, "text")
        raw = {"text": said} if said else make_request(fields, visit.locale)
        started = await start_run(
            services.engine,
            services.queue,
            principal.tenant,
            raw,
            has_model=bool(services.planners.models),
        )
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
        "form_open": bool(faults) and not _get(fields, "text"),
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
    """Names of places of some cities that what was typed may mean, as the form offers them."""
    require(visit, "user")
    async with transaction(services.engine) as session:
        found = await complete_place(session, q, city, MAX_NAMES)
    return list(dict.fromkeys(named.name for named in found))

"""Parameters and return limits: see, change with a reason, go back."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from backend.audit.queries import Author, list_changes
from backend.bootstrap import Services
from backend.catalogue.queries import read_cities
from backend.console.render import show_page
from backend.console.settings_view import (
    Fields,
    KnobKind,
    Typed,
    find_knob,
    keep_typed,
    list_entries,
    list_settings,
    read_author,
    read_target,
    read_version,
)
from backend.console.stats import list_findings
from backend.console.visit import ServicesDep, Visit, VisitDep, read_form, require
from backend.db.session import Session, transaction
from backend.errors import (
    ConflictError,
    NotFoundError,
    OutOfBoundsError,
    StaleVersionError,
    WaypoolError,
)
from backend.http_status import find_status
from backend.runs.stats.report import read_findings

router = APIRouter(prefix="/tune")

SHORT, LONG = 20, 50
"""Changes on the page itself, and on a page of all of them."""

TOLD, COUNTED = 3, 500
"""Findings on the page itself, and the runs of the last week that they are looked for in."""

Refused = (OutOfBoundsError, StaleVersionError, ConflictError, NotFoundError)
Turn = Callable[[Session, Author, int], Awaitable[None]]


@router.get("")
async def show_tuning(visit: VisitDep, services: ServicesDep) -> Response:
    """Every parameter and every tool, with bounds, version and the last changes."""
    require(visit, "admin")
    return await _show(services, visit)


@router.get("/history")
async def show_history(
    visit: VisitDep,
    services: ServicesDep,
    subject: Annotated[str, Query(max_length=200)] = "",
    before: Annotated[int | None, Query(ge=1, le=2**63 - 1)] = None,
) -> Response:
    """All changes or those of one thing, newest first; each value can be set again."""
    require(visit, "admin")
    async with transaction(services.engine) as session:
        found = await list_changes(session, LONG + 1, subject=subject or None, before=before)
        settings = await list_settings(session)
    values: dict[str, Any] = {
        "entries": list_entries(found[:LONG], settings),
        "subject": subject,
        "older": found[LONG - 1].id if len(found) > LONG else None,
        "is_first": before is None,
    }
    return show_page(visit, "history.html", **values)


@router.post("/{kind}/{name}")
async def turn(
    request: Request, kind: KnobKind, name: str, visit: VisitDep, services: ServicesDep
) -> Response:
    """Set one, if nobody was quicker."""
    require(visit, "admin")
    knob = find_knob(kind, name)
    form = await read_form(request, visit)

    async def write(session: Session, author: Author, version: int) -> None:
        await knob.write(session, knob.parse(form), author, version)

    return await _change(services, visit, form, write, keep_typed(knob, form))


@router.post("/{kind}/{name}/revert")
async def turn_back(
    request: Request, kind: KnobKind, name: str, visit: VisitDep, services: ServicesDep
) -> Response:
    """To a version, to the code's default, or to what the last change replaced."""
    require(visit, "admin")
    knob = find_knob(kind, name)
    form = await read_form(request, visit)

    async def revert(session: Session, author: Author, version: int) -> None:
        await knob.revert(session, read_target(form), author, version)

    return await _change(services, visit, form, revert, Typed(name))


async def _change(
    services: Services, visit: Visit, form: Fields, make: Turn, typed: Typed
) -> Response:
    """Make the change and go back to its card; refused, the card says why and keeps what was typed."""
    author = read_author(form, require(visit, "admin"))
    try:
        async with transaction(services.engine) as session:
            await make(session, author, read_version(form))
    except Refused as error:
        return await _show(services, visit, typed, error)
    return RedirectResponse(f"/console/tune#{typed.name}", 303)


async def _show(
    services: Services,
    visit: Visit,
    typed: Typed | None = None,
    error: WaypoolError | None = None,
) -> Response:
    if typed and error:
        is_stale = isinstance(error, StaleVersionError)
        typed = replace(typed, fault=error.message, is_stale=is_stale)
    async with transaction(services.engine) as session:
        settings = await list_settings(session, typed)
        history = await list_changes(session, SHORT)
        cities = {city.id: city for city in await read_cities(session)}
        found = await read_findings(session, require(visit, "admin").tenant, COUNTED)
        findings = list_findings([finding.as_json() for finding in found], cities, visit.locale)
    values: dict[str, Any] = {
        "settings": settings,
        "findings": findings[:TOLD],
        "entries": list_entries(history, settings),
        "subject": typed.name if typed else "",
    }
    return show_page(visit, "tune.html", find_status(error) if error else 200, **values)

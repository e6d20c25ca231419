"""The catalogue for an admin: look for a row, change it with a reason, see who changed it before."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, get_args
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import RedirectResponse

from backend.audit.queries import list_changes
from backend.bootstrap import Services
from backend.catalogue.editing import RowKind, edit_row, read_row
from backend.catalogue.listing import Search, search_rows
from backend.catalogue.queries import read_cities
from backend.console.change_form import Fields, read_author, read_text
from backend.console.render import show_page
from backend.console.row_form import list_cells, read_changes, sort_faults
from backend.console.settings_view import list_entries
from backend.console.texts.catalogue import TEXTS
from backend.console.visit import ServicesDep, Visit, VisitDep, read_form, require
from backend.db.session import transaction
from backend.errors import RequestRefusedError, StaleVersionError
from backend.http_status import find_status

router = APIRouter(prefix="/catalogue")

PAGE, HISTORY = 50, 50
KINDS: tuple[RowKind, ...] = get_args(RowKind)

HINTS = frozenset(key.removeprefix("hint.") for key in TEXTS if key.startswith("hint."))
"""Fields that need a word on how they are written."""

RowId = Annotated[str, Path(max_length=100)]
Words = Annotated[str, Query(max_length=200)]


@dataclass(frozen=True)
class Sent:
    """A form that was refused, and why."""

    form: Fields
    error: RequestRefusedError | StaleVersionError


@router.get("")
async def show_rows(
    visit: VisitDep,
    services: ServicesDep,
    kind: RowKind = "poi",
    city: Words = "",
    q: Words = "",
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
) -> Response:
    """Places, hotels or trains, by city and by a part of a name."""
    require(visit, "admin")
    search = Search(kind, (city,) if city else (), q.strip(), (page - 1) * PAGE, PAGE)
    async with transaction(services.engine) as session:
        total, rows = await search_rows(session, search)
        cities = {known.id: known for known in await read_cities(session)}
    values: dict[str, Any] = {
        "kinds": KINDS,
        "kind": kind,
        "city": city,
        "q": search.words,
        "rows": rows,
        "total": total,
        "cities": cities,
        "number": page,
        "pages": max(1, -(-total // PAGE)),
    }
    return show_page(visit, "catalogue.html", **values)


@router.get("/{kind}/{row_id}")
async def show_row(
    kind: RowKind,
    row_id: RowId,
    visit: VisitDep,
    services: ServicesDep,
    saved: Annotated[str, Query(max_length=10)] = "",
) -> Response:
    """One row with its form and its changes."""
    require(visit, "admin")
    return await _show(services, visit, kind, row_id, saved=saved)


@router.post("/{kind}/{row_id}")
async def change_row(
    request: Request, kind: RowKind, row_id: RowId, visit: VisitDep, services: ServicesDep
) -> Response:
    """Change what was typed over; refused, the form says why and keeps it."""
    author_key = require(visit, "admin")
    form = await read_form(request, visit)
    changes, author = read_changes(kind, form), read_author(form, author_key)
    try:
        async with transaction(services.engine) as session:
            await edit_row(session, kind, row_id, changes, author, read_text(form, "tag"))
    except (RequestRefusedError, StaleVersionError) as error:
        return await _show(services, visit, kind, row_id, Sent(form, error))
    saved = "yes" if changes else "same"
    return RedirectResponse(f"/console/catalogue/{kind}/{quote(row_id)}?saved={saved}", 303)


async def _show(
    services: Services,
    visit: Visit,
    kind: RowKind,
    row_id: str,
    sent: Sent | None = None,
    saved: str = "",
) -> Response:
    async with transaction(services.engine) as session:
        row = await read_row(session, kind, row_id)
        history = await list_changes(session, HISTORY, kind=kind, subject=row_id)
        cities = {known.id: known for known in await read_cities(session)}
    cells = list_cells(kind, row, tuple(cities), sent.form if sent else None)
    if sent and isinstance(sent.error, RequestRefusedError):
        faults = sort_faults(sent.error.faults)
        cells = [replace(cell, faults=faults.get(cell.name, ())) for cell in cells]
    values: dict[str, Any] = {
        "kind": kind,
        "row": row,
        "cells": cells,
        "hints": HINTS,
        "cities": cities,
        "entries": list_entries(history, ()),
        "why": read_text(sent.form, "why") if sent else "",
        "is_stale": sent is not None and isinstance(sent.error, StaleVersionError),
        "saved": saved,
    }
    return show_page(visit, "row.html", find_status(sent.error) if sent else 200, **values)

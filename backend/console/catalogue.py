"""The catalogue for an admin: look for a row, change it with a reason, see who changed it before.

A row of the catalogue as a form: its cells as in the catalogue's files, and what was typed kept.

The form carries each cell as it was shown beside the cell as it is typed, so that only what was
changed is sent, and somebody else's change of another field stays.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, get_args
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import RedirectResponse

from backend.audit.queries import list_changes
from backend.bootstrap import Services
from backend.catalogue.editing import (
    FIXED,
    LINES,
    Edited,
    RowKind,
    Search,
    edit_row,
    read_row,
    search_rows,
)
from backend.catalogue.queries import read_cities
from backend.console.render import show_page
from backend.console.settings_view import Fields, list_entries, read_author, read_text
from backend.console.texts.data import CATALOGUE
from backend.console.visit import ServicesDep, Visit, VisitDep, read_form, require
from backend.db.session import transaction
from backend.errors import Fault, RequestRefusedError, StaleVersionError
from backend.http_status import find_status

WAS = "was."
"""What begins the name of the field that says what a cell was."""

Input = Literal["text", "number", "long", "choice"]

CITIES = frozenset({"city", "from_city", "to_city"})
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "enabled": ("true", "false"),
    "booking": ("none", "recommended", "required"),
    "reach_mode": ("", "ferry", "cable_car", "coach"),
    "wheelchair": ("", "yes", "limited", "no"),
}
_LONG = frozenset({"intro", "opening_hours", "halls_hours"})
_NUMBERS = frozenset(
    {"price", "price_per_night", "duration_min", "popularity", "lat", "lon", "stars", "rating",
     "book_days_ahead", "day_offset", "reach_minutes", "reach_fare"}
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """One field: `shown` stands in it, `was` when the form was made, `now` in the catalogue."""

    name: str
    input: Input
    choices: tuple[str, ...]
    now: str
    was: str
    shown: str
    faults: tuple[str, ...] = ()

    @property
    def is_lost(self) -> bool:
        """Whether somebody else has changed what was typed over."""
        return self.was != self.now and self.shown != self.now


def list_cells(
    kind: RowKind, row: Edited, cities: tuple[str, ...], form: Fields | None = None
) -> list[Cell]:
    """The fields in the order of the file; those that a form has changed keep what was typed."""
    values = row.line.model_dump(mode="json")
    typed = read_changes(kind, form) if form else {}
    return [
        Cell(
            name=name,
            input=_find_input(name),
            choices=cities if name in CITIES else _CHOICES.get(name, ()),
            now=(now := write_cell(values[name])),
            was=_read(form, WAS + name) if form and name in typed else now,
            shown=typed.get(name, now),
        )
        for name in list_fields(kind)
    ]


def list_fields(kind: RowKind) -> list[str]:
    """Names of what may be changed."""
    return [name for name in LINES[kind].model_fields if name not in FIXED]


def read_changes(kind: RowKind, form: Fields) -> dict[str, str]:
    """What was typed over, by field."""
    return {
        name: _read(form, name)
        for name in list_fields(kind)
        if name in form and _read(form, name) != _read(form, WAS + name)
    }


def sort_faults(faults: tuple[Fault, ...]) -> dict[str, tuple[str, ...]]:
    """Texts of the faults by field."""
    sorted_faults: dict[str, tuple[str, ...]] = {}
    for fault in faults:
        field = fault.pointer.split("/")[1]
        near = f" ({', '.join(fault.names or fault.suggestions)})" if fault.suggestions else ""
        sorted_faults[field] = (*sorted_faults.get(field, ()), fault.message + near)
    return sorted_faults


def write_cell(value: Any) -> str:
    """A value as a cell of the catalogue's files holds it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ";".join(value) if isinstance(value, list) else str(value)


def _find_input(name: str) -> Input:
    if name in _CHOICES or name in CITIES:
        return "choice"
    if name in _LONG:
        return "long"
    return "number" if name in _NUMBERS else "text"


def _read(form: Fields, name: str) -> str:
    """A field's text; browsers send the ends of lines as two characters."""
    return form.get(name, [""])[0].replace("\r\n", "\n")


router = APIRouter(prefix="/catalogue")

PAGE, HISTORY = 50, 50
KINDS: tuple[RowKind, ...] = get_args(RowKind)

HINTS = frozenset(key.removeprefix("hint.") for key in CATALOGUE if key.startswith("hint."))
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

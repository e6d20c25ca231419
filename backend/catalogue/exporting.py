"""The catalogue in the format of its own import, and one hash of all of it.

Columns and their order are those of the importer's lines, so a new column is exported as soon as
it can be imported.
"""

import csv
import datetime as dt
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

from backend.catalogue.importers.lines import LINES, Line
from backend.catalogue.queries import read_state, stream_rows
from backend.clock import format_minutes
from backend.db.session import Session

Row = Mapping[str, Any]

_NAMES = {"city": "city_id", "from_city": "from_city_id", "to_city": "to_city_id"}
"""Columns that have another name in the database."""


async def export_catalogue(session: Session, folder: Path) -> dict[str, int]:
    """Write a file for each kind of row into an existing folder; how many rows each has."""
    counts = {}
    for kind in LINES:
        with (folder / f"{kind.FILE}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(kind.model_fields)
            counts[kind.FILE] = 0
            async for cells in _read_cells(session, kind):
                writer.writerow(cells)
                counts[kind.FILE] += 1
    return counts


async def hash_catalogue(session: Session) -> str:
    """SHA-256 of all rows by id, as they would be exported; empty cells do not count.

    So it is the same for the same catalogue elsewhere, and a new column that nobody has filled in
    changes nothing.
    """
    digest = hashlib.sha256()
    for kind in LINES:
        async for cells in _read_cells(session, kind):
            filled = {c: cell for c, cell in zip(kind.model_fields, cells, strict=True) if cell}
            line = json.dumps([kind.FILE, filled], ensure_ascii=False, sort_keys=True)
            digest.update(f"{line}\n".encode())
    return digest.hexdigest()


async def _read_cells(session: Session, kind: type[Line]) -> AsyncIterator[list[str]]:
    currency = (await read_state(session)).currency
    async for row in stream_rows(session, kind.FILE):
        yield [_write(_read(column, dict(row), currency)) for column in kind.model_fields]


def _read(column: str, row: Row, currency: str) -> object:
    if column == "currency":
        return currency
    if column in ("depart", "arrive"):
        return format_minutes(row[f"{column}_min"])
    if column == "modes":
        return _join_hours(row["modes"], row["metro_hours"])
    return row[_NAMES.get(column, column)]


def _join_hours(modes: Iterable[str], metro_hours: str | None) -> list[str]:
    """Modes as the importer takes them: `metro 05:30-23:00`."""
    return [f"{mode} {metro_hours}" if mode == "metro" and metro_hours else mode for mode in modes]


_FORMS: Mapping[type, Callable[[Any], str]] = {
    bool: lambda value: "true" if value else "false",
    list: ";".join,
    tuple: ";".join,
    dt.date: dt.date.isoformat,
    Decimal: lambda value: format(value, "f"),
    float: repr,
}


def _write(value: object) -> str:
    if value is None:
        return ""
    form: Callable[[Any], str] = _FORMS.get(type(value), str)
    return form(value)

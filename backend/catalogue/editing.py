"""Changes one row of the catalogue: checked as an import's line is, audited, and the version rises."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import JsonValue, ValidationError

from backend.audit.change import Author, Change
from backend.audit.queries import record_change
from backend.catalogue.importers.catalogue_csv import write_batch
from backend.catalogue.importers.import_batch import ImportBatch, Known, Placed
from backend.catalogue.importers.lines import HotelLine, Line, PoiLine, TrainLine
from backend.catalogue.queries import (
    State,
    find_wholes,
    lock_state,
    read_cities,
    read_fields,
    read_state,
    read_tags,
)
from backend.db.session import Session
from backend.document import Document
from backend.errors import Fault, NotFoundError, RequestRefusedError, StaleVersionError
from backend.text import find_near, make_pointer

RowKind = Literal["poi", "hotel", "train"]

LINES: dict[RowKind, type[Line]] = {"poi": PoiLine, "hotel": HotelLine, "train": TrainLine}
FIXED = frozenset({"id", "currency"})
"""Fields that no edit changes: other rows refer to the id, and all rows have one currency."""


class CatalogueRow(Document):
    """A row under the names of the catalogue's files."""

    row: dict[str, JsonValue]
    catalogue_version: int


@dataclass(frozen=True)
class Edited:
    """A row as it stands, and the catalogue's version."""

    line: Line
    catalogue_version: int

    @property
    def tag(self) -> str:
        """Tells whether somebody has changed the row."""
        return hashlib.sha256(self.line.model_dump_json().encode()).hexdigest()[:16]

    def show(self) -> CatalogueRow:
        """The row as it is delivered."""
        row = self.line.model_dump(mode="json")
        return CatalogueRow(row=row, catalogue_version=self.catalogue_version)


async def read_row(
    session: Session, kind: RowKind, row_id: str, state: State | None = None
) -> Edited:
    """The row; a `NotFoundError` where there is none. Who reads many gives the catalogue's state."""
    state = state or await read_state(session)
    fields = await read_fields(session, kind, row_id)
    if fields is None:
        raise NotFoundError(f"no {kind} {row_id!r}")
    line = LINES[kind].model_validate({**fields, "currency": state.currency})
    return Edited(line, state.version)


async def edit_row(
    session: Session,
    kind: RowKind,
    row_id: str,
    changes: Mapping[str, Any],
    author: Author,
    expected_tag: str | None = None,
) -> Edited:
    """Change some fields of a row and give it; nothing is written where nothing changes.

    A `RequestRefusedError` names every fault; `StaleVersionError` where the row is not as expected.
    """
    state = await lock_state(session)
    before = await read_row(session, kind, row_id)
    if expected_tag not in {None, before.tag}:
        raise StaleVersionError(f"{row_id} has been changed in the meantime")
    line = _check(LINES[kind], before.line, changes)
    tags = {tag.id: tag.bit for tag in await read_tags(session)}
    cities = {city.id: city.timezone for city in await read_cities(session)}
    batch = ImportBatch()
    batch.add(Placed(kind, 0, line))
    wholes = await find_wholes(session, [row_id], batch.list_wholes())
    if faults := batch.find_faults(Known(cities, frozenset(tags), state.currency, wholes)):
        raise RequestRefusedError([_show_fault(fault.reason) for fault in faults])
    old, new = before.line.model_dump(mode="json"), line.model_dump(mode="json")
    changed = [field for field in new if new[field] != old[field]]
    if not changed:
        return before
    report = await write_batch(session, batch, tags)
    was, now = ({field: side[field] for field in changed} for side in (old, new))
    await record_change(session, author, Change(kind, row_id, was, now, report.version))
    return await read_row(session, kind, row_id)


def _check(model: type[Line], before: Line, changes: Mapping[str, Any]) -> Line:
    known = [field for field in model.model_fields if field not in FIXED]
    faults = [
        Fault(f"/{field}", "fixed_field" if field in FIXED else "unknown_field", "cannot be set")
        if field in FIXED
        else Fault(f"/{field}", "unknown_field", "is no field", tuple(find_near(field, known)))
        for field in changes
        if field not in known
    ]
    values = {**before.model_dump(), **{k: v for k, v in changes.items() if k in known}}
    try:
        line = model.model_validate(values)
    except ValidationError as error:
        faults += [
            Fault(make_pointer(*e["loc"]), e["type"], e["msg"])
            if e["loc"]
            else _show_fault(e["msg"])
            for e in error.errors(include_url=False)
        ]
    if faults:
        raise RequestRefusedError(faults)
    return line


def _show_fault(reason: str) -> Fault:
    """A fault between cells or rows: its reason begins with the name of the column."""
    column, _, message = reason.partition(": ")
    return Fault(f"/{column}", "bad_reference", message or reason)

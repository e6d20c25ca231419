"""Changes one row of the catalogue: checked as an import's line is, audited, and the version rises.

Rows of the catalogue for a person who looks for some: by city and by words in names and ids.
"""

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import JsonValue, ValidationError
from sqlalchemy import ColumnElement, false, func, or_, select, true

from backend.audit.queries import Author, Change, record_change
from backend.catalogue.finder import find_names
from backend.catalogue.importers.catalogue_csv import write_batch
from backend.catalogue.importers.import_batch import ImportBatch, Known, Placed
from backend.catalogue.importers.lines import HotelLine, Line, PoiLine, TrainLine
from backend.catalogue.matching import NameKind, Scope
from backend.catalogue.queries import (
    State,
    find_wholes,
    lock_state,
    read_cities,
    read_fields,
    read_state,
    read_tags,
)
from backend.catalogue.tables import Hotel, Place, Train
from backend.clock import format_minutes
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


_place, _hotel, _train = Place.__table__.c, Hotel.__table__.c, Train.__table__.c

_COLUMNS: dict[RowKind, tuple[Any, ...]] = {
    "poi": (
        _place.id,
        _place.city_id.label("city"),
        _place.name,
        _place.name_en,
        _place.area,
        _place.price,
        _place.popularity,
        _place.enabled,
    ),
    "hotel": (
        _hotel.id,
        _hotel.city_id.label("city"),
        _hotel.name,
        _hotel.name_en,
        _hotel.area,
        _hotel.price_per_night.label("price"),
        _hotel.stars,
        _hotel.rating,
        _hotel.enabled,
    ),
    "train": (
        _train.id,
        _train.from_city_id.label("from_city"),
        _train.from_station,
        _train.to_city_id.label("to_city"),
        _train.to_station,
        _train.number.label("name"),
        _train.depart_min,
        _train.arrive_min,
        _train.day_offset,
        _train.price,
        _train.enabled,
    ),
}
_NAMES: dict[RowKind, tuple[Any, ...]] = {
    "poi": (_place.name, _place.name_en, _place.id),
    "hotel": (_hotel.name, _hotel.name_en, _hotel.id),
    "train": (_train.number, _train.from_station, _train.to_station, _train.id),
}
_CITIES: dict[RowKind, tuple[Any, ...]] = {
    "poi": (_place.city_id,),
    "hotel": (_hotel.city_id,),
    "train": (_train.from_city_id, _train.to_city_id),
}


@dataclass(frozen=True)
class Search:
    """What is looked for; without cities in all of them."""

    kind: RowKind
    cities: Collection[str] = ()
    words: str = ""
    offset: int = 0
    size: int = 50


async def search_rows(session: Session, search: Search) -> tuple[int, list[dict[str, Any]]]:
    """How many there are, and a part of them by name; a train's times are times of day."""
    kind = search.kind
    called = await _find_called(session, search) if search.words and kind != "train" else []
    chosen = (
        or_(has_words(search.words, *_NAMES[kind]), _NAMES[kind][-1].in_(called)),
        or_(false(), *(column.in_(list(search.cities)) for column in _CITIES[kind]))
        if search.cities
        else true(),
    )
    total = await session.scalar(
        select(func.count()).select_from(select(*_COLUMNS[kind]).where(*chosen).subquery())
    )
    names = _NAMES[kind]
    part = select(*_COLUMNS[kind]).where(*chosen).order_by(names[0], names[-1])
    rows = await session.execute(part.limit(search.size).offset(search.offset))
    return total or 0, [show_times(dict(row)) for row in rows.mappings()]


async def _find_called(session: Session, search: Search) -> list[str]:
    """Rows that the words mean as a name."""
    kind: NameKind = "hotel" if search.kind == "hotel" else "poi"
    scope = Scope((kind,), tuple(search.cities) or None)
    [found] = await find_names(session, [search.words], scope, 0)
    named = found.near if found.is_ambiguous else found.hits
    return [row.id for row in named]


def has_words(words: str, *columns: Any) -> ColumnElement[bool]:
    """Whether one of the columns holds the words, in whatever case; `%` and `_` are themselves."""
    if not words:
        return true()
    return or_(*(column.icontains(words, autoescape=True) for column in columns))


def show_times(row: dict[str, Any]) -> dict[str, Any]:
    """A train's minutes as times of day too."""
    minutes = {key: row[f"{key}_min"] for key in ("depart", "arrive") if f"{key}_min" in row}
    return row | {key: format_minutes(time) for key, time in minutes.items()}

"""Checked lines of one import, and everything that is wrong with it, named line by line.

Writes an import in sets: one statement a table, which says what was added and what changed.

Rows travel as one JSON parameter: a parameter for every cell would cost more than the writing.
"""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from sqlalchemy import Table, text
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalogue.importers.lines import (
    CityLine,
    FareLine,
    HotelLine,
    Line,
    NameLine,
    PoiLine,
    StationLine,
    TagLine,
    TrainLine,
)
from backend.catalogue.queries import Whole
from backend.catalogue.tables import MAX_TAGS
from backend.clock import parse_minutes
from backend.errors import WaypoolError
from backend.text import find_near, quote


@dataclass(frozen=True)
class LineFault:
    """What is wrong, and where; line 1 is the header, 0 the file as a whole."""

    file: str
    line: int
    reason: str

    def __str__(self) -> str:
        """`pois.csv:12: price: must be …`."""
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: {self.reason}"


class ImportRefusedError(WaypoolError):
    """An import with bad lines; nothing was written."""

    code = "IMPORT_REFUSED"

    def __init__(self, faults: list[LineFault]) -> None:
        super().__init__(f"{len(faults)} fault(s); nothing was written")
        self.faults = faults
        self.details = tuple(str(fault) for fault in faults)


@dataclass(frozen=True)
class Placed:
    """A checked line and where it stands."""

    file: str
    number: int
    line: Any

    def fault(self, reason: str) -> LineFault:
        """A fault of this line."""
        return LineFault(self.file, self.number, reason)


@dataclass(frozen=True)
class Known:
    """What the catalogue holds already: references may lead there."""

    cities: Mapping[str, str]  # id -> time zone
    tags: frozenset[str]
    currency: str
    wholes: Mapping[str, Whole] = field(default_factory=dict)
    """The places that lines are parts of, those above them, and the parts of lines, by id."""


@dataclass
class ImportBatch:
    """The checked lines of all files, by the class of line."""

    placed: dict[type[Line], list[Placed]] = field(default_factory=dict)

    def add(self, placed: Placed) -> None:
        """Take one more line."""
        self.placed.setdefault(type(placed.line), []).append(placed)

    @property
    def cities(self) -> list[CityLine]:
        """Lines of cities.csv."""
        return self._lines(CityLine)

    @property
    def tags(self) -> list[TagLine]:
        """Lines of tags.csv."""
        return self._lines(TagLine)

    @property
    def pois(self) -> list[PoiLine]:
        """Lines of pois.csv."""
        return self._lines(PoiLine)

    @property
    def hotels(self) -> list[HotelLine]:
        """Lines of hotels.csv."""
        return self._lines(HotelLine)

    @property
    def stations(self) -> list[StationLine]:
        """Lines of stations.csv."""
        return self._lines(StationLine)

    @property
    def trains(self) -> list[TrainLine]:
        """Lines of trains.csv."""
        return self._lines(TrainLine)

    @property
    def fares(self) -> list[FareLine]:
        """Lines of fares.csv."""
        return self._lines(FareLine)

    @property
    def names(self) -> list[NameLine]:
        """Lines of names.csv."""
        return self._lines(NameLine)

    def list_owners(self) -> dict[str, list[str]]:
        """Ids of the rows of this batch by kind, those of stations as `city/name`."""
        return {
            "city": [line.id for line in self.cities],
            "tag": [line.id for line in self.tags],
            "poi": [line.id for line in self.pois],
            "hotel": [line.id for line in self.hotels],
            "station": [f"{line.city}/{line.name}" for line in self.stations],
        }

    def find_nameless(self, known: Collection[tuple[str, str]]) -> Iterable[LineFault]:
        """Names of rows that are neither in the catalogue nor in this batch."""
        own = {(kind, row) for kind, ids in self.list_owners().items() for row in ids}
        for placed in self.placed.get(NameLine, []):
            line: NameLine = placed.line
            if line.kind == "area":
                if "/" not in line.id:
                    yield placed.fault("id: an area's id is `city/name`")
            elif line.owner not in own and line.owner not in known:
                yield placed.fault(f"id: no {line.owner[0]} {quote(line.id)}")

    def _lines(self, kind: type[Line]) -> list[Any]:
        return [placed.line for placed in self.placed.get(kind, [])]

    def list_wholes(self) -> list[str]:
        """Ids of the places that lines are parts of."""
        return sorted({poi.part_of for poi in self.pois if poi.part_of})

    def list_new_tags(self, known: frozenset[str]) -> list[str]:
        """Tags that places or hotels use and no row names, in the order of their first use."""
        named = known | {tag.id for tag in self.tags}
        tagged: list[PoiLine | HotelLine] = [*self.pois, *self.hotels]
        used = (tag for line in tagged for tag in line.tags)
        return list(dict.fromkeys(tag for tag in used if tag not in named))

    def find_faults(self, known: Known) -> list[LineFault]:
        """Faults between lines: twice the same id, unknown cities, a second currency, …."""
        zones = dict(known.cities) | {city.id: city.timezone for city in self.cities}
        faults = [*self._find_twice(), *self._find_unknown_cities(zones)]
        faults += self._find_currencies(known.currency)
        faults += self._find_backward_trains(zones)
        faults += self._find_wrong_wholes(known.wholes)
        tags = known.tags | {tag.id for tag in self.tags}
        total = len(tags) + len(self.list_new_tags(known.tags))
        if total > MAX_TAGS:
            faults.append(
                LineFault("tags", 0, f"a catalogue holds up to {MAX_TAGS} tags, not {total}")
            )
        return faults

    def _all(self) -> Iterator[Placed]:
        for placed in self.placed.values():
            yield from placed

    def _find_twice(self) -> Iterable[LineFault]:
        seen: dict[tuple[str, ...], Placed] = {}
        for placed in self._all():
            key = (placed.line.FILE, *placed.line.key)
            if key in seen:
                first = seen[key]
                where = f"{first.file}:{first.number}"
                yield placed.fault(f"id: {quote(' '.join(key[1:]))} stands already in {where}")
            seen.setdefault(key, placed)

    def _find_unknown_cities(self, zones: Mapping[str, str]) -> Iterable[LineFault]:
        hints: dict[str, str] = {}  # once a name: a whole file may have one wrong
        for placed in self._all():
            for column in ("city", "from_city", "to_city"):
                city = getattr(placed.line, column, None)
                if city is not None and city not in zones:
                    if city not in hints:
                        near = find_near(city, zones)
                        hints[city] = f"; near: {', '.join(near)}" if near else ""
                    yield placed.fault(f"{column}: no city {quote(city)}{hints[city]}")

    def _find_currencies(self, currency: str) -> Iterable[LineFault]:
        for placed in self._all():
            other = getattr(placed.line, "currency", currency)
            if other != currency:
                yield placed.fault(f"currency: {other} in a catalogue in {currency}")

    def _find_backward_trains(self, zones: Mapping[str, str]) -> Iterable[LineFault]:
        for placed in self.placed.get(TrainLine, []):
            train: TrainLine = placed.line
            if train.from_city == train.to_city:
                yield placed.fault("to_city: a train leads to another city")
            ends = parse_minutes(train.arrive) + 1440 * train.day_offset
            same_zone = zones.get(train.from_city) == zones.get(train.to_city)
            if same_zone and ends <= parse_minutes(train.depart):
                yield placed.fault("arrive: not after departure; set day_offset past midnight")

    def _find_wrong_wholes(self, known: Mapping[str, Whole]) -> Iterable[LineFault]:
        """Parts of a place that is not there or stands elsewhere, and parts of themselves."""
        after = dict(known) | {poi.id: Whole(poi.city, poi.part_of) for poi in self.pois}
        written = {placed.line.id: placed for placed in self.placed.get(PoiLine, [])}
        for part_id, part in after.items():
            reason = _find_wrong_whole(part_id, part, after)
            # a row that is not in the batch is faulty where the line of its whole moved away
            placed = written.get(part_id) or written.get(part.part_of or "")
            if reason is not None and placed is not None:
                yield placed.fault(f"part_of: {reason}")


def _find_wrong_whole(part_id: str, part: Whole, places: Mapping[str, Whole]) -> str | None:
    if part.part_of is None:
        return None
    whole = places.get(part.part_of)
    if whole is None:
        near = find_near(part.part_of, places)
        hint = f"; near: {', '.join(near)}" if near else ""
        return f"no place {quote(part.part_of)}{hint}"
    if whole.city != part.city:
        return f"{part_id} is in {part.city}, {part.part_of} in {whole.city}"
    way = [part_id]
    while (above := places.get(way[-1])) is not None and above.part_of is not None:
        way.append(above.part_of)
        if above.part_of == part_id:
            return f"makes a circle: {' > '.join(way)}"
        if above.part_of in way[:-1]:
            return None  # a circle above this one, named at its own lines
    return None


CHUNK = 10_000


@dataclass(frozen=True)
class Written:
    """Rows of one table: new ones, altered ones, and those that stood there just so."""

    added: int = 0
    changed: int = 0
    unchanged: int = 0

    def __add__(self, other: "Written") -> "Written":
        """Totals of both."""
        return Written(
            self.added + other.added,
            self.changed + other.changed,
            self.unchanged + other.unchanged,
        )


@cache
def _build_statement(table: Table) -> str:
    dialect = postgresql.dialect()  # type: ignore[no-untyped-call]
    columns = [c for c in table.columns if c.computed is None and c.identity is None]
    keys = [c.name for c in table.primary_key if c.identity is None] or [
        "opening_hours",
        "closed_season",
    ]
    names = ", ".join(c.name for c in columns)
    typed = ", ".join(f"{c.name} {c.type.compile(dialect=dialect)}" for c in columns)
    rest = [c.name for c in columns if c.name not in keys]
    action = "do nothing"
    if rest:
        settings = ", ".join(f"{name} = excluded.{name}" for name in rest)
        old = ", ".join(f"{table.name}.{name}" for name in rest)
        new = ", ".join(f"excluded.{name}" for name in rest)
        action = f"do update set {settings} where row({old}) is distinct from row({new})"
    return (
        f"with written as (insert into {table.name} ({names}) select {names}"  # noqa: S608
        f" from jsonb_to_recordset(cast(:rows as jsonb)) as r({typed})"
        f" on conflict ({', '.join(keys)}) {action} returning (xmax = 0) as is_new)"
        " select count(*) filter (where is_new), count(*) filter (where not is_new) from written"
    )


async def upsert_rows(
    session: AsyncSession, table: Table, rows: Sequence[dict[str, Any]]
) -> Written:
    """Write rows by primary key (schedules by their pair of texts); unnamed rows stay."""
    total = Written()
    statement = text(_build_statement(table))
    for start in range(0, len(rows), CHUNK):
        chunk = rows[start : start + CHUNK]
        document = json.dumps(chunk, default=str, ensure_ascii=False)
        added, changed = (await session.execute(statement, {"rows": document})).one()
        total += Written(added, changed, len(chunk) - added - changed)
    return total

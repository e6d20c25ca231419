"""Checked lines of one import, and everything that is wrong with it, named line by line."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from backend.catalogue.importers.lines import (
    CityLine,
    HotelLine,
    Line,
    PoiLine,
    StationLine,
    TagLine,
    TrainLine,
)
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

    def _lines(self, kind: type[Line]) -> list[Any]:
        return [placed.line for placed in self.placed.get(kind, [])]

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

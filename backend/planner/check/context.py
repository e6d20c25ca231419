"""What a constraint reads: the delivered items with their times, and the rows of the snapshot.

Constraints do not read the numbers of the scheduler, so they also find its mistakes.

A constraint: its code, severity, messages in both languages, and the function that finds breaches.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property

from backend.clock import format_minutes
from backend.planner.days.hours import Hours, read_hours
from backend.planner.days.legs import count_minutes
from backend.planner.days.travel_time import Position, find_way, make_party
from backend.planner.days.trip import Part, Trip, name_in, plan_trip
from backend.planner.plan.draft import Draft
from backend.planner.plan.itinerary import (
    DayItem,
    FixedItem,
    Itinerary,
    LegItem,
    LuggageItem,
    MealItem,
    Severity,
    TransferItem,
    Violation,
    VisitItem,
    Where,
    WishParams,
    read_span,
)
from backend.planner.search.must_see import Reason, explain_missing
from backend.pool.candidate import CityRow, HotelCandidate, PoiCandidate, TagRow
from backend.pool.snapshot import Snapshot
from backend.pool.wish_texts import NameOf, make_names
from backend.text import Locale


@dataclass(frozen=True)
class Visited:
    """A place in the itinerary, as a visit or as a meal; minutes of its day."""

    day: int
    item: int
    poi: PoiCandidate
    date: dt.date
    arrive: int
    leave: int
    is_meal: bool


@dataclass(frozen=True)
class Located:
    """An item with a position: where it begins and ends, and in which cities."""

    day: int
    item: int
    name: str
    row: VisitItem | MealItem | FixedItem | LegItem | LuggageItem
    start: dt.datetime
    end: dt.datetime
    start_city: str
    end_city: str
    start_at: Position
    end_at: Position


@dataclass(frozen=True)
class CheckContext:
    """A plan to be checked."""

    snapshot: Snapshot
    draft: Draft
    itinerary: Itinerary

    @property
    def locale(self) -> Locale:
        """The language of messages."""
        return self.snapshot.request.locale

    @cached_property
    def trip(self) -> Trip:
        """Stays, moves and parts by the draft's hotels and trains."""
        return plan_trip(self.snapshot, self.draft)

    def items(self) -> Iterator[tuple[int, int, DayItem]]:
        """All items with their day (from 1) and number (from 0)."""
        for day, row in enumerate(self.itinerary.days, 1):
            for number, item in enumerate(row.items):
                yield day, number, item

    @cached_property
    def visits(self) -> tuple[Visited, ...]:
        """All places that are in the pool, in order."""
        found = []
        for day, number, item in self.items():
            if not isinstance(item, VisitItem | MealItem) or item.poi_id is None:
                continue
            poi = self.snapshot.poi(item.poi_id)
            if poi is not None:
                start, end = _span(item)
                date = self.itinerary.days[day - 1].date
                arrive, leave = count_minutes(start, date), count_minutes(end, date)
                is_meal = isinstance(item, MealItem)
                found.append(Visited(day, number, poi, date, arrive, leave, is_meal))
        return tuple(found)

    @cached_property
    def missing_must_sees(self) -> dict[str, Reason]:
        """Must-see places without a visit, and why each of them is not in."""
        return explain_missing(self.trip, self.draft)

    def hours_of(self, visited: Visited) -> Hours:
        """The hours of a visited place on the day of the visit."""
        return read_hours(self.snapshot, visited.poi, visited.date)

    def located(self, day: int) -> list[Located]:
        """Items of a day that have a position, in order."""
        row = self.itinerary.days[day - 1]
        places = (self._locate(day, number, item) for number, item in enumerate(row.items))
        return [place for place in places if place is not None]

    def count_free(self, day: int, items: range, span: tuple[dt.datetime, dt.datetime]) -> int:
        """Minutes of `span` in which none of these items of the day takes place; ways do not count.

        Bookings may overlap each other, or begin before the span: each minute is taken once.
        """
        rows = (self.itinerary.days[day - 1].items[number] for number in items)
        taken = [s for row in rows if not isinstance(row, TransferItem) and (s := read_span(row))]
        since, end = span
        free = end - since
        for start, until in sorted(taken):
            first, last = max(start, since), min(until, end)
            if first < last:
                free -= last - first
                since = last
        return free // dt.timedelta(minutes=1)

    def has_leg_into(self, part: Part) -> bool:
        """Whether the leg that brings the traveller into a part stands in the list of its day."""
        items = self.itinerary.days[part.day - 1].items
        return any(isinstance(item, LegItem) and item.to_city == part.city.id for item in items)

    def is_connection(self, before: LegItem, after: LegItem) -> bool:
        """Whether these are the two trains of one connection of the pool."""
        pair = before.train_id, after.train_id
        return any(c.trains == pair for leg in self.snapshot.legs for c in leg.connections)

    def measure_way(self, city: str, a: Position, b: Position) -> int:
        """Minutes between two places of a city."""
        party = make_party(self.snapshot)
        return find_way(a, b, self.snapshot.city_rows[city].modes, party).minutes

    def name(self, row: CityRow | HotelCandidate | PoiCandidate) -> str:
        """A row's name in the language of messages."""
        return name_in(row, self.locale)

    def name_tag(self, tag: TagRow) -> str:
        """A tag's name in the language of messages."""
        return tag.name_en or tag.name if self.locale == "en" else tag.name

    @cached_property
    def name_id(self) -> NameOf:
        """The name of a place, hotel, station or tag by its id, in the language of messages."""
        return make_names(self.snapshot, self.locale)

    def name_city(self, city: str) -> str:
        """A city's name; one without a row by its id."""
        row = self.snapshot.city_rows.get(city)
        return city if row is None else self.name(row)

    def _locate(self, day: int, number: int, item: DayItem) -> Located | None:
        if isinstance(item, LegItem):
            return self._locate_leg(day, number, item)
        if isinstance(item, FixedItem):
            return self._locate_fixed(day, number, item)
        if isinstance(item, LuggageItem):
            return self._locate_luggage(day, number, item)
        if isinstance(item, VisitItem | MealItem):
            poi = self.snapshot.poi(item.poi_id or "")
            if poi is not None:
                start, end = _span(item)
                where = poi.city, poi.city, poi.position, poi.position
                return Located(day, number, self.name(poi), item, start, end, *where)
        return None

    def _locate_leg(self, day: int, number: int, leg: LegItem) -> Located | None:
        if leg.depart is None or leg.arrive is None:
            return None
        return Located(
            day,
            number,
            leg.number or "",
            leg,
            leg.depart,
            leg.arrive,
            leg.from_city,
            leg.to_city,
            self._find_station(leg.from_city, leg.from_station or ""),
            self._find_station(leg.to_city, leg.to_station or ""),
        )

    def _locate_fixed(self, day: int, number: int, item: FixedItem) -> Located | None:
        """A booking with a position, in the city to whose part of the day it was given."""
        date = self.itinerary.days[day - 1].date
        shown = item.title, count_minutes(item.start, date), count_minutes(item.end, date)
        for part in self.trip.parts[day]:
            for slot in part.fixed:
                is_shown = (slot.title, slot.start, slot.end) == shown
                if is_shown and slot.position is not None:
                    where = part.city.id, part.city.id, slot.position, slot.position
                    return Located(day, number, item.title, item, item.start, item.end, *where)
        return None

    def _locate_luggage(self, day: int, number: int, item: LuggageItem) -> Located | None:
        """The hotel of the day where the bags are."""
        for part in self.trip.parts[day]:
            for place in (part.start, part.end):
                if place is not None and place.name == item.place:
                    where = part.city.id, part.city.id, place.position, place.position
                    return Located(day, number, item.place, item, item.start, item.end, *where)
        return None

    def _find_station(self, city: str, name: str) -> Position:
        if city in self.snapshot.city_rows:
            return self.snapshot.station_position(city, name)
        return next(iter(self.snapshot.city_rows.values())).position


def _span(item: VisitItem | MealItem) -> tuple[dt.datetime, dt.datetime]:
    if isinstance(item, VisitItem):
        return item.arrive, item.leave
    return item.start, item.end


def show_time(minutes: int) -> str:
    """`HH:MM` for messages; after midnight the hours run on (`25:30`)."""
    return format_minutes(max(0, minutes))


@dataclass(frozen=True)
class Finding:
    """One breach: where, and the values for the message; `severity` where it differs.

    `amount` says by how much: minutes, or money of the plan's currency. `wish` is the number of the
    wish of the request that is not kept, and `params` are what the violation shows beside its text.
    """

    day: int | None = None
    item: int | None = None
    values: Mapping[str, object] = field(default_factory=dict)
    severity: Severity | None = None
    amount: int | Decimal | None = None
    wish: int | None = None
    params: WishParams | None = None


@dataclass(frozen=True)
class Breach:
    """A violation with its figure, which the delivered violation does not show."""

    violation: Violation
    amount: int | Decimal | None


@dataclass(frozen=True)
class Constraint:
    """A rule for plans. Errors block submission, warnings are shown.

    `fix` says what would help, if there is one such thing.
    """

    code: str
    severity: Severity
    messages: Mapping[Locale, str]
    find: Callable[[CheckContext], Iterable[Finding]]
    fix: Mapping[Locale, str] = field(default_factory=dict)

    def check(self, context: CheckContext) -> list[Violation]:
        """All breaches of this constraint."""
        return [breach.violation for breach in self.measure(context)]

    def measure(self, context: CheckContext) -> list[Breach]:
        """The same with figures."""
        template = self.describe(context.locale)
        return [
            Breach(
                Violation(
                    code=self.code,
                    severity=finding.severity or self.severity,
                    where=Where(day=finding.day, item=finding.item, wish=finding.wish),
                    message=template.format(**finding.values),
                    params=finding.params,
                ),
                finding.amount,
            )
            for finding in self.find(context)
        ]

    def describe(self, locale: Locale) -> str:
        """The message with its fix, still with the names of its values."""
        texts = filter(None, (self.messages[locale], self.fix.get(locale)))
        return (" " if locale == "en" else "").join(texts)

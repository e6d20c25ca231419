"""A finished plan as the exports read it: each item with where it is.

Positions and zones come from the snapshot's rows; the items are taken as they were delivered, since
a plan under a relaxation need not fit the request.

Where each item of an itinerary begins and ends.

A transfer knows its ends by name alone: they are looked for among the stops nearest to it.
"""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple
from zoneinfo import ZoneInfo

from backend.planner.days.legs import find_zone
from backend.planner.days.travel_time import Position
from backend.planner.days.trip import CENTRE, name_in
from backend.planner.plan.itinerary import (
    DayItem,
    FixedItem,
    Itinerary,
    LegItem,
    LuggageItem,
    MealItem,
    StayItem,
    TransferItem,
    Violation,
    VisitItem,
    list_missed,
)
from backend.pool.snapshot import Snapshot
from backend.pool.wish_texts import WishDocument, make_names, show_wishes
from backend.text import Locale


class Site(NamedTuple):
    """A city, and the position in it; None where it is unknown."""

    city: str
    position: Position | None


class _Stop(NamedTuple):
    """A named place that the plan leads to."""

    name: str
    site: Site


Ends = tuple[Site, Site]


def locate_items(snapshot: Snapshot, itinerary: Itinerary) -> list[Ends]:
    """Start and end of every item, in order."""
    items = [item for day in itinerary.days for item in day.items]
    stops = list(_list_stops(snapshot, itinerary, items))
    known = [stop for pair in stops for stop in pair]
    ends: list[Ends] = []
    for number, (item, (start, end)) in enumerate(zip(items, stops, strict=True)):
        if isinstance(item, TransferItem):
            before = known[: 2 * number][::-1]
            after = known[2 * number + 2 :]
            city = start.site.city
            ends.append(
                (
                    _find_stop(snapshot, city, item.from_, before),
                    _find_stop(snapshot, city, item.to, after),
                )
            )
        else:
            ends.append((start.site, end.site))
    return ends


def _list_stops(
    snapshot: Snapshot, itinerary: Itinerary, items: Sequence[DayItem]
) -> Iterator[tuple[_Stop, _Stop]]:
    """Both ends of each item by name; the city is carried on where an item has none of its own."""
    city = _find_first_city(snapshot, itinerary, items)
    for item in items:
        pair = _locate(snapshot, item, city)
        yield pair
        city = pair[1].site.city


def _find_first_city(snapshot: Snapshot, itinerary: Itinerary, items: Sequence[DayItem]) -> str:
    legs = (item.from_city for item in items[:1] if isinstance(item, LegItem))
    days = (day.city for day in itinerary.days)
    return next(legs, snapshot.city_order[0] if snapshot.city_order else next(days, ""))


def _locate(snapshot: Snapshot, item: DayItem, city: str) -> tuple[_Stop, _Stop]:
    if isinstance(item, LegItem):
        return (
            _make_station(snapshot, item.from_city, item.from_station),
            _make_station(snapshot, item.to_city, item.to_station),
        )
    stop = _Stop("", Site(city, None))
    if isinstance(item, VisitItem | MealItem) and item.poi_id is not None:
        poi = snapshot.rows.pois.get(item.poi_id)
        site = Site(poi.city, poi.position) if poi else Site(city, None)
        stop = _Stop(item.name or "", site)
    elif isinstance(item, StayItem):
        hotel = snapshot.rows.hotels.get(item.hotel_id)
        site = Site(hotel.city, hotel.position) if hotel else Site(city, None)
        stop = _Stop(item.name, site)
    elif isinstance(item, LuggageItem):
        stop = _Stop(item.place, Site(city, _find_hotel(snapshot, city, item.place)))
    elif isinstance(item, FixedItem):
        stop = _Stop(item.title, Site(city, _find_booking(snapshot, item)))
    return stop, stop


def _find_hotel(snapshot: Snapshot, city: str, name: str) -> Position | None:
    rows, locale = snapshot.rows.hotels.values(), snapshot.request.locale
    here = (row for row in rows if row.city == city and name_in(row, locale) == name)
    return next((row.position for row in here), None)


def _make_station(snapshot: Snapshot, city: str, name: str | None) -> _Stop:
    position = None
    if city in snapshot.city_rows:
        position = snapshot.station_position(city, name or "")
    return _Stop(name or "", Site(city, position))


def _find_booking(snapshot: Snapshot, item: FixedItem) -> Position | None:
    shown = item.title, item.start.replace(tzinfo=None)
    for booking in snapshot.request.fixed:
        is_shown = (booking.title, booking.start.replace(tzinfo=None)) == shown
        if is_shown and booking.lat is not None and booking.lon is not None:
            return booking.lat, booking.lon
    return None


def _find_stop(snapshot: Snapshot, city: str, name: str, nearest: Sequence[_Stop]) -> Site:
    """The first of `nearest` with this name and a position, else an end of the whole trip."""
    named = (s.site for s in nearest if s.name == name and s.site.position is not None)
    found = next(named, None)
    return found or Site(city, _find_own_place(snapshot, city, name))


def _find_own_place(snapshot: Snapshot, city: str, name: str) -> Position | None:
    """Where the traveller comes or goes by own means, or a city without a hotel."""
    for own in (snapshot.request.arrival, snapshot.request.departure):
        if own is not None and not isinstance(own.place, str) and own.place.name == name:
            return own.place.lat, own.place.lon
    row = snapshot.city_rows.get(city)
    if row is None:
        return None
    locale = snapshot.request.locale
    if name == CENTRE[locale].format(city=name_in(row, locale)):
        return row.position
    stations = (s for s in snapshot.stations if (s.city, s.name) == (city, name))
    return next(((s.lat, s.lon) for s in stations), None)


@dataclass(frozen=True)
class Entry:
    """An item: `day` counts from 1, `number` from 0; `notes` is what is to be minded about it."""

    day: int
    date: dt.date
    number: int
    item: DayItem
    start: Site
    end: Site
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Delivered:
    """A run's plan at its end; `clash` and `relaxation` are the messages of an infeasible one."""

    run_id: str
    status: str
    made_at: dt.datetime
    snapshot: Snapshot
    itinerary: Itinerary
    violations: tuple[Violation, ...] = ()
    clash: tuple[str, ...] = ()
    relaxation: str | None = None

    @property
    def locale(self) -> Locale:
        """The request's language."""
        return self.snapshot.request.locale

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """All items in order."""
        sites = iter(locate_items(self.snapshot, self.itinerary))
        return tuple(
            Entry(day, row.date, number, item, *next(sites), self._list_notes(day, number))
            for day, row in enumerate(self.itinerary.days, 1)
            for number, item in enumerate(row.items)
        )

    def entries_on(self, day: int) -> Iterator[Entry]:
        """The items of a day."""
        return (entry for entry in self.entries if entry.day == day)

    def zone_of(self, city: str) -> ZoneInfo:
        """The zone that a city's clocks show."""
        return find_zone(self.snapshot, city)

    def name_city(self, city: str) -> str:
        """A city's name in the request's language; one without a row by its id."""
        row = self.snapshot.city_rows.get(city)
        return city if row is None else name_in(row, self.locale)

    @property
    def wishes(self) -> tuple[WishDocument, ...]:
        """The wishes of the request, and which of them the plan keeps."""
        names = make_names(self.snapshot, self.locale)
        return show_wishes(self.snapshot.request, names, self.locale, list_missed(self.violations))

    @property
    def title(self) -> str:
        """The cities of the trip."""
        cities = dict.fromkeys(day.city for day in self.itinerary.days)
        between = {"zh-CN": "、", "en": ", "}[self.locale]
        return between.join(self.name_city(city) for city in cities)

    def _list_notes(self, day: int, number: int) -> tuple[str, ...]:
        here = (v for v in self.violations if (v.where.day, v.where.item) == (day, number))
        return tuple(violation.message for violation in here)

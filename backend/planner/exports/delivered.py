"""A finished plan as the exports read it: each item with where it is.

Positions and zones come from the snapshot's rows; the items are taken as they were delivered, since
a plan under a relaxation need not fit the request.
"""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from zoneinfo import ZoneInfo

from backend.planner.exports.sites import Site, locate_items
from backend.planner.itinerary import DayItem, Itinerary, Violation
from backend.planner.moves import find_zone
from backend.planner.trip import name_in
from backend.pool.snapshot import Snapshot
from backend.text import Locale


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
    def title(self) -> str:
        """The cities of the trip."""
        cities = dict.fromkeys(day.city for day in self.itinerary.days)
        between = {"zh-CN": "、", "en": ", "}[self.locale]
        return between.join(self.name_city(city) for city in cities)

    def _list_notes(self, day: int, number: int) -> tuple[str, ...]:
        here = (v for v in self.violations if (v.where.day, v.where.item) == (day, number))
        return tuple(violation.message for violation in here)

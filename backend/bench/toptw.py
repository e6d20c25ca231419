"""Reads public orienteering instances: Solomon's and Cordeau's in one form, tourist trips in another.

Distances are cut, not rounded, after one decimal (Solomon) or two; so are all times here counted
in tenths or hundredths, and nothing is a float.
"""

import re
from decimal import Decimal, InvalidOperation
from math import isqrt
from pathlib import Path
from typing import NamedTuple

from backend.errors import ConfigurationError
from backend.planner.orienteering import Node, Orienteering, Tour, Window

WEEK = 7
_TRIP = re.compile(r"t\d", re.IGNORECASE)
_FINE = re.compile(r"pr\d|t\d", re.IGNORECASE)
_MILLI = 1000
_HEADS = {True: 1, False: 2}
_TRIP_COLUMNS = 6 + 2 * WEEK


class Place(NamedTuple):
    """A row: position in thousandths, service, profit and windows by weekday (one for all days)."""

    x: int
    y: int
    service: int
    profit: int
    windows: tuple[Window, ...]


class Instance(NamedTuple):
    """`units` of a time make one of the file's; `first_day` is the weekday of tour 0."""

    name: str
    units: int
    first_day: int
    places: tuple[Place, ...]

    def state(self, tours: int) -> Orienteering:
        """The problem of that many tours; place 0 is where each starts and ends."""
        home = self.places[0].windows[0]
        return Orienteering(
            nodes=tuple(
                Node(place.profit, place.service, self._list_windows(place, tours))
                for place in self.places
            ),
            tours=(Tour(0, 0, home.opens, home.closes),) * tours,
            travel=tuple(tuple(self.measure(a, b) for b in self.places) for a in self.places),
        )

    def measure(self, a: Place, b: Place) -> int:
        """Straight line, cut off after the instance's decimals."""
        line = isqrt((a.x - b.x) ** 2 + (a.y - b.y) ** 2)
        return line * self.units // _MILLI

    def _list_windows(self, place: Place, tours: int) -> tuple[tuple[Window, ...], ...]:
        if place is self.places[0]:
            return ((),) * tours
        days = [(self.first_day + tour) % len(place.windows) for tour in range(tours)]
        return tuple((place.windows[day],) for day in days)


def read_instance(path: Path) -> Instance:
    """An instance file; what is wrong with it is named with its line."""
    lines = [line.split() for line in path.read_text(encoding="utf-8-sig").splitlines()]
    rows = [(number, line) for number, line in enumerate(lines, 1) if line]
    is_trip = bool(_TRIP.match(path.stem))
    units = 100 if _FINE.match(path.stem) else 10
    heads, body = rows[: _HEADS[is_trip]], rows[_HEADS[is_trip] :]
    if not body:
        raise ConfigurationError(f"{path.name} holds no places")
    try:
        first_day = int(heads[0][1][2]) if is_trip else 0
    except (IndexError, ValueError):
        raise ConfigurationError(f"{path.name}, line 1: the start day is missing") from None
    places = tuple(_read_place(path.name, *row, units) for row in body)
    return Instance(path.stem, units, first_day, places)


def _read_place(name: str, number: int, words: list[str], units: int) -> Place:
    try:
        values = [Decimal(word) for word in words]
        x, y, service, profit = values[1:5]
        times = _find_times(values)
        pairs = zip(times[::2], times[1::2], strict=True)
        return Place(
            int(x * _MILLI),
            int(y * _MILLI),
            int(service * units),
            int(profit),
            tuple(Window(int(opens * units), int(closes * units)) for opens, closes in pairs),
        )
    except (InvalidOperation, ValueError):
        raise ConfigurationError(f"{name}, line {number}: not a row of an instance") from None


def _find_times(values: list[Decimal]) -> list[Decimal]:
    """Windows of the week in a tourist trip's row, else the last two numbers."""
    if len(values) > _TRIP_COLUMNS:
        return values[6:_TRIP_COLUMNS]
    return values[-2:]

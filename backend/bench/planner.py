"""How near the solver comes to the best known values of public orienteering instances.

The wall clock rules here, one thread works, and no value is shown that `evaluate` has not confirmed.

Reads public orienteering instances: Solomon's and Cordeau's in one form, tourist trips in another.

Distances are cut, not rounded, after one decimal (Solomon) or two; so are all times here counted
in tenths or hundredths, and nothing is a float.
"""

import csv
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal, InvalidOperation
from math import isqrt
from pathlib import Path
from typing import Any, NamedTuple

from backend.errors import ConfigurationError
from backend.planner.orienteering.problem import Node, Orienteering, Tour, Window, evaluate
from backend.planner.orienteering.solver import Budget, solve

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


_NAME = re.compile(r"[a-z]{1,2}\d{2,3}", re.IGNORECASE)
_WARM_UP_SECONDS = 0.05


class Task(NamedTuple):
    """An instance with its number of tours and what is known of it."""

    instance: Instance
    tours: int
    best: int | None


class Result(NamedTuple):
    """What was reached in how many seconds; `gap` in percent of the best known value."""

    instance: str
    m: int
    seconds: float
    value: int
    best: int | None
    gap: float | None

    def as_json(self) -> dict[str, Any]:
        """The result as an object; whole seconds as a whole number."""
        seconds = int(self.seconds) if self.seconds == int(self.seconds) else self.seconds
        return {**self._asdict(), "seconds": seconds}


def list_tasks(folder: Path, best_file: Path | None) -> list[Task]:
    """Each instance of the folder with its rows of the best values, else once with one tour."""
    known = _read_best(folder / "best.csv" if best_file is None else best_file, best_file)
    paths = sorted(path for path in folder.glob("*.txt") if _NAME.fullmatch(path.stem))
    if not paths:
        raise ConfigurationError(f"{folder} holds no instances (c101.txt, pr01.txt, t101.txt, …)")
    return [
        Task(instance, tours, best)
        for instance in map(read_instance, paths)
        for tours, best in known.get(instance.name.lower(), [(1, None)])
    ]


def measure(tasks: Sequence[Task], seconds: Sequence[float]) -> Iterator[Result]:
    """Results in order: all tasks with the first number of seconds, then with the next."""
    if tasks:
        _solve(tasks[0].instance.state(1), _WARM_UP_SECONDS)
    for limit in seconds:
        for task in tasks:
            value = _solve(task.instance.state(task.tours), limit)
            gap = None if not task.best else round(100 * (task.best - value) / task.best, 3)
            yield Result(task.instance.name, task.tours, limit, value, task.best, gap)


def average(results: Sequence[Result], seconds: float) -> float | None:
    """The mean gap in percent over results with a best known value."""
    gaps = [r.gap for r in results if r.gap is not None and r.seconds == seconds]
    return sum(gaps) / len(gaps) if gaps else None


def _solve(problem: Orienteering, seconds: float) -> int:
    solved = solve(problem, Budget(rounds=None, seconds=seconds))
    return evaluate(problem, solved.visits).profit


def _read_best(path: Path, asked: Path | None) -> dict[str, list[tuple[int, int | None]]]:
    """Tours and best value by instance; without a file that nobody asked for, none."""
    if asked is None and not path.is_file():
        return {}
    known: dict[str, list[tuple[int, int | None]]] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            for number, row in enumerate(csv.DictReader(stream), 2):
                name, tours, best = _read_row(path, number, row)
                known.setdefault(name, []).append((tours, best))
    except OSError as error:
        raise ConfigurationError(f"cannot read {path}: {error.strerror}") from None
    return known


def _read_row(path: Path, number: int, row: dict[str, str]) -> tuple[str, int, int]:
    try:
        name, tours, best = row["instance"].strip(), int(row["m"]), int(row["best"])
    except (KeyError, TypeError, ValueError, AttributeError):
        raise ConfigurationError(f"{path.name}, line {number}: expected instance,m,best") from None
    if tours < 1 or best < 1:
        raise ConfigurationError(f"{path.name}, line {number}: m and best begin at 1")
    return name.lower(), tours, best

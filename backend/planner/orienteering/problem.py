"""The data of an orienteering problem with time windows: which nodes to visit, on which tour, when.

Times are whole numbers of any unit. Nothing here refers to trips, so other problems can be
stated too. `evaluate` checks an answer, and shares no code with the solver.

A tour as arrays: one row for each way to visit a node on it, impossible ones left out beforehand.

Searching in Python is affordable only where numpy handles hundreds of partial tours at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from backend.errors import WaypoolError
from backend.money import add_up


class Window(NamedTuple):
    """First and last moments at which a visit may begin."""

    opens: int
    closes: int


@dataclass(frozen=True)
class Node:
    """A place. `windows[d]` are its windows on tour d by opening; empty: not on that tour.

    Of the nodes of one `group` at most one is visited. A required node goes before any profit.
    `load` counts against the capacity of a tour.
    """

    profit: int
    service: int
    windows: tuple[tuple[Window, ...], ...]
    is_required: bool = False
    group: int | None = None
    load: int = 0


@dataclass(frozen=True)
class Tour:
    """Leaves position `start` from `opens` on and is at position `end` by `closes`.

    `capacity` is the most that the loads of its nodes may add up to; None: anything.
    """

    start: int
    end: int
    opens: int
    closes: int
    capacity: int | None = None


@dataclass(frozen=True)
class Orienteering:
    """Node k stands at position k of `travel`; ends of tours may be further positions."""

    nodes: tuple[Node, ...]
    tours: tuple[Tour, ...]
    travel: tuple[tuple[int, ...], ...]

    def find_group(self, node: int) -> int:
        """A number that nodes share if they exclude each other."""
        group = self.nodes[node].group
        return node if group is None else len(self.nodes) + group


Visits = tuple[tuple[int, ...], ...]
"""Nodes in visiting order, by tour."""


@dataclass(frozen=True)
class Value:
    """What visits are worth: required nodes missing, one a group (fewer is better), then profit."""

    missing: tuple[int, ...]
    profit: int


class BrokenTourError(WaypoolError):
    """Visits that nobody could make."""

    code = "BROKEN_TOUR"


def evaluate(problem: Orienteering, visits: Visits) -> Value:
    """The value of visits; BrokenTourError says what is impossible about them."""
    if len(visits) != len(problem.tours):
        raise BrokenTourError(f"{len(visits)} tours instead of {len(problem.tours)}")
    chosen = [node for tour in visits for node in tour]
    _check_groups(problem, chosen)
    for number, tour in enumerate(visits):
        list_starts(problem, number, tour)
        _check_load(problem, number, tour)
    profit = sum(problem.nodes[node].profit for node in chosen)
    return Value(_find_missing(problem, set(chosen)), profit)


def list_starts(problem: Orienteering, number: int, tour: Sequence[int]) -> tuple[int, ...]:
    """When each visit of a tour begins, as early as can be; BrokenTourError if one cannot."""
    place, end = problem.tours[number], problem.tours[number].start
    now, starts = place.opens, []
    for k in tour:
        now += problem.travel[end][k]
        start = find_start(problem.nodes[k].windows[number], now)
        if start is None:
            raise BrokenTourError(f"tour {number}: node {k} cannot be begun at {now} or later")
        starts.append(start)
        now, end = start + problem.nodes[k].service, k
    now += problem.travel[end][place.end]
    if tour and now > place.closes:
        raise BrokenTourError(f"tour {number} ends at {now}, not by {place.closes}")
    return tuple(starts)


def find_start(windows: Sequence[Window], ready: int) -> int | None:
    """The first start at `ready` or later that a window allows."""
    return next((max(ready, w.opens) for w in windows if ready <= w.closes), None)


def _find_missing(problem: Orienteering, chosen: set[int]) -> tuple[int, ...]:
    """The first required node of each group of which no required one is visited."""
    required = [k for k, node in enumerate(problem.nodes) if node.is_required]
    there = {problem.find_group(k) for k in required if k in chosen}
    first: dict[int, int] = {}
    for k in required:
        first.setdefault(problem.find_group(k), k)
    return tuple(k for group, k in first.items() if group not in there)


def _check_load(problem: Orienteering, number: int, tour: Sequence[int]) -> None:
    load = sum(problem.nodes[k].load for k in tour)
    capacity = problem.tours[number].capacity
    if capacity is not None and load > capacity:
        raise BrokenTourError(f"tour {number} carries {load}, not up to {capacity}")


def _check_groups(problem: Orienteering, chosen: Sequence[int]) -> None:
    seen: set[int] = set()
    for node in chosen:
        if not 0 <= node < len(problem.nodes):
            raise BrokenTourError(f"there is no node {node}")
        group = problem.find_group(node)
        if group in seen:
            raise BrokenTourError(f"node {node} or one that excludes it is visited already")
        seen.add(group)


Ints = NDArray[np.signedinteger[Any]]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class Grid:
    """`rows` of one tour: node, first and last start; `leave[a, b]` is service at a and the way to b.

    Positions without a node (ends of tours) take no service. `weight` is a node's profit, with a
    bonus above all profits where it is required.
    """

    number: int
    tour: Tour
    node: Ints
    opens: Ints
    closes: Ints
    leave: Ints
    weight: Floats
    group: Ints
    load: Ints
    windows: tuple[tuple[Window, ...], ...]


def make_grids(problem: Orienteering) -> list[Grid]:
    """A grid for each tour."""
    services = np.zeros(len(problem.travel), dtype=np.int64)
    services[: len(problem.nodes)] = [node.service for node in problem.nodes]
    leave = _narrow(problem, services[:, None] + np.array(problem.travel, dtype=np.int64))
    weight = weigh(problem)
    return [_make_grid(problem, number, leave, weight) for number in range(len(problem.tours))]


def _narrow(problem: Orienteering, leave: Ints) -> Ints:
    """Half as wide numbers where they suffice: numpy then works nearly twice as fast."""
    latest = max(tour.closes for tour in problem.tours) + int(leave.max())
    return leave.astype(np.int32) if latest < 2**30 else leave


def weigh(problem: Orienteering) -> Floats:
    """Profit by node, required ones above all others together."""
    bonus = 1 + add_up(node.profit for node in problem.nodes)
    return np.array([n.profit + bonus * n.is_required for n in problem.nodes], dtype=np.float64)


def _make_grid(problem: Orienteering, number: int, leave: Ints, weight: Floats) -> Grid:
    tour = problem.tours[number]
    rows = []
    for k, node in enumerate(problem.nodes):
        first = tour.opens + int(leave[tour.start, k])
        last = tour.closes - int(leave[k, tour.end])
        for window in node.windows[number]:
            opens, closes = max(first, window.opens), min(last, window.closes)
            if opens <= closes and weight[k] > 0:
                rows.append((k, opens, closes))
    table = np.array(rows, dtype=leave.dtype).reshape(-1, 3)
    windows = tuple(node.windows[number] for node in problem.nodes)
    group = np.array([problem.find_group(k) for k in range(len(problem.nodes))], dtype=np.int64)
    load = np.array([node.load for node in problem.nodes], dtype=np.int64)
    return Grid(
        number, tour, table[:, 0], table[:, 1], table[:, 2], leave, weight, group, load, windows
    )


class Span(NamedTuple):
    """Earliest begins and latest begins of a tour's visits."""

    early: list[int]
    late: list[int]


def measure(grid: Grid, visits: Sequence[int]) -> Span:
    """Both, for visits that can be made."""
    early, now, at = [], grid.tour.opens, grid.tour.start
    for k in visits:
        start = find_start(grid.windows[k], now + int(grid.leave[at, k]))
        assert start is not None
        early.append(start)
        now, at = start, k
    late, bound, at = [], grid.tour.closes, grid.tour.end
    for k in reversed(visits):
        bound = _find_last(grid.windows[k], bound - int(grid.leave[k, at]))
        late.append(bound)
        at = k
    return Span(early, late[::-1])


def _find_last(windows: Sequence[Window], bound: int) -> int:
    """The last start up to `bound`; there is one. Windows may overlap."""
    return max(min(bound, w.closes) for w in windows if w.opens <= bound)


class Gap(NamedTuple):
    """A stretch to fill: from a start at position `after` to one at `before` by `latest`.

    `room` is the load that it may take; None: anything.
    """

    after: int
    ready: int
    before: int
    latest: int
    room: int | None


def cut(grid: Grid, visits: Sequence[int], first: int, last: int) -> Gap:
    """The gap that opens where `visits[first:last]` are taken out."""
    span = measure(grid, visits)
    after, ready = (
        (visits[first - 1], span.early[first - 1]) if first else (grid.tour.start, grid.tour.opens)
    )
    before, latest = (
        (visits[last], span.late[last]) if last < len(visits) else (grid.tour.end, grid.tour.closes)
    )
    room = grid.tour.capacity
    if room is not None:
        room -= int(grid.load[[*visits[:first], *visits[last:]]].sum())
    return Gap(after, ready, before, latest, room)


def find_classes(grids: Sequence[Grid]) -> list[tuple[int, ...]]:
    """Numbers of tours that differ in nothing, by class."""
    classes: dict[tuple[Tour, bytes], list[int]] = {}
    for grid in grids:
        rows = np.concatenate((grid.node, grid.opens, grid.closes)).tobytes()
        classes.setdefault((grid.tour, rows), []).append(grid.number)
    return [tuple(numbers) for numbers in classes.values()]

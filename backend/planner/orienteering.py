"""Orienteering with time windows as a value: which nodes to visit on which tour, and in what order.

Times are whole numbers of any unit. It knows nothing of trips, so anything that has clocks and
wishes can be stated in it; `evaluate` is the judge and shares no code with the solver.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from backend.errors import WaypoolError


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

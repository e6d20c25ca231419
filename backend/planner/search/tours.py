"""The trip's problem as orienteering, so that a solver can work on it that knows nothing of trips.

A room is a tour. A meal has no place of its own: a visit with the meal after it is a further node of
the same group, which takes longer, has its own windows, and earns what a lost meal would cost.
Money is not in it, nor the finer points of meals: the answer is a start for the search, no more.

A start order from the orienteering solver: where days are full it beats every greedy order.

Measured on recorded arrangements of the seed catalogue: with it the search leaves out a twentieth
less of what was wanted, in places a fifth; three times as many rounds without it bring a hundredth.

A time limit for searches that would take too long on a slow machine.

A search normally ends after a fixed number of steps, so that the same input gives the same result
on every machine. If the time limit ends it first, the result says so.
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import NamedTuple

from backend.planner.days.frame import NOWHERE, Stop, clip
from backend.planner.days.meals import MEAL_MIN, MEALS, SELF_CATERED_MIN, SHORT_MEAL_MIN, Meal
from backend.planner.orienteering.problem import Node, Orienteering, Tour, Visits, Window
from backend.planner.search.problem import Candidate, Problem, Room
from backend.planner.search.rating import Rater
from backend.planner.search.solution import Solution

MEAL_PROFIT = 150
"""Like all profits in minutes of travel."""

LEAST_MUST_PROFIT = 5_000
MUST_SHARE = 1 / 500
"""Of a must-see's weight, beside which the others would drown."""

Orders = tuple[tuple[int, ...], ...]
"""Candidate numbers by room, in visiting order."""


class Spot(NamedTuple):
    """A place of a room's city by its number among the city's ways; `at` None: nowhere, so near."""

    room: Room
    at: int | None
    is_visit: bool


class Row(NamedTuple):
    """A node with what it visits (None: a booking) and where."""

    node: Node
    candidate: int | None
    spot: Spot


@dataclass(frozen=True)
class TourProblem:
    """The orienteering problem, and the way back from its answer."""

    problem: Orienteering
    rows: tuple[Row, ...]

    def read_orders(self, visits: Visits) -> Orders:
        """The candidates of each room in visiting order."""
        numbers = ([self.rows[node].candidate for node in tour] for tour in visits)
        return tuple(tuple(c for c in tour if c is not None) for tour in numbers)


def state_tours(problem: Problem) -> TourProblem:
    """Candidates and bookings as nodes, rooms as tours, ways with their rest as travel."""
    rooms = problem.rooms
    rows = (*_list_visits(problem), *_list_bookings(rooms))
    spots = [row.spot for row in rows]
    spots += [Spot(room, room.frame.start, is_visit=False) for room in rooms]
    spots += [Spot(room, room.frame.end, is_visit=False) for room in rooms]
    starts = len(rows)
    tours = tuple(
        _make_tour(room, starts + number, starts + len(rooms) + number)
        for number, room in enumerate(rooms)
    )
    nodes = tuple(row.node for row in rows)
    return TourProblem(Orienteering(nodes, tours, _measure(spots)), rows)


def _make_tour(room: Room, start: int, end: int) -> Tour:
    return Tour(start, end, room.frame.part.ready, room.frame.latest_end, room.most_visits)


def _list_visits(problem: Problem) -> Iterator[Row]:
    """Each candidate by itself and with each meal, where it can be."""
    for number, candidate in enumerate(problem.candidates):
        stops = problem.stops[number]
        known = [(room, stop) for room, stop in zip(problem.rooms, stops, strict=True) if stop]
        if not known:
            continue
        way = min(room.frame.ways.minutes(room.frame.start, stop.node) for room, stop in known)
        room, stop = known[0]
        spot = Spot(room, stop.node, is_visit=True)
        for meal in (None, *MEALS):
            node = _make_node(problem, number, candidate, stop, meal, way)
            if any(node.windows):
                yield Row(node, number, spot)


def _make_node(
    problem: Problem, number: int, candidate: Candidate, stop: Stop, meal: Meal | None, way: int
) -> Node:
    """A visit, with a meal if there is one: eaten there, or right after it."""
    is_eaten = meal is not None and stop.is_food
    is_longer = meal is not None and not stop.is_food and stop.duration < SELF_CATERED_MIN
    bonus = 0 if meal is None else MEAL_PROFIT
    return Node(
        profit=max(1, _find_profit(candidate) - way + bonus),
        service=stop.duration + MEAL_MIN * is_longer,
        windows=tuple(
            () if there is None else _list_windows(room, there, meal)
            for room, there in zip(problem.rooms, problem.stops[number], strict=True)
        ),
        is_required=candidate.day is not None,
        group=number,
        load=0 if is_eaten else 1,
    )


def _find_profit(candidate: Candidate) -> int:
    """Not every must-see may fit: the best known ones shall, so none of them is required."""
    if not candidate.is_bound or candidate.day is not None:
        return min(candidate.weight, LEAST_MUST_PROFIT)
    return LEAST_MUST_PROFIT + round(candidate.weight * MUST_SHARE)


def _list_windows(room: Room, stop: Stop, meal: Meal | None) -> tuple[Window, ...]:
    if meal is None:
        return () if stop.is_meal else tuple(Window(*span) for span in stop.starts)
    if meal not in room.frame.meals:
        return ()
    first, last = _limit_starts(stop, meal)
    return tuple(Window(*span) for span in clip(stop.starts, first, last))


def _limit_starts(stop: Stop, meal: Meal) -> tuple[int, int]:
    """First and last start of a visit that goes with a meal."""
    if stop.is_food:
        return meal.opens, meal.closes - SHORT_MEAL_MIN
    if stop.duration >= SELF_CATERED_MIN:
        return meal.opens - stop.duration + 1, meal.closes - 1
    return meal.opens - stop.duration, meal.closes - MEAL_MIN - stop.duration


def _list_bookings(rooms: Sequence[Room]) -> Iterator[Row]:
    """A booking has one moment in one room; one without a position is where the day begins."""
    for number, room in enumerate(rooms):
        for stop in room.frame.fixed:
            at = room.frame.start if stop.node == NOWHERE else stop.node
            here = (Window(stop.at, stop.at),)
            node = Node(
                profit=1,
                service=stop.duration,
                windows=tuple(here if n == number else () for n in range(len(rooms))),
                is_required=True,
            )
            yield Row(node, None, Spot(room, at, is_visit=False))


def _measure(spots: Sequence[Spot]) -> tuple[tuple[int, ...], ...]:
    """Minutes from spot to spot; what stands at one place is measured once."""
    kinds = {(s.room.frame.part.city.id, s.at, s.is_visit): s for s in spots}
    numbers = {kind: n for n, kind in enumerate(kinds)}
    index = [numbers[s.room.frame.part.city.id, s.at, s.is_visit] for s in spots]
    lines = [tuple(_find_gap(a, b) for b in kinds.values()) for a in kinds.values()]
    rows = [tuple(line[n] for n in index) for line in lines]
    return tuple(rows[n] for n in index)


def _find_gap(a: Spot, b: Spot) -> int:
    """Spots of different cities are on no tour together."""
    if a is b or a.at is None or b.at is None or a.room.frame.ways is not b.room.frame.ways:
        return 0
    rest = a.room.frame.rest if a.is_visit and b.is_visit else 0
    return a.room.frame.ways.minutes(a.at, b.at) + rest


GUARD_SECONDS = 8.0
"""Many times as long as a search takes on a usual machine."""

_SECONDS: ContextVar[float] = ContextVar("guard_seconds", default=GUARD_SECONDS)


@contextmanager
def without_clock() -> Iterator[None]:
    """Switch the limit off inside: a replay on a slow machine must find what a fast one has found."""
    token = _SECONDS.set(math.inf)
    try:
        yield
    finally:
        _SECONDS.reset(token)


class Guard:
    """Asked between steps; `was_hit` once it has said yes."""

    def __init__(
        self, seconds: float | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Without `seconds` the usual ones, or none at all `without_clock`."""
        self._clock = clock
        self._end = clock() + (_SECONDS.get() if seconds is None else seconds)
        self.was_hit = False

    @property
    def left(self) -> float:
        """Seconds that are left."""
        return max(0.0, self._end - self._clock())

    def is_over(self) -> bool:
        """Whether the time is used up."""
        self.was_hit = self.was_hit or self._clock() >= self._end
        return self.was_hit


ROUNDS = 1


def start_from_tours(rater: Rater, guard: Guard) -> Solution:
    """The solver's orders as far as they are allowed; the rest goes where it fits, most wanted first.

    The solver is imported here: it costs a quarter of a second, and few processes arrange.
    """
    from backend.planner.orienteering.solver import Budget, solve  # noqa: PLC0415

    tours = state_tours(rater.problem)
    budget = Budget(rounds=ROUNDS, seconds=guard.left, fills_whole=False)
    solved = solve(tours.problem, budget)
    guard.was_hit = guard.was_hit or solved.deadline_hit
    return _adopt(rater, tours.read_orders(solved.visits))


def _adopt(rater: Rater, orders: Orders) -> Solution:
    solution = Solution(rater)
    for room, order in enumerate(orders):
        for candidate in order:
            solution.append(room, candidate)
    candidates = rater.problem.candidates
    solution.insert_all(sorted(solution.left, key=lambda c: (-candidates[c].weight, c)))
    return solution

"""Solves orienteering problems with PyVRP, as vehicle routing with prizes.

A node whose windows differ by tour becomes one optional client for each window in a client group,
each class of equal tours shifted into a span of time of its own. Prizes and penalties are set by
the travel times' mean: with PyVRP's own start penalties its search never leaves feasible ground,
and with its wide perturbations it starts anew again and again (mean gap on ten hard public
instances 3.0 % with the defaults, 0.8 % so).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyvrp
import pyvrp.search
from pyvrp import (
    Client,
    ClientGroup,
    Depot,
    IteratedLocalSearch,
    IteratedLocalSearchCallbacks,
    IteratedLocalSearchParams,
    Location,
    PenaltyManager,
    PenaltyParams,
    ProblemData,
    RandomNumberGenerator,
    VehicleType,
)
from pyvrp.search import (
    LocalSearch,
    NeighbourhoodParams,
    PerturbationManager,
    PerturbationParams,
    compute_neighbours,
)

from backend.planner.orienteering.problem import (
    Grid,
    Ints,
    Orienteering,
    Visits,
    find_classes,
    weigh,
)

MEAN_PRIZE = 8
"""The mean node's prize, in mean ways, where `prize` is 1."""

LATE_PENALTY = 100
"""Start value, for a unit of time too late; adapted every `PENALTY_PERIOD` iterations."""

LOAD_PENALTY = 100
"""The same for a unit of load too much."""

PENALTY_PERIOD = 50
MOST_PERTURBED = 12
NEIGHBOURS = 30
NEARLY = 0.97
HISTORY = 50
"""Late acceptance looks back so far: short, as runs are short."""


@dataclass(frozen=True)
class _Shift:
    """A class of equal tours, moved by `offset` into a span of time of its own."""

    grid: Grid
    numbers: tuple[int, ...]
    offset: int


class _Client(NamedTuple):
    """A way to visit a node: its start lies between `opens` and `closes`, shifted."""

    node: int
    opens: int
    closes: int


class Stop:
    """PyVRP's stopping criterion: the clock, or a number of iterations."""

    def __init__(self, is_over: Callable[[], bool], iterations: int | None) -> None:
        self._is_over = is_over
        self._left = iterations

    def __call__(self, best_cost: int) -> bool:
        """Asked before each iteration."""
        if self._left is not None:
            self._left -= 1
        return (self._left is not None and self._left < 0) or self._is_over()


class Router:
    """A problem in PyVRP's terms, built once for many searches."""

    def __init__(self, problem: Orienteering, grids: Sequence[Grid], prize: float = 1.0) -> None:
        self._problem = problem
        self._prize = prize
        self._dimensions = int(any(tour.capacity is not None for tour in problem.tours))
        self._shifts = _find_shifts(grids)
        self._clients = [client for shift in self._shifts for client in _list_clients(shift)]
        self._data = self._build()
        self._neighbours = compute_neighbours(
            self._data, NeighbourhoodParams(num_neighbours=NEIGHBOURS)
        )

    def search(self, seed: int, stop: Stop, see: Callable[[Visits], None]) -> Visits:
        """The best visits found by one search from a random start; `see` gets good ones it meets."""
        if not self._clients:
            return tuple(() for _ in self._problem.tours)
        rng = RandomNumberGenerator(seed=seed)
        method = self._make_method(rng)
        penalties = PenaltyManager(
            ([LOAD_PENALTY] * self._dimensions, LATE_PENALTY, LATE_PENALTY),
            PenaltyParams(solutions_between_updates=PENALTY_PERIOD),
        )
        start = method(
            pyvrp.Solution.make_random(self._data, rng),
            penalties.max_cost_evaluator(),
            exhaustive=True,
        )
        params = IteratedLocalSearchParams(
            history_length=HISTORY, callbacks=_Watch(self._read, see)
        )
        search = IteratedLocalSearch(self._data, penalties, method, start, params)
        found = search.run(stop, collect_stats=False)
        return self._read(found.best)

    def _make_method(self, rng: RandomNumberGenerator) -> LocalSearch:
        perturbation = PerturbationManager(PerturbationParams(1, MOST_PERTURBED))
        method = LocalSearch(self._data, rng, self._neighbours, perturbation)
        for operator in pyvrp.search.OPERATORS:
            if operator.supports(self._data):
                method.add_operator(operator(self._data))
        return method

    def _build(self) -> ProblemData:
        travel: Any = np.array(self._problem.travel, dtype=np.int64)  # pyvrp's stub is wrong
        prizes = _price(self._problem, travel, MEAN_PRIZE * self._prize)
        groups = self._find_groups()
        group_of = {at: number for number, members in enumerate(groups) for at in members}
        clients = [
            self._make_client(client, prizes[client.node], group_of.get(at))
            for at, client in enumerate(self._clients)
        ]
        return ProblemData(
            locations=[Location(0, 0) for _ in travel],
            clients=clients,
            depots=[Depot(place) for place in range(len(travel))],
            vehicle_types=[self._make_vehicles(shift) for shift in self._shifts],
            distance_matrices=[travel],
            duration_matrices=[travel],
            groups=[ClientGroup(members, required=False) for members in groups],
        )

    def _make_vehicles(self, shift: _Shift) -> VehicleType:
        tour = shift.grid.tour
        everything = sum(node.load for node in self._problem.nodes)
        capacity = everything if tour.capacity is None else tour.capacity
        return VehicleType(
            num_available=len(shift.numbers),
            capacity=[capacity] * self._dimensions,
            start_depot=tour.start,
            end_depot=tour.end,
            tw_early=tour.opens + shift.offset,
            tw_late=max(tour.opens, tour.closes) + shift.offset,
        )

    def _find_groups(self) -> list[list[int]]:
        """Clients of which one at most is visited, where there is more than one."""
        groups: dict[int, list[int]] = {}
        for at, client in enumerate(self._clients):
            groups.setdefault(self._problem.find_group(client.node), []).append(at)
        return [members for members in groups.values() if len(members) > 1]

    def _make_client(self, client: _Client, prize: int, group: int | None) -> Client:
        return Client(
            location=client.node,
            delivery=[self._problem.nodes[client.node].load] * self._dimensions,
            service_duration=self._problem.nodes[client.node].service,
            tw_early=client.opens,
            tw_late=client.closes,
            prize=prize,
            required=False,
            group=group,
        )

    def _read(self, solution: pyvrp.Solution) -> Visits:
        tours: list[tuple[int, ...]] = [() for _ in self._problem.tours]
        if not solution.is_feasible():
            return tuple(tours)
        unused = [list(shift.numbers) for shift in self._shifts]
        for route in solution.routes():
            number = unused[route.vehicle_type()].pop(0)
            tours[number] = tuple(self._clients[v.idx].node for v in route if v.is_client())
        return tuple(tours)


def _find_shifts(grids: Sequence[Grid]) -> list[_Shift]:
    """Tours that differ in nothing are one class; each class lies behind the one before it."""
    shifts, after = [], 0
    for numbers in find_classes(grids):
        tour = grids[numbers[0]].tour
        shifts.append(_Shift(grids[numbers[0]], numbers, after - tour.opens))
        after += max(tour.opens, tour.closes) - tour.opens + 1
    return shifts


def _list_clients(shift: _Shift) -> list[_Client]:
    grid = shift.grid
    rows = zip(grid.node, grid.opens, grid.closes, strict=True)
    return [_Client(int(k), int(o) + shift.offset, int(c) + shift.offset) for k, o, c in rows]


def _price(problem: Orienteering, travel: Ints, mean: float) -> list[int]:
    """Prizes in units of travel, so that no unit of profit or time changes the search."""
    profits = [node.profit for node in problem.nodes if node.profit > 0] or [1]
    ways = travel[travel > 0]
    scale = mean * (float(ways.mean()) if len(ways) else 1.0) / float(np.mean(profits))
    return [round(weight * max(scale, 1.0)) for weight in weigh(problem)]


class _Watch(IteratedLocalSearchCallbacks):
    """Hands on candidates that collect nearly as much as the best."""

    def __init__(
        self, read: Callable[[pyvrp.Solution], Visits], see: Callable[[Visits], None]
    ) -> None:
        self._read, self._see = read, see

    def on_iteration(
        self,
        current: pyvrp.Solution,
        candidate: pyvrp.Solution,
        best: pyvrp.Solution,
        cost_evaluator: pyvrp.CostEvaluator,
    ) -> None:
        """Called by PyVRP."""
        if candidate.prizes() >= NEARLY * best.prizes() and candidate.is_feasible():
            self._see(self._read(candidate))

"""Solves orienteering problems: searches by PyVRP from several starts, each refilled by beams.

Measured on public team orienteering instances: neither part alone comes near the two together.
Short tours are nearly solved by the beam over whole tours, which PyVRP misses in one of three;
long tours need PyVRP's many small moves first. With `Budget(rounds=…)` a result depends on the
problem alone and the clock only guards; with `Budget(seconds=…)` the clock rules.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from backend.money import add_up
from backend.planner.orienteering.chain_search import Effort, price_nodes
from backend.planner.orienteering.problem import Orienteering, Value, Visits, evaluate, make_grids
from backend.planner.orienteering.refill import Refiller, RoutePool
from backend.planner.orienteering.routing import Router, Stop

SHORT_TOUR = 16
"""Up to so many visits a tour is filled whole."""

WIDENING = 4
WIDTHS = (300, 1200, 4800)
"""Of the beam over whole tours; each takes about `WIDENING` times as long as the one before."""

TRUST = 1.2
"""Prices come from relaxed tours and are too low by about a fifth: found by trying."""

FIRST = Effort(width=200, buckets=40)
POLISH = Effort(width=100, buckets=40)
STRETCHES = (8, 12)
ITERATIONS = 400_000
LEAST_ITERATIONS, MOST_ITERATIONS = 100, 800
TINY_ITERATIONS = 20
"""PyVRP's iterations in a round: fewer where each costs more, within bounds; few for few nodes."""

PRIZES = (1.0, 1.0, 5.0)
"""By round: a search with low prizes finds tight tours but leaves out what is worth little."""

SHARE = 6
LONGEST_SEARCH = 0.35
"""By the clock a search takes a sixth of all time, and at most so many seconds."""


@dataclass(frozen=True)
class Budget:
    """Rounds by number (`seconds` is then a guard), or as many as the seconds allow (`rounds` None).

    `fills_whole`: short tours are also searched whole, which takes longer than a round.
    """

    rounds: int | None = 4
    seconds: float = 10.0
    fills_whole: bool = True


@dataclass(frozen=True)
class Solved:
    """Visits with their value; `deadline_hit`: the clock ended what should have gone on."""

    visits: Visits
    value: Value
    rounds: int
    deadline_hit: bool


def solve(
    problem: Orienteering,
    budget: Budget = Budget(),
    seed: int = 0,
    clock: Callable[[], float] = time.monotonic,
) -> Solved:
    """The best visits found; they are evaluated before they are returned."""
    if not (problem.tours and problem.nodes):
        empty: Visits = tuple(() for _ in problem.tours)
        return Solved(empty, evaluate(problem, empty), 0, deadline_hit=False)
    run = _Run(problem, budget, seed, clock)
    run.work()
    value = evaluate(problem, run.best)
    return Solved(run.best, value, run.rounds, budget.rounds is not None and run.was_late)


class _Run:
    """One attempt at a problem: the best visits so far and the time that is left."""

    def __init__(
        self, problem: Orienteering, budget: Budget, seed: int, clock: Callable[[], float]
    ) -> None:
        self.clock = clock
        self.deadline = clock() + budget.seconds
        self.budget, self.seed = budget, seed
        self.problem = problem
        self.grids = make_grids(problem)
        self.rng = np.random.default_rng(seed)
        self.refiller = Refiller(self.grids, self.rng, self.is_over)
        self.pool = RoutePool(self.grids)
        self.best: Visits = tuple(() for _ in problem.tours)
        self.weight = 0.0
        self.rounds = 0
        self.was_late = False
        self.goal = self._sum_reachable()

    def is_over(self) -> bool:
        """Whether the time is used up."""
        self.was_late = self.was_late or self.clock() >= self.deadline
        return self.was_late

    def work(self) -> None:
        """Fill, then search and refill round by round."""
        if not self.goal:
            return
        visits = self._keep(self.refiller.fill_all(FIRST))
        if self.budget.fills_whole and max(map(len, visits)) <= SHORT_TOUR:
            self._fill_whole()
        self._keep(self._polish(visits))
        routers: dict[float, Router] = {}
        while not self.is_done():
            prize = PRIZES[self.rounds % len(PRIZES)]
            if prize not in routers:
                routers[prize] = Router(self.problem, self.grids, prize)
            self._search(routers[prize])
            self.rounds += 1

    def is_done(self) -> bool:
        """Nothing left to win, or no budget."""
        if self.weight >= self.goal or self.rounds == self.budget.rounds:
            return True
        return self.is_over()

    def _sum_reachable(self) -> float:
        """What all nodes together weigh that stand on any tour, one of each group."""
        heaviest: dict[int, float] = {}
        for grid in self.grids:
            for node in grid.node:
                group = int(grid.group[node])
                heaviest[group] = max(heaviest.get(group, 0.0), float(grid.weight[node]))
        return add_up(heaviest.values())

    def _keep(self, visits: Visits) -> Visits:
        self.pool.add(visits)
        weight = self.refiller.weigh(visits)
        if weight > self.weight:
            self.best, self.weight = visits, weight
        return visits

    def _fill_whole(self) -> None:
        """Whole tours at once, led by prices; ever wider for a single tour."""
        prices = price_nodes(self.grids)
        value = self.grids[0].weight - TRUST * prices
        for width in WIDTHS[: None if len(self.grids) == 1 else 1]:
            begun = self.clock()
            visits = self._keep(self.refiller.fill_all(Effort(width, 100), value))
            self._keep(self._polish(visits))
            if self.is_done() or self._is_too_long(WIDENING * (self.clock() - begun)):
                return

    def _is_too_long(self, seconds: float) -> bool:
        """Whether the clock rules and leaves less than that."""
        return self.budget.rounds is None and self.clock() + seconds > self.deadline

    def _search(self, router: Router) -> None:
        seed = self.seed * 1000 + self.rounds
        stop = Stop(self._end_search(), self._count_iterations())
        visits = self._keep(router.search(seed, stop, self._see))
        self._keep(self._polish(visits))
        if len(self.grids) > 1:
            self._keep(self._polish(self.pool.pack(self.best)))

    def _see(self, visits: Visits) -> None:
        if len(self.grids) > 1:
            self.pool.add(visits)

    def _end_search(self) -> Callable[[], bool]:
        if self.budget.rounds is not None:
            return self.is_over
        end = min(self.deadline, self.clock() + min(self.budget.seconds / SHARE, LONGEST_SEARCH))
        return lambda: self.clock() >= end

    def _count_iterations(self) -> int | None:
        if self.budget.rounds is None:
            return None
        rows = sum(len(grid.node) for grid in self.grids)
        fitting = ITERATIONS // (1 + rows * sum(map(len, self.best)))
        return min(MOST_ITERATIONS, TINY_ITERATIONS * rows, max(LEAST_ITERATIONS, fitting))

    def _polish(self, visits: Visits) -> Visits:
        for length in STRETCHES:
            visits = self.refiller.polish(visits, length, POLISH)
        return visits

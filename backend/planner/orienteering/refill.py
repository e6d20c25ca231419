"""Takes a stretch out of a tour and fills it again with the best chain, all along, until none is better.

A large neighbourhood that a beam searches in milliseconds: on the public instances it lifts what
PyVRP finds by a percent or more in a tenth of the time. Of equal chains the one that ends earlier
stays, so that room gathers for one visit more.

Collects good tours from all searches and picks the ones that go together best: set packing.

Recombining tours is what no single search does; after Hu and Lim (2014) for team orienteering. Few
tours out of some hundred columns need no solver library: with columns in order of weight and sets
as bits of a whole number, a depth-first search bounded by the best known visits takes milliseconds.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from backend.money import add_up
from backend.planner.orienteering.chain_search import Effort, fill, select
from backend.planner.orienteering.problem import (
    Flags,
    Floats,
    Gap,
    Grid,
    Ints,
    Visits,
    cut,
    find_classes,
)

Stop = Callable[[], bool]


class Refiller:
    """Tours under improvement; `is_over` ends it between two fills."""

    def __init__(self, grids: Sequence[Grid], rng: np.random.Generator, is_over: Stop) -> None:
        self.grids = grids
        self.rng = rng
        self.is_over = is_over
        self._vain: dict[tuple[object, ...], list[int]] = {}

    def weigh(self, visits: Visits) -> float:
        """The weight of all visits."""
        return add_up(float(self.grids[0].weight[list(tour)].sum()) for tour in visits)

    def fill_all(self, effort: Effort, value: Floats | None = None) -> Visits:
        """Fill empty tours one after the other."""
        tours: list[tuple[int, ...]] = [() for _ in self.grids]
        for number, grid in enumerate(self.grids):
            gap = cut(grid, (), 0, 0)
            tours[number] = fill(
                grid, gap, select(grid, gap, self.find_free(tours)), effort, value
            ).visits
        return tuple(tours)

    def polish(
        self, visits: Visits, length: int, effort: Effort, value: Floats | None = None
    ) -> Visits:
        """Refill stretches of `length` visits, half overlapping, while one gains weight."""
        tours, is_better = list(visits), True
        while is_better:
            is_better = False
            for number, first in self._list_stretches(tours, length):
                if self.is_over():
                    return tuple(tours)
                is_better |= self._try(tours, number, (first, first + length), effort, value)
        return tuple(tours)

    def _list_stretches(self, tours: Sequence[Sequence[int]], length: int) -> list[tuple[int, int]]:
        half = max(1, length // 2)
        stretches = [
            (number, first)
            for number, tour in enumerate(tours)
            for first in range(0, max(1, len(tour) - half), half)
        ]
        self.rng.shuffle(stretches)
        return stretches

    def _try(
        self,
        tours: list[tuple[int, ...]],
        number: int,
        stretch: tuple[int, int],
        effort: Effort,
        value: Floats | None,
    ) -> bool:
        """Refill one stretch; whether that gained weight."""
        grid, tour = self.grids[number], tours[number]
        first, last = min(stretch[0], len(tour)), min(stretch[1], len(tour))
        gap, old = cut(grid, tour, first, last), tour[first:last]
        rows = select(grid, gap, self.find_free(tours, old))
        if self._is_vain((number, gap, old, effort, value is None), rows.node):
            return False
        chain = fill(grid, gap, rows, effort, value)
        weight = float(grid.weight[list(old)].sum())
        if (chain.weight, -chain.ends) <= (weight, -_end(grid, gap, old)):
            return False
        tours[number] = tour[:first] + chain.visits + tour[last:]
        return chain.weight > weight

    def _is_vain(self, stretch: tuple[object, ...], nodes: Ints) -> bool:
        """Whether the stretch was tried with these nodes and perhaps more; else that is noted."""
        flags = np.zeros(len(self.grids[0].weight), dtype=bool)
        flags[nodes] = True
        mask = int.from_bytes(np.packbits(flags).tobytes(), "big")
        tried = self._vain.setdefault(stretch, [])
        if any(mask & ~more == 0 for more in tried):
            return True
        tried.append(mask)
        return False

    def find_free(self, tours: Sequence[Sequence[int]], taken_out: Sequence[int] = ()) -> Flags:
        """Nodes that no visit excludes, those of `taken_out` among them."""
        group = self.grids[0].group
        out = set(taken_out)
        used = [k for tour in tours for k in tour if k not in out]
        free: Flags = ~np.isin(group, group[used])
        return free


def _end(grid: Grid, gap: Gap, visits: Sequence[int]) -> int:
    """When the position behind the gap is reached over these visits."""
    now, at = gap.ready, gap.after
    for k in visits:
        now += int(grid.leave[at, k])
        now = next(max(now, w.opens) for w in grid.windows[k] if now <= w.closes)
        at = k
    return now + int(grid.leave[at, gap.before])


MOST_COLUMNS = 500
MOST_KEPT = 5_000
MOST_STEPS = 30_000


class Column(NamedTuple):
    """A tour of a class, and what its visits weigh."""

    class_: int
    tour: tuple[int, ...]
    weight: float


class RoutePool:
    """Tours by class and set of visits, of equal sets the first.

    The rank of a tour is the greatest weight of all visits with which it was found.
    """

    def __init__(self, grids: Sequence[Grid]) -> None:
        self._weight = [float(weight) for weight in grids[0].weight]
        self._group = [int(group) for group in grids[0].group]
        self._classes = find_classes(grids)
        self._class_of = {n: c for c, numbers in enumerate(self._classes) for n in numbers}
        self._columns: dict[tuple[int, frozenset[int]], Column] = {}
        self._ranks: dict[tuple[int, frozenset[int]], float] = {}

    def add(self, visits: Visits) -> None:
        """Remember the tours of visits; those of heavier visits rank higher."""
        rank = add_up(self._weight[node] for tour in visits for node in tour)
        for number, tour in enumerate(visits):
            key = (self._class_of[number], frozenset(tour))
            if not tour:
                continue
            if key not in self._columns:
                weight = add_up(self._weight[node] for node in tour)
                self._columns[key] = Column(key[0], tour, weight)
            self._ranks[key] = max(rank, self._ranks.get(key, 0.0))

    def pack(self, best: Visits) -> Visits:
        """The heaviest choice among the columns of highest rank, `best` if none is heavier."""
        known = add_up(self._weight[node] for tour in best for node in tour)
        packer = _Packer(self._choose(), self._group, [len(n) for n in self._classes], known)
        packer.descend(0, packer.every, 0.0, ())
        if not packer.found:
            return best
        tours: list[tuple[int, ...]] = [() for _ in best]
        unused = [list(numbers) for numbers in self._classes]
        for column in packer.found:
            tours[unused[column.class_].pop(0)] = column.tour
        return tuple(tours)

    def _choose(self) -> list[Column]:
        ranked = sorted(self._columns, key=lambda key: -self._ranks[key])
        for key in ranked[MOST_KEPT:]:
            del self._columns[key], self._ranks[key]
        del ranked[MOST_COLUMNS:]
        return sorted((self._columns[key] for key in ranked), key=lambda column: -column.weight)


class _Packer:
    """Columns by weight, heaviest first: bit k of a set stands for column k."""

    def __init__(
        self, columns: Sequence[Column], group: Sequence[int], counts: Sequence[int], known: float
    ) -> None:
        self.columns = columns
        self.levels = [class_ for class_, count in enumerate(counts) for _ in range(count)]
        self.every = (1 << len(columns)) - 1
        self.of_class = [0] * len(counts)
        for k, column in enumerate(columns):
            self.of_class[column.class_] |= 1 << k
        self.apart = self._find_apart(group)
        self.known = known
        self.found: tuple[Column, ...] = ()
        self.steps = 0

    def _find_apart(self, group: Sequence[int]) -> list[int]:
        """For each column those that share no group with it."""
        users: dict[int, int] = {}
        sets = [{group[node] for node in column.tour} for column in self.columns]
        for k, groups in enumerate(sets):
            for one in groups:
                users[one] = users.get(one, 0) | 1 << k
        apart = []
        for groups in sets:
            rivals = 0
            for one in groups:
                rivals |= users[one]
            apart.append(self.every & ~rivals)
        return apart

    def descend(self, level: int, open_: int, weight: float, chosen: tuple[Column, ...]) -> None:
        """Choose a column for this level and the next ones, or none; `open_` may still be chosen."""
        if weight > self.known:
            self.known, self.found = weight, chosen
        if level == len(self.levels) or self.steps > MOST_STEPS:
            return
        mine = open_ & self.of_class[self.levels[level]]
        if not mine:
            self.descend(level + 1, open_, weight, chosen)
        rest = add_up(self._first_weight(open_, class_) for class_ in self.levels[level + 1 :])
        while mine:
            k = (mine & -mine).bit_length() - 1
            if weight + self.columns[k].weight + rest <= self.known:
                return
            mine &= mine - 1
            self.steps += 1
            later = self.apart[k] & ~(self._same_before(level, k))
            self.descend(
                level + 1,
                open_ & later,
                weight + self.columns[k].weight,
                (*chosen, self.columns[k]),
            )
            if self.steps > MOST_STEPS:
                return

    def _same_before(self, level: int, k: int) -> int:
        """Of tours that differ in nothing the heavier is chosen first."""
        return self.of_class[self.levels[level]] & ((1 << k) - 1)

    def _first_weight(self, open_: int, class_: int) -> float:
        among = open_ & self.of_class[class_]
        return self.columns[(among & -among).bit_length() - 1].weight if among else 0.0

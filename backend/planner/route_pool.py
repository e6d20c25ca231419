"""Collects good tours from all searches and picks the ones that go together best: set packing.

Recombining tours is what no single search does; after Hu and Lim (2014) for team orienteering. Few
tours out of some hundred columns need no solver library: with columns in order of weight and sets
as bits of a whole number, a depth-first search bounded by the best known visits takes milliseconds.
"""

from collections.abc import Sequence
from typing import NamedTuple

from backend.planner.adding import add_up
from backend.planner.orienteering import Visits
from backend.planner.tour_grid import Grid, find_classes

MOST_COLUMNS = 500
MOST_KEPT = 5_000
MOST_STEPS = 30_000


class Column(NamedTuple):
    """A tour of a class, and what its visits weigh."""

    class_: int
    tour: tuple[int, ...]
    weight: float


class RoutePool:
    """Tours by class and set of visits, of equal sets the first; `rank` is the best company met."""

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

"""Fills a gap of a tour with the best chain of visits: a beam over partial chains, layer by layer.

A restricted form of the exact dynamic programme of Righini and Salani (2009): labels of one node
and one set of visits keep the earliest; the most promising `width` go on. They are ranked by what
they have plus a completion bound, which looks past visits that pay now and lead nowhere.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from backend.planner.completion_bound import Bound, Rows, bound_rows
from backend.planner.tour_grid import Flags, Floats, Gap, Grid, Ints

_KEYS = np.random.default_rng(20_090_413).integers(1, 2**62, 4096, dtype=np.int64)
_MIX = 1_000_003


class Chain(NamedTuple):
    """Visits in order, their weight, and when the position behind the gap can be begun."""

    weight: float
    ends: int
    visits: tuple[int, ...]


@dataclass(frozen=True)
class Effort:
    """`width` chains go on from layer to layer; `buckets` is the bound's resolution in time."""

    width: int
    buckets: int


@dataclass
class _Layer:
    """Labels of chains of one length, as parallel arrays."""

    parent: Ints
    row: Ints
    time: Ints
    weight: Floats
    guide: Floats
    visited: Flags
    key: Ints
    load: Ints


def select(grid: Grid, gap: Gap, free: Flags) -> Rows:
    """Ways to visit free nodes that can stand in the gap alone."""
    closes = np.minimum(grid.closes, gap.latest - grid.leave[grid.node, gap.before])
    opens = np.maximum(grid.opens, gap.ready + grid.leave[gap.after, grid.node])
    fits = (opens <= closes) & free[grid.node]
    if gap.room is not None:
        fits &= grid.load[grid.node] <= gap.room
    return Rows(grid.node[fits], opens[fits], closes[fits], gap.ready)


def fill(grid: Grid, gap: Gap, rows: Rows, effort: Effort, value: Floats | None = None) -> Chain:
    """The best chain of rows for the gap; `value` by node guides the search in place of weights."""
    empty = Chain(0.0, gap.ready + int(grid.leave[gap.after, gap.before]), ())
    if not len(rows.node):
        return empty
    search = _Search(grid, gap, rows, effort, grid.weight if value is None else value)
    return search.run(empty)


class _Search:
    def __init__(self, grid: Grid, gap: Gap, rows: Rows, effort: Effort, value: Floats) -> None:
        self.rows, self.width, self.room = rows, effort.width, gap.room
        self.load = grid.load[rows.node]
        self.leave = grid.leave[np.ix_(rows.node, rows.node)]
        self.weight, self.value = grid.weight[rows.node], value[rows.node]
        self.home = grid.leave[rows.node, gap.before]
        group = grid.group[rows.node]
        self.keys = _KEYS[group % len(_KEYS)]
        self.rivals: Flags = group[:, None] == group[None, :]
        self.bound: Bound = bound_rows(rows, self.leave, self.value, effort.buckets)
        self.layers: list[tuple[Ints, Ints]] = []

    def run(self, empty: Chain) -> Chain:
        """Layer after layer until nothing can be added."""
        best, place = (empty.weight, -empty.ends), (-1, -1)
        layer: _Layer | None = self._begin()
        while layer is not None:
            self.layers.append((layer.parent, layer.row))
            found, at = self._find_best(layer)
            if found > best:
                best, place = found, (len(self.layers) - 1, at)
            layer = self._extend(layer)
        return Chain(best[0], -best[1], self._trace(*place))

    def _begin(self) -> _Layer:
        count = len(self.rows.node)
        layer = _Layer(
            parent=np.zeros(count, dtype=np.int64),
            row=np.arange(count),
            time=self.rows.opens,
            weight=self.weight,
            guide=self.value,
            visited=self.rivals,
            key=self.keys,
            load=self.load,
        )
        return layer if count <= self.width else self._take(layer, self._rank(layer))

    def _rank(self, layer: _Layer) -> Ints:
        hope = layer.guide + self.bound.look_up(layer.row, layer.time)
        chosen: Ints = np.argpartition(-hope, self.width)[: self.width]
        return chosen

    def _take(self, layer: _Layer, chosen: Ints) -> _Layer:
        return _Layer(*(array[chosen] for array in vars(layer).values()))

    def _find_best(self, layer: _Layer) -> tuple[tuple[float, int], int]:
        """The heaviest chain, of these the one that ends first."""
        most = layer.weight.max()
        among = np.flatnonzero(layer.weight == most)
        ends = layer.time[among] + self.home[layer.row[among]]
        first = int(ends.argmin())
        return (float(most), -int(ends[first])), int(among[first])

    def _extend(self, layer: _Layer) -> _Layer | None:
        count = len(self.rows.node)
        arrive = np.maximum(layer.time[:, None] + self.leave[layer.row], self.rows.opens)
        fits = (arrive <= self.rows.closes) & ~layer.visited
        if self.room is not None:
            fits &= layer.load[:, None] + self.load <= self.room
        places = np.flatnonzero(fits.ravel())
        if not len(places):
            return None
        parent = places // count
        row = places - parent * count
        time = arrive.ravel()[places]
        guide = layer.guide[parent] + self.value[row]
        hope = guide + self.bound.look_up(row, time)
        chosen = self._choose(hope, layer.key[parent] ^ self.keys[row], row, time)
        parent, row = parent[chosen], row[chosen]
        return _Layer(
            parent=parent,
            row=row,
            time=time[chosen],
            weight=layer.weight[parent] + self.weight[row],
            guide=guide[chosen],
            visited=layer.visited[parent] | self.rivals[row],
            key=layer.key[parent] ^ self.keys[row],
            load=layer.load[parent] + self.load[row],
        )

    def _choose(self, hope: Floats, key: Ints, row: Ints, time: Ints) -> Ints:
        """The best `width`, the earliest alone of those with the same visits and the same last."""
        chosen: Ints = np.arange(len(hope))
        if len(hope) > 3 * self.width:
            chosen = np.argpartition(-hope, 3 * self.width)[: 3 * self.width]
        code = key[chosen] * _MIX + row[chosen]
        order = np.lexsort((time[chosen], code))
        code = code[order]
        is_first = np.concatenate(([True], code[1:] != code[:-1]))
        chosen = chosen[order[is_first]]
        if len(chosen) > self.width:
            chosen = chosen[np.argpartition(-hope[chosen], self.width)[: self.width]]
        return chosen

    def _trace(self, layer: int, at: int) -> tuple[int, ...]:
        visits = []
        while layer >= 0:
            parent, row = self.layers[layer]
            visits.append(int(self.rows.node[row[at]]))
            at, layer = int(parent[at]), layer - 1
        return tuple(reversed(visits))

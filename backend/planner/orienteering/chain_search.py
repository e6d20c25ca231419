"""Fills a gap of a tour with the best chain of visits: a beam over partial chains, layer by layer.

A restricted form of the exact dynamic programme of Righini and Salani (2009): labels of one node
and one set of visits keep the earliest; the most promising `width` go on. They are ranked by what
they have plus a completion bound, which looks past visits that pay now and lead nowhere.

An upper bound of the weight that can still be collected from a node at a given time.

It is computed as if nodes could be visited again, with times grouped into buckets.

State-space relaxation after Christofides, Mingozzi and Toth (1981). Prices on nodes, found by
subgradients, take away most of what repeated visits promise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from backend.planner.orienteering.problem import Flags, Floats, Gap, Grid, Ints, find_classes

PRICE_ROUNDS = 15
PRICE_BUCKETS = 40
_PATIENCE = 3
_SHRINK = 0.6
_MOST_AT_ONCE = 4


class Rows(NamedTuple):
    """Ways to visit nodes: node, first and last start; `ready` is when time begins."""

    node: Ints
    opens: Ints
    closes: Ints
    ready: int


@dataclass(frozen=True)
class Bound:
    """`table[row, bucket]`: what follows a visit that begins in the bucket, itself not counted."""

    table: Floats
    ready: int
    width: int

    def look_up(self, row: Ints, time: Ints) -> Floats:
        """What follows visits of these rows that begin at these times."""
        found: Floats = self.table.ravel()[
            row * self.table.shape[1] + (time - self.ready) // self.width
        ]
        return found


def bound_rows(rows: Rows, leave: Ints, value: Floats, buckets: int) -> Bound:
    """The table, from the last bucket to the first; a step takes at least a bucket.

    `leave` is service and way from row to row.
    """
    count = len(rows.node)
    width = (int(rows.closes.max()) - rows.ready) // buckets + 1
    bound = Bound(np.zeros((count, buckets + 1)), rows.ready, width)
    flat, offset = bound.table.ravel(), np.arange(count) * (buckets + 1)
    every = np.arange(count)
    block = _measure_step(leave, width)
    for high in range(buckets, 0, -block):
        bucket = np.arange(max(0, high - block), high, dtype=leave.dtype)[:, None, None]
        time = rows.ready + bucket * width
        live = np.flatnonzero((rows.closes >= time[0]) & (rows.opens < time[-1] + width))
        arrive = np.maximum(time + leave[live], rows.opens)
        later = np.minimum(np.maximum((arrive - rows.ready) // width, bucket + 1), buckets)
        gain = np.where(arrive <= rows.closes, value + flat[offset + later], 0.0)
        gain[:, every[: len(live)], live] = 0.0
        if len(live):
            bound.table[live, bucket[0, 0, 0] : high] = gain.max(2).T
    return bound


def _measure_step(leave: Ints, width: int) -> int:
    """Buckets that every step passes, at least one: so many are worked out at once."""
    steps = leave[~np.eye(len(leave), dtype=bool)]
    return max(1, min(_MOST_AT_ONCE, int(steps.min()) // width)) if len(steps) else 1


def price_nodes(grids: Sequence[Grid]) -> Floats:
    """A price for each node: about what the best other use of a visit's time brings."""
    weight = grids[0].weight
    prices, best = np.zeros(len(weight)), (np.inf, np.zeros(len(weight)))
    step, stall = 1.0, 0
    for _ in range(PRICE_ROUNDS):
        total, visits = _relax(grids, weight - prices)
        total += float(prices.sum())
        stall = 0 if total < best[0] else stall + 1
        best = min(best, (total, prices), key=lambda known: known[0])
        if stall == _PATIENCE:
            step, stall = step * _SHRINK, 0
        slope = visits - 1.0
        slope[(prices <= 0) & (slope < 0)] = 0.0
        norm = float(slope @ slope)
        if norm == 0.0:
            break
        prices = np.maximum(0.0, prices + step * 0.1 * total / norm * slope)
    return best[1]


def _relax(grids: Sequence[Grid], value: Floats) -> tuple[float, Floats]:
    """The best walks of all tours with visits repeated at will: their value, visits by node."""
    total, visits = 0.0, np.zeros(len(value))
    for numbers in find_classes(grids):
        grid = grids[numbers[0]]
        if len(grid.node):
            won, walk = _walk(grid, value)
            total += won * len(numbers)
            visits += np.bincount(walk, minlength=len(value)) * len(numbers)
    return total, visits


def _walk(grid: Grid, value: Floats) -> tuple[float, Ints]:
    """The walk that the bound of one tour promises, along the very buckets it was made of."""
    rows = Rows(grid.node, grid.opens, grid.closes, grid.tour.opens)
    leave = grid.leave[np.ix_(grid.node, grid.node)]
    gain = value[grid.node]
    bound = bound_rows(rows, leave, gain, PRICE_BUCKETS)
    every = np.arange(len(rows.node))
    promise = gain + bound.look_up(every, rows.opens)
    at = int(promise.argmax())
    won, walk = float(promise[at]), [at]
    if won <= 0.0:
        return 0.0, np.zeros(0, dtype=np.int64)
    bucket = (int(rows.opens[at]) - rows.ready) // bound.width
    while bound.table[at, bucket] > 1e-9:
        arrive = np.maximum(rows.ready + bucket * bound.width + leave[at], rows.opens)
        later = np.clip((arrive - rows.ready) // bound.width, bucket + 1, PRICE_BUCKETS)
        promise = np.where(
            (arrive <= rows.closes) & (every != at), gain + bound.table[every, later], -np.inf
        )
        at = int(promise.argmax())
        bucket = int(later[at])
        walk.append(at)
    return won, rows.node[walk]


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

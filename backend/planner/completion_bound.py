"""An upper bound of the weight that can still be collected from a node at a given time.

It is computed as if nodes could be visited again, with times grouped into buckets.

State-space relaxation after Christofides, Mingozzi and Toth (1981). Prices on nodes, found by
subgradients, take away most of what repeated visits promise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from backend.planner.tour_grid import Floats, Grid, Ints, find_classes

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

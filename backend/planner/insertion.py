"""Finds where a stop can be put into a route without breaking anything, by a few sums a position.

A full schedule takes about a hundred times as long, so it is made only for positions that pass here.
"""

from collections.abc import Iterator
from typing import NamedTuple

from backend.planner.frame import Frame
from backend.planner.route import Route
from backend.planner.stops import Stop


class Insertion(NamedTuple):
    """A position among the visits of an order, and the minutes of travel that it adds."""

    detour: int
    position: int


def list_insertions(frame: Frame, route: Route, stop: Stop) -> Iterator[Insertion]:
    """All positions that keep every stop within its allowed starts, meals aside."""
    node, ready, is_visit, index = frame.start, frame.part.ready, False, 0
    last_start = stop.starts[-1][1]
    for number in range(len(route.stops) + 1):
        gap = frame.gap(node, stop, is_after_visit=is_visit)
        if ready + gap > last_start:
            return
        start = stop.start_from(ready + gap)
        onward = _reach_next(frame, route, number, stop, start + stop.duration)
        if onward is not None and stop.is_allowed(start):
            yield Insertion(gap + onward - route.gaps[number], index)
        if number < len(route.stops):
            following = route.stops[number]
            is_visit = following.fixed < 0
            index += is_visit
            node = route.nodes[number]
            ready = max(ready, route.starts[number] + following.duration)


def _reach_next(frame: Frame, route: Route, number: int, stop: Stop, leave: int) -> int | None:
    """Minutes from `stop` to what follows, None where that would be too late."""
    if number == len(route.stops):
        gap = frame.way_home(stop.node)
        return gap if leave + gap <= route.latest[number] else None
    following = route.stops[number]
    gap = frame.gap(stop.node, following, is_after_visit=True)
    start = following.start_from(leave + gap)
    return gap if leave + gap <= start <= route.latest[number] else None

"""The order of a part's stops and how late each may begin: visits as given, bookings merged in."""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.planner.frame import Frame
from backend.planner.meals import Meal, find_served
from backend.planner.stops import NOWHERE, Stop


@dataclass(frozen=True)
class Route:
    """Stops in the order in which they are reached, without meals yet.

    `gaps[k]` are the minutes needed before stop k, `starts` the earliest starts, `latest` the
    latest ones that break nothing more than is broken anyway; the last entry of `gaps` and
    `latest` is the end of the part.
    """

    stops: tuple[Stop, ...]
    nodes: tuple[int, ...]
    gaps: tuple[int, ...]
    starts: tuple[int, ...]
    latest: tuple[int, ...]

    def find_claims(self, meals: Sequence[Meal]) -> dict[str, int]:
        """Which stop will be which meal, as far as one can tell before meals are placed."""
        claims: dict[str, int] = {}
        for number, stop in enumerate(self.stops):
            if stop.is_food and (meal := find_served(self.starts[number], meals)):
                claims.setdefault(meal.name, number)
        return claims


def find_route(frame: Frame, visits: Sequence[Stop]) -> Route:
    """Merge the bookings into the visits: a visit that would make a booking late comes after it."""
    stops = _merge(frame, visits)
    gaps, nodes = _measure_gaps(frame, stops)
    starts = []
    ready = frame.part.ready
    for stop, gap in zip(stops, gaps, strict=False):
        starts.append(stop.start_from(ready + gap))
        ready = max(ready, starts[-1] + stop.duration)
    latest = _find_latest(frame, stops, gaps, starts)
    return Route(tuple(stops), tuple(nodes), tuple(gaps), tuple(starts), tuple(latest))


def _merge(frame: Frame, visits: Sequence[Stop]) -> list[Stop]:
    if not frame.fixed:
        return list(visits)
    waiting = list(frame.fixed)
    stops: list[Stop] = []
    node, ready, is_visit = frame.start, frame.part.ready, False
    for visit in visits:
        while True:
            start = visit.start_from(ready + frame.gap(node, visit, is_after_visit=is_visit))
            leave = start + visit.duration
            if _reaches(frame, visit.node, leave, waiting):
                break
            booking = waiting.pop(0)
            stops.append(booking)
            node = node if booking.node == NOWHERE else booking.node
            ready, is_visit = max(ready, booking.at + booking.duration), False
        stops.append(visit)
        node, ready, is_visit = visit.node, leave, True
    return stops + waiting


def _reaches(frame: Frame, node: int, leave: int, waiting: Sequence[Stop]) -> bool:
    """Whether the next booking is reached, and through those without a position the one behind."""
    for number, booking in enumerate(waiting):
        is_next = number == 0 or booking.node != NOWHERE
        if is_next and leave + frame.gap(node, booking, is_after_visit=False) > booking.at:
            return False
        if booking.node != NOWHERE:
            return True
        leave = max(leave, booking.at + booking.duration)
    return True


def _measure_gaps(frame: Frame, stops: Sequence[Stop]) -> tuple[list[int], list[int]]:
    """Minutes before each stop and before the end; the node of each stop, known or not."""
    gaps: list[int] = []
    nodes: list[int] = []
    node, is_visit = frame.start, False
    for stop in stops:
        gaps.append(frame.gap(node, stop, is_after_visit=is_visit))
        node = node if stop.node == NOWHERE else stop.node
        nodes.append(node)
        is_visit = stop.fixed < 0
    gaps.append(frame.way_home(node))
    return gaps, nodes


def _find_latest(
    frame: Frame, stops: Sequence[Stop], gaps: Sequence[int], starts: Sequence[int]
) -> list[int]:
    latest = [frame.latest_end]
    for number in range(len(stops) - 1, -1, -1):
        stop = stops[number]
        bound = latest[-1] - gaps[number + 1] - stop.duration
        found = stop.latest_by(bound)
        latest.append(starts[number] if found is None else max(found, starts[number]))
    latest.reverse()
    return latest

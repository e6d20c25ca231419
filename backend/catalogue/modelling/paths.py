"""Finds the way of a service over the lines: the quickest one through its authored `via` stations."""

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import count, pairwise

from backend.catalogue.modelling.facts import (
    ModelFactsError,
    Network,
    Segment,
    Service,
    load_segments,
)

Leaving = dict[str, list[tuple[str, Segment]]]


@dataclass(frozen=True)
class Way:
    """The stretches that a service runs over, in order."""

    segments: tuple[Segment, ...]

    @property
    def km(self) -> int:
        """Length of the whole way."""
        return sum(segment.km for segment in self.segments)

    @property
    def line_speed(self) -> int:
        """The highest speed that any stretch allows."""
        return max(segment.speed for segment in self.segments)


@cache
def find_way(service: Service) -> Way:
    """The quickest way at line speed; `ModelFactsError` where the lines do not connect."""
    stops = (service.start, *service.via_stations, service.end)
    leaving = index_segments(service.network)
    legs = (find_quickest(leaving, start, end) for start, end in pairwise(stops))
    return Way(tuple(segment for leg in legs for segment in leg))


@cache
def index_segments(network: Network) -> Leaving:
    """Stretches by the station where they begin; each is listed from both ends."""
    leaving: Leaving = {}
    for segment in load_segments():
        if segment.network == network:
            leaving.setdefault(segment.start, []).append((segment.end, segment))
            leaving.setdefault(segment.end, []).append((segment.start, segment))
    return leaving


def find_quickest(leaving: Leaving, start: str, end: str) -> Iterable[Segment]:
    """Dijkstra by hours at line speed; ties go to the station name that sorts first."""
    order = count()
    heap: list[tuple[float, str, int, tuple[Segment, ...]]] = [(0.0, start, next(order), ())]
    done: set[str] = set()
    while heap:
        hours, here, _, so_far = heapq.heappop(heap)
        if here == end:
            return so_far
        if here in done:
            continue
        done.add(here)
        for there, segment in leaving.get(here, ()):
            if there not in done:
                arrived = hours + segment.km / segment.speed
                heapq.heappush(heap, (arrived, there, next(order), (*so_far, segment)))
    raise ModelFactsError(f"no way over the lines from {start} to {end}")

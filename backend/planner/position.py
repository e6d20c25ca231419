"""Finds the position of a new visit in a day: first by what breaks, then by its wish, then by the way."""

from collections.abc import Sequence
from itertools import pairwise

from backend.planner.frame import Frame
from backend.planner.schedule import PartPlan, schedule
from backend.planner.stops import Stop


def find_position(frame: Frame, stops: Sequence[Stop], stop: Stop) -> int:
    """The best index for `stop` among `stops`, whose order stays; ties go to the earliest."""
    ratings = [
        _rate(frame, schedule(frame, [*stops[:n], stop, *stops[n:]]), stop)
        for n in range(len(stops) + 1)
    ]
    return ratings.index(min(ratings))


def _rate(frame: Frame, plan: PartPlan, stop: Stop) -> tuple[int, int, int, int, int]:
    start = next(slot.start for slot in plan.slots if slot.stop is stop)
    late = start - stop.at if stop.at else 0
    return plan.faults, late, len(plan.missed), _measure_ways(frame, plan), plan.slots[-1].end


def _measure_ways(frame: Frame, plan: PartPlan) -> int:
    """Minutes under way in the whole part."""
    nodes = [frame.start, *plan.route.nodes]
    legs = sum(frame.ways.minutes(a, b) for a, b in pairwise(nodes))
    return legs + plan.route.gaps[-1]

"""Between two places there is time enough for the way."""

import datetime as dt
from collections.abc import Iterator
from itertools import pairwise

from backend.planner.check_context import CheckContext, Located
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import FixedItem, LegItem, Severity


def find(context: CheckContext) -> Iterator[Finding]:
    """Neighbours of a day in one city with less time between them than the way takes."""
    for day in range(1, len(context.itinerary.days) + 1):
        for before, after in pairwise(context.located(day)):
            if isinstance(after.row, LegItem) or before.end_city != after.start_city:
                continue
            needed = context.measure_way(before.end_city, before.end_at, after.start_at)
            have = (after.start - before.end) // dt.timedelta(minutes=1)
            if have < needed:
                values = {"name": after.name, "other": before.name}
                numbers = {"needed": needed, "have": max(0, have)}
                severity = _rate(before, after)
                yield Finding(day, after.item, {**values, **numbers}, severity, needed - have)


def _rate(before: Located, after: Located) -> Severity:
    """Two bookings of the traveller's own: nothing that planning could mend."""
    both = isinstance(before.row, FixedItem) and isinstance(after.row, FixedItem)
    return "warning" if both else "error"


TRAVEL_TIME = Constraint(
    "TRAVEL_TIME",
    "error",
    {
        "zh-CN": "从“{other}”到“{name}”需要 {needed} 分钟，只留了 {have} 分钟。",
        "en": "From “{other}” to “{name}” takes {needed} minutes; there are {have}.",
    },
    find,
)

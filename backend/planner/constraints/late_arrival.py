"""Warns of a train that arrives between midnight and 05:00: no hotel is planned for that night."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import LegItem
from backend.planner.trip import NIGHT_ENDS_MIN


def find(context: CheckContext) -> Iterator[Finding]:
    """Trains into a city of the trip that arrive between 00:00 and 04:59."""
    cities = set(context.snapshot.city_order)
    for day, number, item in context.items():
        if not isinstance(item, LegItem) or item.arrive is None or item.to_city not in cities:
            continue
        if item.arrive.hour * 60 + item.arrive.minute < NIGHT_ENDS_MIN:
            yield Finding(day, number, {"number": item.number, "at": f"{item.arrive:%H:%M}"})


LATE_ARRIVAL = Constraint(
    "LATE_ARRIVAL",
    "warning",
    {
        "zh-CN": "{number} 次凌晨 {at} 到达，当晚没有安排酒店。",
        "en": "{number} arrives at {at}, before dawn, and no hotel is planned for that night.",
    },
    find,
)

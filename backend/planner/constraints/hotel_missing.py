"""Every night that is not spent on a train has a hotel of the city it is spent in."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import StayItem


def find(context: CheckContext) -> Iterator[Finding]:
    """The first night of a city without a stay, where the pool has hotels."""
    for stay in context.trip.stays:
        if not context.snapshot.cities[stay.city.id].hotels:
            continue
        for day in context.trip.hotel_days(stay):
            items = context.itinerary.days[day - 1].items
            if not any(isinstance(item, StayItem) for item in items):
                yield Finding(day, None, {"city": context.name(stay.city), "day": day})
                break


HOTEL_MISSING = Constraint(
    "HOTEL_MISSING",
    "error",
    {
        "zh-CN": "{city}还没有选酒店（第 {day} 天起）。",
        "en": "No hotel is chosen in {city} (from day {day}).",
    },
    find,
    fix={"zh-CN": "请从候选酒店中选择。", "en": "Choose one of the candidates."},
)

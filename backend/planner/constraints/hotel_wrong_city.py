"""A night's hotel stands in the city where the night is spent, and only such nights have one."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import StayItem


def find(context: CheckContext) -> Iterator[Finding]:
    """Stays in a hotel of another city, or on a night that needs none."""
    city_of = {d: s.city.id for s in context.trip.stays for d in context.trip.hotel_days(s)}
    for day, number, item in context.items():
        if not isinstance(item, StayItem):
            continue
        hotel = context.snapshot.hotel(item.hotel_id)
        if hotel is not None and hotel.city != city_of.get(day):
            yield Finding(day, number, {"name": item.name, "day": day})


HOTEL_WRONG_CITY = Constraint(
    "HOTEL_WRONG_CITY",
    "error",
    {
        "zh-CN": "第 {day} 晚不在“{name}”所在的城市过夜。",
        "en": "The night of day {day} is not spent in the city of “{name}”.",
    },
    find,
    fix={"zh-CN": "请选择当晚所在城市的酒店。", "en": "Choose a hotel of the city of that night."},
)

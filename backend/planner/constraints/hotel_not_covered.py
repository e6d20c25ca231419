"""A city with nights but without any hotel in the pool: the traveller must find a bed."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding


def find(context: CheckContext) -> Iterator[Finding]:
    """Cities with nights and no candidates."""
    for stay in context.trip.stays:
        days = context.trip.hotel_days(stay)
        if days and not context.snapshot.cities[stay.city.id].hotels:
            yield Finding(days[0], None, {"city": context.name(stay.city), "nights": len(days)})


HOTEL_NOT_COVERED = Constraint(
    "HOTEL_NOT_COVERED",
    "warning",
    {
        "zh-CN": "{city}没有可选的酒店，{nights} 晚住宿请自行安排。",
        "en": "There is no hotel to choose in {city}: {nights} night(s) are left to the traveller.",
    },
    find,
)

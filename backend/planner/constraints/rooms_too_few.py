"""A stay has as many rooms as the party asked for, or one for two travellers."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import StayItem
from backend.pool.plan_request import count_rooms


def find(context: CheckContext) -> Iterator[Finding]:
    """Nights with fewer rooms."""
    request = context.snapshot.request
    wanted = request.rooms or count_rooms(request.travellers)
    for day, number, item in context.items():
        if isinstance(item, StayItem) and item.rooms < wanted:
            values = {"day": day, "name": item.name, "rooms": item.rooms, "wanted": wanted}
            yield Finding(day, number, values)


ROOMS_TOO_FEW = Constraint(
    "ROOMS_TOO_FEW",
    "error",
    {
        "zh-CN": "第 {day} 晚在“{name}”只有 {rooms} 间房，需要 {wanted} 间。",
        "en": "“{name}” has {rooms} room(s) in the night of day {day}; the party needs {wanted}.",
    },
    find,
)

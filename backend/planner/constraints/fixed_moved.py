"""Bookings stand in the plan at exactly their times."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import FixedItem


def find(context: CheckContext) -> Iterator[Finding]:
    """Bookings that are missing or have other times."""
    planned = {
        (day, item.title, item.start.replace(tzinfo=None), item.end.replace(tzinfo=None))
        for day, _, item in context.items()
        if isinstance(item, FixedItem)
    }
    for day, parts in context.trip.parts.items():
        for slot in (slot for part in parts for slot in part.fixed):
            booking = context.snapshot.request.fixed[slot.number]
            span = booking.start.replace(tzinfo=None), booking.end.replace(tzinfo=None)
            if (day, slot.title, *span) not in planned:
                yield Finding(day, None, {"title": slot.title, "start": f"{span[0]:%H:%M}"})


FIXED_MOVED = Constraint(
    "FIXED_MOVED",
    "error",
    {
        "zh-CN": "已预订的“{title}”必须在 {start}，不能移动。",
        "en": "The booking “{title}” is at {start} and cannot be moved.",
    },
    find,
    fix={"zh-CN": "请恢复原来的时间。", "en": "Put it back to its time."},
)

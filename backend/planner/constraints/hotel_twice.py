"""A night is spent in one hotel."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import StayItem


def find(context: CheckContext) -> Iterator[Finding]:
    """The second and later stays of a day."""
    first_of: dict[int, StayItem] = {}
    for day, number, item in context.items():
        if not isinstance(item, StayItem):
            continue
        first = first_of.setdefault(day, item)
        if first is not item:
            yield Finding(day, number, {"day": day, "name": item.name, "other": first.name})


HOTEL_TWICE = Constraint(
    "HOTEL_TWICE",
    "error",
    {
        "zh-CN": "第 {day} 晚除“{other}”外又安排了“{name}”。",
        "en": "The night of day {day} is in “{other}” already, and in “{name}” too.",
    },
    find,
    fix={"zh-CN": "只保留一家。", "en": "Keep one of them."},
)

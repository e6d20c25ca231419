"""Warns of an unknown price, since it counts 0 in the totals."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import DayItem, LegItem, MealItem, StayItem, VisitItem


def find(context: CheckContext) -> Iterator[Finding]:
    """Items without a price; of a hotel only its first night."""
    hotels: set[str] = set()
    for day, number, item in context.items():
        name = _read_name(item)
        if name is None or (isinstance(item, StayItem) and item.hotel_id in hotels):
            continue
        if isinstance(item, StayItem):
            hotels.add(item.hotel_id)
        yield Finding(day, number, {"name": name})


def _read_name(item: DayItem) -> str | None:
    """The name of an item that should have a price and has none."""
    if isinstance(item, LegItem):
        return item.number if item.mode == "train" and item.price is None else None
    if isinstance(item, MealItem) and item.poi_id is None:
        return None
    if isinstance(item, VisitItem | MealItem | StayItem) and item.price is None:
        return item.name
    return None


PRICE_UNKNOWN = Constraint(
    "PRICE_UNKNOWN",
    "warning",
    {
        "zh-CN": "“{name}”价格未知，未计入总价。",
        "en": "The price of “{name}” is unknown and not in the total.",
    },
    find,
)

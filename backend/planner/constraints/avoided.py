"""What the traveller wants to avoid is not in the plan, by id or by tag."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import StayItem


def find(context: CheckContext) -> Iterator[Finding]:
    """Places and hotels that `avoid` names."""
    avoid = set(context.snapshot.request.avoid)
    for visited in context.visits:
        hit = avoid & {visited.poi.id, *visited.poi.tags}
        if hit:
            values = {"name": context.name(visited.poi), "word": min(hit)}
            yield Finding(visited.day, visited.item, values)
    for day, number, item in context.items():
        hotel = context.snapshot.hotel(item.hotel_id) if isinstance(item, StayItem) else None
        if hotel is not None and (hit := avoid & {hotel.id, *hotel.tags}):
            yield Finding(day, number, {"name": context.name(hotel), "word": min(hit)})


AVOIDED = Constraint(
    "AVOIDED",
    "error",
    {
        "zh-CN": "“{name}”在要避开的范围内（{word}）。",
        "en": "“{name}” is among what is to be avoided ({word}).",
    },
    find,
    fix={"zh-CN": "请去掉。", "en": "Leave it out."},
)

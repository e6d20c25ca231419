"""Nothing is visited in a city before the traveller is there."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext, show_time
from backend.planner.constraint import Constraint, Finding
from backend.planner.trip import Part


def find(context: CheckContext) -> Iterator[Finding]:
    """Visits before the own arrival, or before that of a train which left on an earlier day.

    A train of the same day stands in the list: what begins before it arrives is an overlap.
    """
    for visited in context.visits:
        for part in context.trip.parts.get(visited.day, ()):
            is_here = part.city.id == visited.poi.city and not context.has_leg_into(part)
            if is_here and visited.arrive < part.free_from:
                values = _describe(context, part, visited.poi.id)
                early = part.free_from - visited.arrive
                yield Finding(visited.day, visited.item, values, amount=early)


def _describe(context: CheckContext, part: Part, poi_id: str) -> dict[str, object]:
    return {
        "name": context.name(context.snapshot.rows.pois[poi_id]),
        "place": part.start.name,
        "at": show_time(part.free_from),
    }


BEFORE_ARRIVAL = Constraint(
    "BEFORE_ARRIVAL",
    "error",
    {
        "zh-CN": "{name}安排在到达之前：{at} 才到{place}。",
        "en": "{name} is before the arrival: one is at {place} at {at}.",
    },
    find,
    fix={"zh-CN": "请放到到达之后。", "en": "Put it after the arrival."},
)

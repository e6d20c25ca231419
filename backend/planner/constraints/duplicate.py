"""No place is visited twice."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding


def find(context: CheckContext) -> Iterator[Finding]:
    """The second and later visits to a place."""
    first_day: dict[str, int] = {}
    for visited in context.visits:
        day = first_day.setdefault(visited.poi.id, visited.day)
        if (day, visited.item) != (visited.day, _first_item(context, visited.poi.id)):
            yield Finding(
                visited.day, visited.item, {"name": context.name(visited.poi), "day": day}
            )


def _first_item(context: CheckContext, poi_id: str) -> int:
    return next(visited.item for visited in context.visits if visited.poi.id == poi_id)


DUPLICATE = Constraint(
    "DUPLICATE",
    "error",
    {
        "zh-CN": "{name}已在第 {day} 天安排过。",
        "en": "{name} is in the plan on day {day} already.",
    },
    find,
    fix={"zh-CN": "只保留一次。", "en": "Keep one visit."},
)

"""Warns of a visit to a place whose opening hours are unknown; 09:00–17:00 is assumed for it."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding


def find(context: CheckContext) -> Iterator[Finding]:
    """Visits to places without opening hours in the catalogue."""
    for visited in context.visits:
        if not visited.poi.opening_hours:
            yield Finding(visited.day, visited.item, {"name": context.name(visited.poi)})


HOURS_UNKNOWN = Constraint(
    "HOURS_UNKNOWN",
    "warning",
    {
        "zh-CN": "{name}开放时间未知，按 09:00-17:00 安排，请先确认。",
        "en": "The opening hours of {name} are unknown; 09:00-17:00 is assumed, please check.",
    },
    find,
)

"""Warns of a visit that begins at another time than was wished."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext, show_time
from backend.planner.constraint import Constraint, Finding


def find(context: CheckContext) -> Iterator[Finding]:
    """Visits that begin at another time than their `at`."""
    wishes = {v.poi_id: v.at for visits in context.draft.visits.values() for v in visits}
    for visited in context.visits:
        at = wishes.get(visited.poi.id)
        if at is not None and visited.arrive != at:
            times = {"at": show_time(at), "arrive": show_time(visited.arrive)}
            yield Finding(visited.day, visited.item, {"name": context.name(visited.poi), **times})


WISH_MISSED = Constraint(
    "WISH_MISSED",
    "warning",
    {
        "zh-CN": "{name}希望 {at} 开始，实际安排在 {arrive}。",
        "en": "{name} was wished at {at}; it begins at {arrive}.",
    },
    find,
)

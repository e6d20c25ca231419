"""A place is entered no later than its last entry."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext, show_time
from backend.planner.constraint import Constraint, Finding


def find(context: CheckContext) -> Iterator[Finding]:
    """Visits that begin after the last entry of their date."""
    for visited in context.visits:
        last = context.hours_of(visited).last_entry
        if last is not None and visited.arrive > last:
            yield Finding(
                visited.day,
                visited.item,
                {
                    "name": context.name(visited.poi),
                    "last": show_time(last),
                    "arrive": show_time(visited.arrive),
                },
            )


LAST_ENTRY = Constraint(
    "LAST_ENTRY",
    "error",
    {
        "zh-CN": "{name}最晚 {last} 入场，安排的 {arrive} 太晚。",
        "en": "{name} lets nobody in after {last}; {arrive} is too late.",
    },
    find,
    fix={"zh-CN": "请提前到 {last} 之前。", "en": "Begin by {last}."},
)

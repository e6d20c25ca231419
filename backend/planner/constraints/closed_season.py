"""A place is not visited in the part of the year in which it is closed."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding


def find(context: CheckContext) -> Iterator[Finding]:
    """Visits on a date within `closed_season`."""
    for visited in context.visits:
        if not context.hours_of(visited).is_in_season:
            yield Finding(
                visited.day,
                visited.item,
                {
                    "name": context.name(visited.poi),
                    "date": visited.date.isoformat(),
                    "season": visited.poi.closed_season,
                },
            )


CLOSED_SEASON = Constraint(
    "CLOSED_SEASON",
    "error",
    {
        "zh-CN": "{name}在 {season}（月-日）期间关闭，{date} 不能参观。",
        "en": "{name} is closed from {season} (month-day), so not on {date}.",
    },
    find,
    fix={"zh-CN": "请去掉。", "en": "Leave it out."},
)

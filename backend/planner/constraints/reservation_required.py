"""Warns of a visit that needs a reservation, with the date by which to make it."""

import datetime as dt
from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding


def find(context: CheckContext) -> Iterator[Finding]:
    """Visits to places with `booking: required`."""
    for visited in context.visits:
        if visited.poi.booking == "required":
            by = visited.date - dt.timedelta(visited.poi.book_days_ahead)
            values = {"name": context.name(visited.poi), "by": by.isoformat()}
            yield Finding(visited.day, visited.item, values)


RESERVATION_REQUIRED = Constraint(
    "RESERVATION_REQUIRED",
    "warning",
    {
        "zh-CN": "{name}需要预约，请在 {by} 前完成。",
        "en": "{name} needs a reservation: make it by {by}.",
    },
    find,
)

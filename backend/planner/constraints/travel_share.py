"""Most of a day is spent at places, not on the way between them."""

import datetime as dt
from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import TransferItem

MOST_SHARE = 0.5
"""Of the time of visits and of ways inside cities; trains between cities do not count."""

WORTH_A_WORD = dt.timedelta(hours=2)
"""With less than this on the way in a day there is no warning."""


def find(context: CheckContext) -> Iterator[Finding]:
    """Days with more time on the way than at places."""
    for day, row in enumerate(context.itinerary.days, 1):
        spans = (item.arrive - item.depart for item in row.items if isinstance(item, TransferItem))
        ways = sum(spans, dt.timedelta())
        here = [v for v in context.visits if v.day == day]
        at_places = dt.timedelta(minutes=sum(v.leave - v.arrive for v in here))
        if here and ways >= WORTH_A_WORD and ways > MOST_SHARE * (ways + at_places):
            values = {"day": day, "ways": _show_hours(ways), "visits": _show_hours(at_places)}
            yield Finding(day, None, values)


def _show_hours(span: dt.timedelta) -> str:
    return f"{span / dt.timedelta(hours=1):.1f}"


TRAVEL_SHARE = Constraint(
    "TRAVEL_SHARE",
    "warning",
    {
        "zh-CN": "第 {day} 天路上 {ways} 小时，多于参观的 {visits} 小时。",
        "en": "Day {day} has {ways} hours of ways for {visits} hours of visits.",
    },
    find,
    fix={"zh-CN": "请选离得更近的地点。", "en": "Choose places that are nearer to each other."},
)

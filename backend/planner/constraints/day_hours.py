"""Visits lie between the traveller's `day_start` and `day_end`.

A way to the hotel that ends after `day_end` is only a warning.
"""

from collections.abc import Iterator

from backend.clock import parse_minutes
from backend.planner.check_context import CheckContext, show_time
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import LegItem, StayItem, TransferItem
from backend.planner.moves import count_minutes


def find(context: CheckContext) -> Iterator[Finding]:
    """Visits outside of the day, and ways to the hotel that end after it because of a visit."""
    request = context.snapshot.request
    first, last = parse_minutes(request.day_start), parse_minutes(request.day_end)
    limits = {"first": request.day_start, "last": request.day_end}
    for visited in context.visits:
        if visited.arrive < first or visited.leave > last:
            span = {"start": show_time(visited.arrive), "end": show_time(visited.leave)}
            values = {"name": context.name(visited.poi), **span, **limits}
            outside = max(first - visited.arrive, visited.leave - last)
            yield Finding(visited.day, visited.item, values, amount=outside)
    for day, number, way in _list_ways_home(context):
        date = context.itinerary.days[day - 1].date
        start, end = count_minutes(way.depart, date), count_minutes(way.arrive, date)
        if start < last < end:
            span = {"start": show_time(start), "end": show_time(end)}
            yield Finding(day, number, {"name": way.to, **span, **limits}, "warning")


def _list_ways_home(context: CheckContext) -> Iterator[tuple[int, int, TransferItem]]:
    """The last way of each day that ends in a hotel, except one that comes right after a train."""
    for day, row in enumerate(context.itinerary.days, 1):
        ways = [(n, item) for n, item in enumerate(row.items) if isinstance(item, TransferItem)]
        if not ways or not isinstance(row.items[-1], StayItem):
            continue
        number, way = ways[-1]
        if number == 0 or not isinstance(row.items[number - 1], LegItem):
            yield day, number, way


DAY_HOURS = Constraint(
    "DAY_HOURS",
    "error",
    {
        "zh-CN": "“{name}”（{start}-{end}）超出一天的时间 {first}-{last}。",
        "en": "“{name}” ({start}-{end}) is outside of the day, {first}-{last}.",
    },
    find,
    fix={"zh-CN": "请放到这段时间之内。", "en": "Move it into these hours."},
)

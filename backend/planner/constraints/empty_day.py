"""A whole day without any visit, although something could be visited."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.hours import read_hours
from backend.planner.trip import Part

WHOLE_DAY_MIN = 6 * 60
"""Less than this is a day of arrival or departure."""


def find(context: CheckContext) -> Iterator[Finding]:
    """Days in one city, free of bookings, with an open candidate that is not in the plan."""
    planned = {visited.poi.id for visited in context.visits}
    visited_days = {visited.day for visited in context.visits}
    for day, parts in context.trip.parts.items():
        is_whole = len(parts) == 1 and parts[0].until - parts[0].opens >= WHOLE_DAY_MIN
        if day in visited_days or not is_whole or parts[0].fixed:
            continue
        if _has_open_place(context, parts[0], planned):
            yield Finding(day, None, {"day": day})


def _has_open_place(context: CheckContext, part: Part, planned: set[str]) -> bool:
    for poi_id in context.snapshot.cities[part.city.id].pois:
        poi = context.snapshot.rows.pois[poi_id]
        hours = read_hours(context.snapshot, poi, part.date)
        if poi_id not in planned and hours.list_starts(poi.duration_min):
            return True
    return False


EMPTY_DAY = Constraint(
    "EMPTY_DAY",
    "warning",
    {"zh-CN": "第 {day} 天没有安排任何景点。", "en": "Day {day} has no visit at all."},
    find,
)

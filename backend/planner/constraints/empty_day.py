"""Warns of a whole day without a visit, and of every day in a city where nothing is visited."""

from collections.abc import Iterator, Mapping

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.hours import read_hours
from backend.planner.trip import Part
from backend.text import Locale

WHOLE_DAY_MIN = 6 * 60
"""A day with less usable time than this counts as a day of arrival or departure."""

WHY: Mapping[str, Mapping[Locale, str]] = {
    "left": {"zh-CN": "", "en": ""},
    "time": {"zh-CN": "：时间不够", "en": ": there is too little time"},
    "closed": {"zh-CN": "：没有可选景点开放", "en": ": no place to choose from is open"},
    "nothing": {"zh-CN": "：没有可选的景点", "en": ": there is no place to choose from"},
}


def find(context: CheckContext) -> Iterator[Finding]:
    """Such days that hold no booking either, each with the reason if one is known."""
    planned = {visited.poi.id for visited in context.visits}
    cities = {visited.poi.city for visited in context.visits}
    days = {visited.day for visited in context.visits}
    for day, parts in context.trip.parts.items():
        for part in parts:
            is_whole = len(parts) == 1 and _measure(part) >= WHOLE_DAY_MIN
            is_empty = part.city.id not in cities or (is_whole and day not in days)
            if is_empty and not part.fixed and not part.is_void:
                why = WHY[_explain(context, part, planned)][context.locale]
                yield Finding(day, None, {"day": day, "city": context.name(part.city), "why": why})


def _measure(part: Part) -> int:
    return part.until - part.opens


def _explain(context: CheckContext, part: Part, planned: set[str]) -> str:
    """Why nothing is visited, as far as the pool tells."""
    pool = context.snapshot.cities[part.city.id].pois
    rows = [context.snapshot.rows.pois[poi_id] for poi_id in pool if poi_id not in planned]
    if not rows:
        return "nothing"
    hours = ((poi, read_hours(context.snapshot, poi, part.date)) for poi in rows)
    if not any(opening.list_starts(poi.duration_min) for poi, opening in hours):
        return "closed"
    shortest = min(poi.duration_min for poi in rows)
    return "left" if _measure(part) >= shortest else "time"


EMPTY_DAY = Constraint(
    "EMPTY_DAY",
    "warning",
    {
        "zh-CN": "第 {day} 天在{city}没有安排任何景点{why}。",
        "en": "Day {day} in {city} has no visit at all{why}.",
    },
    find,
)

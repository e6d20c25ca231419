"""Between two places there is time enough for the way."""

from collections.abc import Iterator
from itertools import pairwise

from backend.planner.check_context import CheckContext, Located
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import FixedItem, LegItem, Severity
from backend.planner.moves import make_local
from backend.planner.trip import Part


def find(context: CheckContext) -> Iterator[Finding]:
    """Neighbours of a day in one city with less time between them than the way takes.

    What has no position, as lunch somewhere, takes its own time off what is between them.
    """
    for day in range(1, len(context.itinerary.days) + 1):
        places = context.located(day)
        for before, after in pairwise(places):
            if isinstance(after.row, LegItem) or before.end_city != after.start_city:
                continue
            span = before.end, after.start
            have = context.count_free(day, range(before.item + 1, after.item), span)
            needed = context.measure_way(before.end_city, before.end_at, after.start_at)
            if have < needed:
                yield _describe(before.name, after, needed, have, _rate(before, after))
        for part in context.trip.parts.get(day, ()):
            yield from _check_first(context, part, places)


def _check_first(context: CheckContext, part: Part, places: list[Located]) -> Iterator[Finding]:
    """The way from the bed, or from where one arrives, to the first place of a part."""
    here = [place for place in places if part.city.id in (place.start_city, place.end_city)]
    first = here[0] if here else None
    if first is None or isinstance(first.row, LegItem | FixedItem) or context.has_leg_into(part):
        return
    needed = context.measure_way(part.city.id, part.start.position, first.start_at)
    ready, opens = (
        make_local(context.snapshot, part.city.id, part.date, minutes)
        for minutes in (part.ready, part.opens)
    )
    have = context.count_free(part.day, range(first.item), (ready, first.start))
    if have < needed and first.start >= opens:  # earlier is the fault of the day or the arrival
        yield _describe(part.start.name, first, needed, have)


def _describe(
    other: str, after: Located, needed: int, have: int, severity: Severity | None = None
) -> Finding:
    more = needed - have
    values = {"name": after.name, "other": other, "needed": needed, "have": max(0, have)}
    return Finding(after.day, after.item, {**values, "more": more}, severity, more)


def _rate(before: Located, after: Located) -> Severity:
    """Two bookings of the traveller's own: nothing that planning could mend."""
    both = isinstance(before.row, FixedItem) and isinstance(after.row, FixedItem)
    return "warning" if both else "error"


TRAVEL_TIME = Constraint(
    "TRAVEL_TIME",
    "error",
    {
        "zh-CN": "从“{other}”到“{name}”需要 {needed} 分钟，只留了 {have} 分钟。",
        "en": "From “{other}” to “{name}” takes {needed} minutes; there are {have}.",
    },
    find,
    fix={"zh-CN": "请推迟 {more} 分钟。", "en": "Begin {more} minutes later."},
)

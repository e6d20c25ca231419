"""Trains are reached 30 minutes before they leave, and nothing is visited before they arrive."""

import datetime as dt
from collections.abc import Iterator
from itertools import pairwise

from backend.planner.check_context import CheckContext, Located
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import LegItem
from backend.planner.moves import BOARDING_MIN, make_local
from backend.planner.timed import list_timed
from backend.planner.trip import Part


def find(context: CheckContext) -> Iterator[Finding]:
    """Each train by what is before it, on its day or in the night; the own departure likewise."""
    for day in range(1, len(context.itinerary.days) + 1):
        places = context.located(day)
        for before, after in pairwise(places):
            if isinstance(after.row, LegItem) and not _is_change(context, before, after):
                yield from _check(context, before, after, day)
        if places and isinstance(places[0].row, LegItem):
            yield from _check_opening(context, places[0])
    yield from _check_own_departure(context)


def _check(context: CheckContext, before: Located, after: Located, day: int) -> Iterator[Finding]:
    way = 0
    if before.end_city == after.start_city:
        way = context.measure_way(after.start_city, before.end_at, after.start_at)
    between = range(before.item + 1, after.item)
    free = context.count_free(day, between, (before.end, after.start))
    yield from _find_late(before.name, after, way + BOARDING_MIN - free)


def _check_opening(context: CheckContext, leg: Located) -> Iterator[Finding]:
    """A train before which nothing has a place that day: one comes from bed, or from the night."""
    part = next((p for p in context.trip.parts[leg.day] if p.city.id == leg.start_city), None)
    if part is None or context.has_leg_into(part) or _comes_by_own_way(context, part):
        return
    since = make_local(context.snapshot, part.city.id, part.date, part.free_from)
    evening = [t.end for t in list_timed(context.itinerary) if t.day < leg.day]
    since = max([since, *evening])
    way = context.measure_way(part.city.id, part.start.position, leg.start_at)
    free = context.count_free(leg.day, range(leg.item), (since, leg.start))
    yield from _find_late(part.start.name, leg, way + BOARDING_MIN - free)


def _comes_by_own_way(context: CheckContext, part: Part) -> bool:
    """When one comes then is only assumed."""
    stays = (s for s in context.trip.stays if s.city.id == part.city.id)
    return any(s.into is not None and s.into.is_own and s.first_day == part.day for s in stays)


def _find_late(other: str, leg: Located, late: int) -> Iterator[Finding]:
    there = leg.start + dt.timedelta(minutes=late - BOARDING_MIN)
    if late > 0:
        values = {"number": leg.name, "depart": f"{leg.start:%H:%M}", "other": other}
        numbers = {"there": f"{there:%H:%M}", "boarding": BOARDING_MIN}
        yield Finding(leg.day, leg.item, {**values, **numbers}, amount=late)


def _is_change(context: CheckContext, before: Located, after: Located) -> bool:
    """Two trains of one connection have a rule of their own."""
    rows = before.row, after.row
    return (
        isinstance(rows[0], LegItem)
        and isinstance(rows[1], LegItem)
        and context.is_connection(rows[0], rows[1])
    )


def _check_own_departure(context: CheckContext) -> Iterator[Finding]:
    request = context.snapshot.request
    part = context.trip.parts[request.days][-1]
    here = [p for p in context.located(request.days) if p.end_city == part.city.id]
    if request.departure is None or part.end is None or part.leave_by is None or not here:
        return
    last = here[-1]
    way = context.measure_way(part.city.id, last.end_at, part.end.position)
    midnight = dt.datetime.combine(part.date, dt.time())
    there = last.end.replace(tzinfo=None) + dt.timedelta(minutes=way)
    late = there - (midnight + dt.timedelta(minutes=part.leave_by))
    if late > dt.timedelta():
        values = {"number": part.end.name, "depart": request.departure.time, "other": last.name}
        numbers = {"there": f"{there:%H:%M}", "boarding": BOARDING_MIN}
        amount = late // dt.timedelta(minutes=1)
        yield Finding(request.days, last.item, {**values, **numbers}, amount=amount)


LEG_MISSED = Constraint(
    "LEG_MISSED",
    "error",
    {
        "zh-CN": "“{other}”之后 {there} 才能到站，赶不上 {depart} 的 {number}"
        "（需提前 {boarding} 分钟）。",
        "en": "After “{other}” one is there at {there}: too late for {number} at {depart} "
        "({boarding} minutes before).",
    },
    find,
    fix={
        "zh-CN": "请提前离开、去掉前面的安排，或换更晚的车次。",
        "en": "Leave earlier, leave out what is before, or take a later one.",
    },
)

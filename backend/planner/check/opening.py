"""A visit lies wholly within one opening interval of its date.

A place is not visited in the part of the year in which it is closed.

A place is entered no later than its last entry.

Warns of a visit to a place whose opening hours are unknown; 09:00–17:00 is assumed for it.

A visit takes at least three fifths of the usual time.

Warns of a visit that needs a reservation, with the date by which to make it.
"""

import datetime as dt
import math
from collections.abc import Iterator, Sequence

from backend.catalogue.opening_hours import Interval
from backend.planner.check.context import CheckContext, Constraint, Finding, show_time
from backend.pool.candidate import PoiCandidate


def find_closed(context: CheckContext) -> Iterator[Finding]:
    """Visits outside the hours; the closed season has its own code."""
    for visited in context.visits:
        hours = context.hours_of(visited)
        fits = any(i.start <= visited.arrive and visited.leave <= i.end for i in hours.intervals)
        if hours.is_in_season and not fits:
            yield Finding(
                visited.day,
                visited.item,
                {
                    "name": context.name(visited.poi),
                    "date": visited.date.isoformat(),
                    "arrive": show_time(visited.arrive),
                    "leave": show_time(visited.leave),
                    "open": _show(context, hours.intervals),
                },
            )


def _show(context: CheckContext, intervals: Sequence[Interval]) -> str:
    if not intervals:
        return {"zh-CN": "全天不开放", "en": "closed all day"}[context.locale]
    return ", ".join(f"{show_time(i.start)}-{show_time(i.end)}" for i in intervals)


CLOSED = Constraint(
    "CLOSED",
    "error",
    {
        "zh-CN": "{name}在 {date} 的开放时间：{open}；安排的 {arrive}-{leave} 不在其中。",
        "en": "{name} on {date}: {open}; the visit at {arrive}-{leave} does not fit.",
    },
    find_closed,
    fix={
        "zh-CN": "请改到开放的时间，或换一天。",
        "en": "Move it into these hours or to another day.",
    },
)


def find_closed_season(context: CheckContext) -> Iterator[Finding]:
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
    find_closed_season,
    fix={"zh-CN": "请去掉。", "en": "Leave it out."},
)


def find_last_entry(context: CheckContext) -> Iterator[Finding]:
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
    find_last_entry,
    fix={"zh-CN": "请提前到 {last} 之前。", "en": "Begin by {last}."},
)


def find_hours_unknown(context: CheckContext) -> Iterator[Finding]:
    """Visits to places without opening hours in the catalogue."""
    for visited in context.visits:
        if not visited.poi.opening_hours:
            yield Finding(visited.day, visited.item, {"name": context.name(visited.poi)})


HOURS_UNKNOWN = Constraint(
    "HOURS_UNKNOWN",
    "warning",
    {
        "zh-CN": "{name}开放时间未知，按 09:00-17:00 安排，请先确认。",
        "en": "The opening hours of {name} are unknown; 09:00-17:00 is assumed, please check.",
    },
    find_hours_unknown,
)


LEAST_SHARE = 0.6


def find_visit_too_short(context: CheckContext) -> Iterator[Finding]:
    """Visits, and meals at a place, that are over too soon."""
    for visited in context.visits:
        usual, have = visited.poi.duration_min, visited.leave - visited.arrive
        if have < usual * LEAST_SHARE:
            least = math.ceil(usual * LEAST_SHARE)
            values = {"name": context.name(visited.poi), "have": have, "least": least}
            values["usual"] = usual
            yield Finding(visited.day, visited.item, values, amount=least - have)


VISIT_TOO_SHORT = Constraint(
    "VISIT_TOO_SHORT",
    "error",
    {
        "zh-CN": "{name}只留了 {have} 分钟，通常需要 {usual} 分钟。",
        "en": "{name} has {have} minutes; it usually takes {usual}.",
    },
    find_visit_too_short,
    fix={"zh-CN": "至少留 {least} 分钟。", "en": "Give it at least {least}."},
)


def find_reservation_passed(context: CheckContext) -> Iterator[Finding]:
    """Visits that had to be reserved before the trip was asked for, and must-sees without another day."""
    snapshot = context.snapshot
    for visited in context.visits:
        if snapshot.is_too_late(visited.poi, visited.date):
            values = _describe_deadline(context, visited.poi, visited.date)
            yield Finding(visited.day, visited.item, values)
    for poi_id, reason in context.missing_must_sees.items():
        if reason == "too_late":
            poi = snapshot.rows.pois[poi_id]
            values = _describe_deadline(context, poi, snapshot.cities[poi.city].leave)
            late = (snapshot.asked_on or dt.date.min) - dt.date.fromisoformat(str(values["by"]))
            yield Finding(values=values, severity="warning", amount=late.days)


def _describe_deadline(
    context: CheckContext, poi: PoiCandidate, date: dt.date
) -> dict[str, object]:
    by = date - dt.timedelta(poi.book_days_ahead)
    name, ahead = context.name(poi), poi.book_days_ahead
    return {"name": name, "ahead": ahead, "date": date.isoformat(), "by": by.isoformat()}


RESERVATION_PASSED = Constraint(
    "RESERVATION_PASSED",
    "error",
    {
        "zh-CN": "{name}须提前 {ahead} 天预约，{date} 的预约已于 {by} 截止。",
        "en": "{name} must be reserved {ahead} day(s) ahead: for {date} that was until {by}.",
    },
    find_reservation_passed,
    fix={"zh-CN": "请改到更晚的日子，或换一个地点。", "en": "Take a later day, or another place."},
)


def find_reservation_required(context: CheckContext) -> Iterator[Finding]:
    """Visits to places with `booking: required`, where there is still time for it."""
    for visited in context.visits:
        is_late = context.snapshot.is_too_late(visited.poi, visited.date)
        if visited.poi.booking == "required" and not is_late:
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
    find_reservation_required,
)

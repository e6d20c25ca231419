"""`calendar.ics`: visits, meals, legs, bookings and hotel stays as events of iCalendar.

A way inside a city is no event of its own but a line of the event that it leads to. The same place
keeps its UID when it moves to another time, so that a calendar updates the event.

A zone as iCalendar wants it described (VTIMEZONE), for the years of a trip.

Each change of the clocks stands for itself: a rule for ever would claim more than anybody knows. The
library can describe a zone too, but gives a change's start in the time after it (29 March, 03:00 in
Paris), where RFC 5545 wants the time before it (02:00).
"""

import datetime as dt
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from icalendar import Calendar, Timezone, TimezoneDaylight, TimezoneStandard
from icalendar import Event as CalendarEvent

from backend.planner.exports.calendar_events import Event, Moment, list_events
from backend.planner.exports.delivered import Delivered

LAST_DAY = dt.date(9999, 12, 30)
"""The language's calendar ends on the day after, and a day is looked ahead."""

_DAY = dt.timedelta(days=1)
_MINUTE = dt.timedelta(minutes=1)


class Observance(NamedTuple):
    """What the clocks show from `start` (local time before the change) on."""

    start: dt.datetime
    offset_from: dt.timedelta
    offset_to: dt.timedelta
    name: str
    is_daylight: bool


@lru_cache(maxsize=64)
def list_observances(zone: ZoneInfo, first_year: int, last_year: int) -> tuple[Observance, ...]:
    """What holds before the first year begins anywhere, and each change until the last one ends."""
    moment = dt.datetime(first_year - 1, 12, 31, tzinfo=dt.UTC)
    end = min(dt.date(last_year, 12, 31), LAST_DAY)
    found = [_observe(zone, moment, _read_offset(zone, moment))]
    while moment.date() < end:
        if _read_state(zone, moment) != _read_state(zone, moment + _DAY):
            change = _find_change(zone, moment, moment + _DAY)
            found.append(_observe(zone, change, _read_offset(zone, change - _MINUTE)))
        moment += _DAY
    return tuple(found)


def describe_zone(zone: ZoneInfo, first_year: int, last_year: int) -> Timezone:
    """The component."""
    described = Timezone()
    described.add("TZID", zone.key)
    for observance in list_observances(zone, first_year, last_year):
        part = TimezoneDaylight() if observance.is_daylight else TimezoneStandard()
        part.add("DTSTART", observance.start)
        part.add("TZOFFSETFROM", observance.offset_from)
        part.add("TZOFFSETTO", observance.offset_to)
        part.add("TZNAME", observance.name)
        described.add_component(part)
    return described


def _observe(zone: ZoneInfo, moment: dt.datetime, before: dt.timedelta) -> Observance:
    local = moment.astimezone(zone)
    start = (moment + before).replace(tzinfo=None)
    name = local.tzname() or zone.key
    return Observance(start, before, _read_offset(zone, moment), name, bool(local.dst()))


def _find_change(zone: ZoneInfo, before: dt.datetime, after: dt.datetime) -> dt.datetime:
    """The first minute at which the clocks show what they show at `after`."""
    state = _read_state(zone, after)
    while after - before > _MINUTE:
        middle = before + (after - before) // _MINUTE // 2 * _MINUTE
        if _read_state(zone, middle) == state:
            after = middle
        else:
            before = middle
    return after


def _read_state(zone: ZoneInfo, moment: dt.datetime) -> tuple[dt.timedelta, bool]:
    return _read_offset(zone, moment), bool(moment.astimezone(zone).dst())


def _read_offset(zone: ZoneInfo, moment: dt.datetime) -> dt.timedelta:
    return moment.astimezone(zone).utcoffset() or dt.timedelta(0)


PRODUCT = "-//Waypool//Itinerary//EN"

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def write_calendar(delivered: Delivered) -> str:
    """The file, in the request's language."""
    events = list(list_events(delivered))
    calendar = Calendar()
    calendar.add("VERSION", "2.0")
    calendar.add("PRODID", PRODUCT)
    calendar.add("CALSCALE", "GREGORIAN")
    calendar.add("X-WR-CALNAME", clean_text(delivered.title))
    for zone in _describe_zones(events):
        calendar.add_component(zone)
    for event in _make_events(delivered, events):
        calendar.add_component(event)
    content: bytes = calendar.to_ical(sorted=False)
    return content.decode()


def clean_text(text: str) -> str:
    """Text without what iCalendar's texts cannot hold: control characters, halves of surrogates."""
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


def _describe_zones(events: Iterable[Event]) -> Iterator[Timezone]:
    moments: dict[ZoneInfo, list[dt.datetime]] = {}
    for event in events:
        for bound in (event.start, event.end):
            if not isinstance(bound, dt.date):
                moments.setdefault(bound.zone, []).append(bound.moment.astimezone(bound.zone))
    for zone in sorted(moments, key=lambda zone: zone.key):
        years = [moment.year for moment in moments[zone]]
        yield describe_zone(zone, min(years), max(years))


def _make_events(delivered: Delivered, events: Iterable[Event]) -> Iterator[CalendarEvent]:
    seen: Counter[str] = Counter()
    for event in events:
        seen[event.key] += 1
        made = CalendarEvent()
        made.add("UID", _make_uid(delivered.run_id, event.key, seen[event.key]))
        made.add("DTSTAMP", delivered.made_at.astimezone(dt.UTC))
        for name, bound in (("DTSTART", event.start), ("DTEND", event.end)):
            made.add(name, _show(bound))
        made.add("SUMMARY", clean_text(event.summary))
        if event.location:
            made.add("LOCATION", clean_text(event.location))
        if event.position is not None:
            made.add("GEO", tuple(round(degrees, 6) for degrees in event.position))
        if event.lines:
            made.add("DESCRIPTION", clean_text("\n".join(event.lines)))
        made.add("CATEGORIES", [event.category])
        made.add("TRANSP", "OPAQUE" if event.is_busy else "TRANSPARENT")
        yield made


def _show(bound: Moment | dt.date) -> dt.datetime | dt.date:
    """A local time of its zone, or a whole day."""
    return bound if isinstance(bound, dt.date) else bound.moment.astimezone(bound.zone)


def _make_uid(run_id: str, key: str, time: int) -> str:
    """By what the event is, not when; `time` tells apart what is in the plan twice."""
    text = "\n".join((run_id, key, str(time)))
    return f"{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:32]}@waypool"

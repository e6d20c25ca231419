"""`calendar.ics`: visits, meals, legs, bookings and hotel stays as events of iCalendar.

A way inside a city is no event of its own but a line of the event that it leads to. The same place
keeps its UID when it moves to another time, so that a calendar updates the event.

Lines of iCalendar (RFC 5545): escaping, folding at 75 octets, local times with their zone.

A zone as iCalendar wants it described (VTIMEZONE), for the years of a trip.

Each change of the clocks is listed by its date, not by a rule, since rules may change later.
"""

import datetime as dt
import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from backend.planner.exports.calendar_events import Event, list_events
from backend.planner.exports.delivered import Delivered

LIMIT = 75
"""Octets of a line without its end; a continuation begins with a space, which counts."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def escape_text(text: str) -> str:
    """A value of type TEXT: no control characters, line breaks as `\\n`."""
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    for plain, escaped in (("\\", "\\\\"), (";", "\\;"), (",", "\\,"), ("\n", "\\n")):
        text = text.replace(plain, escaped)
    return text


def make_line(name: str, text: str) -> str:
    """A property whose value is text."""
    return f"{name}:{escape_text(text)}"


def make_moment(name: str, moment: dt.datetime, zone: ZoneInfo) -> str:
    """A property whose value is a local time of a zone."""
    return f"{name};TZID={zone.key}:{moment.astimezone(zone):%Y%m%dT%H%M%S}"


def make_date(name: str, date: dt.date) -> str:
    """A property whose value is a whole day."""
    return f"{name};VALUE=DATE:{date:%Y%m%d}"


def make_utc(name: str, moment: dt.datetime) -> str:
    """A property whose value is a time in UTC."""
    return f"{name}:{moment.astimezone(dt.UTC):%Y%m%dT%H%M%SZ}"


def write_lines(lines: Iterable[str]) -> str:
    """The file: each line folded, all of them ended by CR LF."""
    return "".join(f"{fold_line(line)}\r\n" for line in lines)


def fold_line(line: str) -> str:
    """The line in pieces of at most 75 octets, never within a character."""
    pieces, piece, size = [], "", 0
    for character in line:
        octets = len(character.encode("utf-8"))
        if size + octets > LIMIT:
            pieces.append(piece)
            piece, size = " ", 1
        piece += character
        size += octets
    return "\r\n".join([*pieces, piece])


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


def describe_zone(zone: ZoneInfo, first_year: int, last_year: int) -> Iterator[str]:
    """The lines of the component."""
    yield "BEGIN:VTIMEZONE"
    yield f"TZID:{zone.key}"
    for observance in list_observances(zone, first_year, last_year):
        kind = "DAYLIGHT" if observance.is_daylight else "STANDARD"
        yield f"BEGIN:{kind}"
        yield f"DTSTART:{observance.start:%Y%m%dT%H%M%S}"
        yield f"TZOFFSETFROM:{show_offset(observance.offset_from)}"
        yield f"TZOFFSETTO:{show_offset(observance.offset_to)}"
        yield f"TZNAME:{observance.name}"
        yield f"END:{kind}"
    yield "END:VTIMEZONE"


def show_offset(offset: dt.timedelta) -> str:
    """`+0800`; with seconds where there are some, as before standard time."""
    seconds = int(offset.total_seconds())
    sign = "-" if seconds < 0 else "+"
    hours, rest = divmod(abs(seconds), 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{sign}{hours:02d}{minutes:02d}" + (f"{seconds:02d}" if seconds else "")


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


def write_calendar(delivered: Delivered) -> str:
    """The file, in the request's language."""
    events = list(list_events(delivered))
    return write_lines(
        [
            "BEGIN:VCALENDAR",
            "VERSION:2.0",
            f"PRODID:{PRODUCT}",
            "CALSCALE:GREGORIAN",
            make_line("X-WR-CALNAME", delivered.title),
            *_describe_zones(events),
            *_write_events(delivered, events),
            "END:VCALENDAR",
        ]
    )


def _describe_zones(events: Iterable[Event]) -> Iterator[str]:
    moments: dict[ZoneInfo, list[dt.datetime]] = {}
    for event in events:
        for bound in (event.start, event.end):
            if not isinstance(bound, dt.date):
                moments.setdefault(bound.zone, []).append(bound.moment.astimezone(bound.zone))
    for zone in sorted(moments, key=lambda zone: zone.key):
        years = [moment.year for moment in moments[zone]]
        yield from describe_zone(zone, min(years), max(years))


def _write_events(delivered: Delivered, events: Iterable[Event]) -> Iterator[str]:
    seen: Counter[str] = Counter()
    for event in events:
        seen[event.key] += 1
        yield "BEGIN:VEVENT"
        yield f"UID:{_make_uid(delivered.run_id, event.key, seen[event.key])}"
        yield make_utc("DTSTAMP", delivered.made_at)
        yield from _write_span(event)
        yield make_line("SUMMARY", event.summary)
        if event.location:
            yield make_line("LOCATION", event.location)
        if event.position is not None:
            yield f"GEO:{event.position[0]:.6f};{event.position[1]:.6f}"
        if event.lines:
            yield make_line("DESCRIPTION", "\n".join(event.lines))
        yield f"CATEGORIES:{event.category}"
        yield f"TRANSP:{'OPAQUE' if event.is_busy else 'TRANSPARENT'}"
        yield "END:VEVENT"


def _write_span(event: Event) -> Iterator[str]:
    for name, bound in (("DTSTART", event.start), ("DTEND", event.end)):
        if isinstance(bound, dt.date):
            yield make_date(name, bound)
        else:
            yield make_moment(name, bound.moment, bound.zone)


def _make_uid(run_id: str, key: str, time: int) -> str:
    """A UID made of what the event is, not when; `time` tells apart what is in the plan twice."""
    text = "\n".join((run_id, key, str(time)))
    return f"{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:32]}@waypool"

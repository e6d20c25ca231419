"""`calendar.ics`: visits, meals, legs, bookings and hotel stays as events of iCalendar.

A way inside a city is no event of its own but a line of the event that it leads to. The same place
keeps its UID when it moves to another time, so that a calendar updates the event.
"""

import datetime as dt
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from zoneinfo import ZoneInfo

from backend.planner.exports.calendar_events import Event, list_events
from backend.planner.exports.delivered import Delivered
from backend.planner.exports.ical import make_date, make_line, make_moment, make_utc, write_lines
from backend.planner.exports.vtimezone import describe_zone

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
    """By what the event is, not when; `time` tells apart what is in the plan twice."""
    text = "\n".join((run_id, key, str(time)))
    return f"{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:32]}@waypool"

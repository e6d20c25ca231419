"""A zone as iCalendar wants it described (VTIMEZONE), for the years of a trip.

Each change of the clocks stands for itself: a rule for ever would claim more than anybody knows.
"""

import datetime as dt
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

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

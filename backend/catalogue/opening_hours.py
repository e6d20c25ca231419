"""Opening hours in OpenStreetMap syntax, with `PH` resolved by a calendar that the caller gives.

The library knows public holidays by its own tables, which lack China's make-up days. So `PH` is
rewritten to the weekdays of those of three neighbouring days that are days off: three days in a
row have three different weekdays, so within that window the rewritten text means the same.
Sunrise and sunset are those of a place on the date, where the caller says which place.

Official days off by country, which `PH` in opening hours means.

China publishes them year by year with make-up workdays; beyond the last published year nothing
is known, and callers must say so instead of guessing.
"""

import datetime as dt
import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache, lru_cache
from zoneinfo import ZoneInfo

import chinese_calendar
import holidays
import opening_hours as library

DAY_MIN = 24 * 60
DAY_STARTS_MIN = 5 * 60
"""A visiting day runs from 05:00 to 05:00 of the next: night markets belong to the evening."""

_WEEKDAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
_DAY = "(?:Mo|Tu|We|Th|Fr|Sa|Su)"
_HOLIDAY = re.compile(
    rf"\bPH(?P<offset>\s*[+-]\d+\s+days?)?(?:\s+(?P<only>{_DAY}(?:\s*[-,]\s*{_DAY})*))?"
)
_SUN = re.compile(r"sunrise|sunset|dawn|dusk", re.IGNORECASE)
_NEVER = "1900"  # a year selector that no stay meets: the rule stays valid and never applies


@dataclass(frozen=True)
class Interval:
    """Minutes from midnight of the day in question; the end may lie beyond 1,440."""

    start: int
    end: int


@dataclass(frozen=True)
class Location:
    """Where the sun rises and sets: a position and the time zone of its clocks."""

    lat: float
    lon: float
    timezone: str


def check_opening_hours(text: str) -> str | None:
    """None where the text can be read, else the reason."""
    try:
        _parse(_rewrite(text, frozenset()))
        _parse(_rewrite(text, frozenset({0, 1, 2, 3, 4, 5, 6})))
    except library.ParserError as error:  # type: ignore[attr-defined] # missing in its stubs
        return " ".join(str(error).split())
    return None


def open_intervals(
    text: str, day: dt.date, days_off: Collection[dt.date], location: Location | None = None
) -> tuple[Interval, ...]:
    """When a place is open (or may be) from 05:00 of `day` to 05:00 of the next.

    `days_off` holds the days off around `day`. Text must be readable (`check_opening_hours`).
    Without a location the sun rises at 07:00 and sets at 19:00 all year.
    """
    around = frozenset(
        near.weekday() for n in (-1, 0, 1) if (near := day + dt.timedelta(n)) in days_off
    )
    return _intervals(text, day, around, location if _SUN.search(text) else None)


def is_in_season(closed_season: str, day: dt.date) -> bool:
    """False on the days of `MM-DD/MM-DD`, both ends included; it may pass the new year."""
    if not closed_season:
        return True
    first, last = closed_season.split("/")
    today = f"{day:%m-%d}"
    inside = first <= today <= last if first <= last else today >= first or today <= last
    return not inside


def is_open_on(
    opening_hours: str,
    closed_season: str,
    day: dt.date,
    days_off: Collection[dt.date],
    location: Location | None = None,
) -> bool:
    """Whether a place can be visited at some moment of `day`; unknown hours count as open."""
    if not is_in_season(closed_season, day):
        return False
    return not opening_hours or bool(open_intervals(opening_hours, day, days_off, location))


def _weekdays_of(selector: str) -> set[int]:
    chosen: set[int] = set()
    for part in re.split(r"\s*,\s*", selector.strip()):
        ends = [_WEEKDAYS.index(name) for name in re.split(r"\s*-\s*", part)]
        first, last = ends[0], ends[-1]
        chosen.update((first + n) % 7 for n in range((last - first) % 7 + 1))
    return chosen


def _rewrite(text: str, days_off: frozenset[int]) -> str:
    def replace(match: re.Match[str]) -> str:
        if match["offset"]:
            return match[0]
        chosen = set(days_off)
        if match["only"]:
            chosen &= _weekdays_of(match["only"])
        elif not chosen:
            return match[0]  # the library never takes PH for true without a country
        return ",".join(_WEEKDAYS[n] for n in sorted(chosen)) or _NEVER

    parts = re.split(r'("[^"]*")', text)  # a comment may hold the letters PH
    return "".join(p if p.startswith('"') else _HOLIDAY.sub(replace, p) for p in parts)


@lru_cache(maxsize=8192)
def _parse(text: str, location: Location | None = None) -> library.OpeningHours:
    if location is None:
        return library.OpeningHours(text, auto_country=False, auto_timezone=False)
    return library.OpeningHours(
        text,
        timezone=ZoneInfo(location.timezone),
        coords=(location.lat, location.lon),
        auto_country=False,
    )


@lru_cache(maxsize=65536)
def _intervals(
    text: str, day: dt.date, days_off: frozenset[int], location: Location | None
) -> tuple[Interval, ...]:
    midnight = dt.datetime.combine(day, dt.time())
    start = midnight + dt.timedelta(minutes=DAY_STARTS_MIN)
    end = start + dt.timedelta(days=1)
    found: list[Interval] = []
    hours = _parse(_rewrite(text, days_off), location)
    for first, last, state, _ in hours.intervals(start, end):
        if state == library.State.CLOSED:
            continue
        opens = max(first.replace(tzinfo=None), start) - midnight
        closes = (min(last.replace(tzinfo=None), end) if last is not None else end) - midnight
        interval = Interval(opens // dt.timedelta(minutes=1), closes // dt.timedelta(minutes=1))
        if found and found[-1].end == interval.start:  # open, then "unknown": one visit may span
            interval = Interval(found.pop().start, interval.end)
        found.append(interval)
    return tuple(found)


@cache
def is_day_off(country: str, day: dt.date) -> bool | None:
    """Whether `day` is an official day off; None beyond the calendar of that country.

    A plain weekend is none, a weekend inside a holiday is one, a make-up workday is none.
    """
    if country == "CN":
        try:
            is_off, name = chinese_calendar.get_holiday_detail(day)
        except NotImplementedError:
            return None
        return bool(is_off and name is not None)
    if country not in holidays.list_supported_countries(include_aliases=False):
        return None
    calendar = holidays.country_holidays(country, years=day.year)
    return day in calendar if calendar else None


def find_named_holiday(country: str, name: str, today: dt.date) -> dt.date | None:
    """The next day of a public holiday by its name in Chinese, within two years."""
    calendar = holidays.country_holidays(
        country, years=[today.year, today.year + 1], language="zh_CN"
    )
    return next(
        (day for day in sorted(calendar) if day >= today and name in calendar[day].split("; ")),
        None,
    )


def list_days_off(country: str, first: dt.date, last: dt.date) -> tuple[list[dt.date], bool]:
    """Days off from `first` to `last`, both included, and whether all those days are known."""
    days = [first + dt.timedelta(n) for n in range((last - first).days + 1)]
    verdicts = [is_day_off(country, day) for day in days]
    return [d for d, off in zip(days, verdicts, strict=True) if off], None not in verdicts

"""The only place that reads the wall clock; everything else gets the time as a value."""

import datetime as dt
import re

_HH_MM = re.compile(r"([0-4]\d):([0-5]\d)")


def read_utc() -> dt.datetime:
    """The present moment, aware, in UTC."""
    return dt.datetime.now(dt.UTC)  # noqa: TID251 - this is the clock


def parse_minutes(text: str) -> int:
    """Minutes after midnight of `HH:MM`; hours past 24 are the next day's (`26:00` is 1,560)."""
    match = _HH_MM.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a time of the form HH:MM")
    return int(match[1]) * 60 + int(match[2])


def format_minutes(minutes: int) -> str:
    """`HH:MM` of minutes after midnight; the inverse of `parse_minutes`."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"

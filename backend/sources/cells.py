"""Typed values of a column: texts become numbers, dates and times, or the response has changed.

A date that cannot be read is never null or 0; only what the column lists as `none` is null.
"""

import datetime as dt
import re
from collections.abc import Callable
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import Any
from zoneinfo import ZoneInfo

from backend.results.refusals import shorten
from backend.results.values import MISSING, is_same, write_json
from backend.sources.spec import Column

RFC822 = "rfc822"

_INTEGER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d{1,30})")
_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d{1,30})(?:\.\d{1,30})?")
_DATE_LIKE = re.compile(
    r"(?:[A-Za-z]{3,9},? )?"
    r"(?:\d{1,4}[-/.年]\d{1,2}[-/.月]\d{1,4}日?|\d{1,2} [A-Za-z]{3,9},? \d{2,4}"
    r"|[A-Za-z]{3,9} \d{1,2},? \d{2,4})(?:[ T,].{0,40})?"
)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T].*)?")


class BadCellError(ValueError):
    """A value that the column's type does not allow."""


Read = Callable[[Any], Any]


def make_reader(column: Column, zone: ZoneInfo) -> Read:
    """A function from a raw value to the column's value."""
    read_typed = _make_typed(column, zone)

    def read(value: Any) -> Any:
        if isinstance(value, str):
            return _read_text(value, column, read_typed)
        return _read_other(value, column, read_typed)

    return read


def _read_text(value: str, column: Column, read_typed: Read) -> Any:
    text = column.rename.get(value, value)
    if text in column.none:
        return None
    return text if text in column.allow else read_typed(text)


def _read_other(value: Any, column: Column, read_typed: Read) -> Any:
    if value is MISSING:
        if column.optional:
            return None
        raise BadCellError("is missing")
    if any(is_same(value, entry) for entry in column.none):
        return None
    return read_typed(value)


def _make_typed(column: Column, zone: ZoneInfo) -> Read:
    if column.type == "date":
        return lambda value: _read_date(value, column.format)
    if column.type == "time":
        return lambda value: _read_time(value, column.format, zone)
    return {
        "as_is": lambda value: value,
        "text": _read_plain_text,
        "integer": lambda value: _read_number(value, _INTEGER, int),
        "number": lambda value: _read_number(value, _NUMBER, Decimal),
    }[column.type]


def _read_plain_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise _refuse("a text", value)


def _read_number(value: Any, pattern: re.Pattern[str], make: Callable[[str], Any]) -> Any:
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and pattern.fullmatch(value.strip()):
        return make(value.strip().replace(",", ""))
    raise _refuse("a number", value)


def _read_date(value: Any, form: str | None) -> str:
    text = str(value) if isinstance(value, str | int) else ""
    try:
        if form is None:
            return dt.date.fromisoformat(text.strip()).isoformat()
        return dt.datetime.strptime(text.strip(), form).date().isoformat()  # noqa: DTZ007 - a day
    except ValueError:
        raise _refuse(f"a date {form or 'YYYY-MM-DD'}", value) from None


def _read_time(value: Any, form: str | None, zone: ZoneInfo) -> str:
    """In the source's own zone, so that times compare as texts."""
    text = value.strip() if isinstance(value, str) else ""
    try:
        moment = _parse_time(text, form)
    except (ValueError, TypeError, OverflowError):
        raise _refuse(f"a time {form or 'of ISO 8601'}", value) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    return moment.astimezone(zone).isoformat(timespec="seconds")


def _parse_time(text: str, form: str | None) -> dt.datetime:
    if form == RFC822:
        return parsedate_to_datetime(text)
    if form is None:
        return dt.datetime.fromisoformat(text)
    return dt.datetime.strptime(text, form)  # noqa: DTZ007 - the caller adds the zone


def _refuse(wanted: str, value: Any) -> BadCellError:
    return BadCellError(f"should be {wanted}, not {shorten(write_json(value))}")


def looks_like_date(value: Any) -> bool:
    """Whether a text is a date in a form that does not sort as text."""
    if not isinstance(value, str):
        return False
    text = value.strip()
    return _ISO.fullmatch(text) is None and _DATE_LIKE.fullmatch(text) is not None

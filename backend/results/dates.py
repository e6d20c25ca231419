"""Dates of ISO 8601 in texts; a column is one of dates only where every text says one."""

import datetime as dt
import re

import numpy as np
from numpy.typing import NDArray

from backend.results.text_column import TextColumn

_DATE = re.compile(
    r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])"
    r"(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?"
)

_ZONE = re.compile(r"[Z+-]")
_SOME_DAY = "2000-01-01"
_DAYS = np.array([0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
_FEBRUARY = 2

Moment = tuple[dt.datetime, str]


def read_moment(text: str) -> Moment | None:
    """The moment that an ISO 8601 date or time says (UTC where it names no zone); else None."""
    if len(text) > 40 or _DATE.fullmatch(text) is None:
        return None
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)), text


def find_ends(texts: list[str]) -> tuple[Moment, Moment] | None:
    """The first and the last moment; None where a text says none.

    Most dates differ in few days and few times of the day, so these are looked at but once; and
    without zones, texts of one form are in the order of their moments.
    """
    days, times = {text[:10] for text in texts}, {text[10:] for text in texts}
    forms = {(len(time), time[:1]) for time in times}
    is_plain = len(forms) == 1 and not any(_ZONE.search(t) for t in times)
    if is_plain and len(days) + len(times) < len(texts):
        if any(read_moment(f"{_SOME_DAY}{time}") is None for time in times):
            return None
        if any(read_moment(day) is None for day in days):
            return None
        texts = [min(texts), max(texts)]
    moments = [read_moment(text) for text in texts]
    known = [moment for moment in moments if moment is not None]
    return (min(known), max(known)) if len(known) == len(moments) else None


_FORMS = ("0000-00-00", "0000-00-00T00:00", "0000-00-00T00:00:00")
_NUMBERS = ((0, 4, 1, 9999), (5, 7, 1, 12), (8, 10, 1, 31), (11, 13, 0, 23), (14, 16, 0, 59),
            (17, 19, 0, 59))  # fmt: skip
"""Of each number in these forms: where it stands, the least and the most that it may be."""


def find_plain_ends(column: TextColumn) -> tuple[Moment, Moment] | None:
    """The same for texts of one plain form, read as numbers all at once; None where they are not.

    None says nothing about other forms: these are for `find_ends`.
    """
    matrix = column.matrix
    form = next((f for f in _FORMS if matrix is not None and len(f) == matrix.shape[1]), None)
    if form is None or matrix is None or not _has_form(matrix, form):
        return None
    numbers = _read_numbers(matrix)
    if numbers is None:
        return None
    keys = np.zeros(len(matrix), dtype=np.int64)
    for number in numbers:
        keys = keys * 100 + number
    ends = np.array([keys.argmin(), keys.argmax()], dtype=np.int32)
    moments = [read_moment(text) for text in column.take(ends).values()]
    first, last = moments
    return (first, last) if first is not None and last is not None else None


def _has_form(matrix: NDArray[np.uint8], form: str) -> bool:
    """Digits where the form has them; else one sign everywhere: `T` may be a space."""
    for at, sign in enumerate(form.encode()):
        column = matrix[:, at]
        if sign == ord("0"):
            if column.min() < ord("0") or column.max() > ord("9"):
                return False
        elif (column != column[0]).any() or column[0] not in (b"T " if at == 10 else (sign,)):
            return False
    return True


def _read_numbers(matrix: NDArray[np.uint8]) -> list[NDArray[np.int64]] | None:
    """Year, month, … of each; None where one is out of bounds."""
    numbers = []
    for start, end, least, most in _NUMBERS:
        if end > matrix.shape[1]:
            break
        number = np.zeros(len(matrix), dtype=np.int64)
        for at in range(start, end):
            number = number * 10 + matrix[:, at] - ord("0")
        if number.min() < least or number.max() > most:
            return None
        numbers.append(number)
    year, month, day = numbers[:3]
    is_leap = (year % 4 == 0) & ((year % 100 != 0) | (year % 400 == 0))
    days = _DAYS[month] + (is_leap & (month == _FEBRUARY))
    return None if (day > days).any() else numbers

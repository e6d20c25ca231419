"""Texts of a block as one run of UTF-8, from which only those are made that somebody wants.

Dates of ISO 8601 in texts; a column is one of dates only where every text says one.
"""

import datetime as dt
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.results.columns import ListColumn
from backend.results.numbers import Check, Codes, Mask, Positions

_MANY = 4  # where more than one in four is wanted, all are made at once
_LATER = 0xC0, 0x80  # mask and value of a character's bytes after the first


@dataclass(frozen=True)
class TextColumn:
    """One text a row; `ends` are the bytes up to the end of each."""

    content: bytes
    ends: NDArray[np.uint32]

    @classmethod
    def of(cls, texts: Sequence[str]) -> "TextColumn":
        """The column of these texts, halves of surrogate pairs among them."""
        content = _encode("".join(texts))
        ends = np.cumsum(list(map(len, texts)), dtype=np.uint32)
        if not content.isascii():
            mask, later = _LATER
            firsts = np.flatnonzero((np.frombuffer(content, dtype=np.uint8) & mask) != later)
            ends = np.append(firsts, len(content)).astype(np.uint32)[ends]
        return cls(content, ends)

    def __len__(self) -> int:
        return len(self.ends)

    @cached_property
    def sizes(self) -> NDArray[np.uint32]:
        """Bytes of each."""
        return np.diff(self.ends, prepend=np.uint32(0))

    @cached_property
    def lengths(self) -> NDArray[np.uint32]:
        """Code points of each."""
        if self.content.isascii():
            return self.sizes
        mask, later = _LATER
        signs = np.frombuffer(self.content, dtype=np.uint8)
        before = np.zeros(len(signs) + 1, dtype=np.uint32)
        np.cumsum((signs & mask) != later, out=before[1:])
        return np.diff(before[self.ends], prepend=np.uint32(0))

    @property
    def matrix(self) -> NDArray[np.uint8] | None:
        """A row of bytes for each text, where all have as many."""
        size = int(self.sizes[0]) if len(self) else 0
        if not size or (self.sizes != size).any():
            return None
        return np.frombuffer(self.content, dtype=np.uint8).reshape(len(self), size)

    def take(self, positions: Positions) -> ListColumn:
        """The same field of fewer rows."""
        if len(positions) * _MANY > len(self):
            return ListColumn(self.values()).take(positions)
        ends = self.ends[positions].astype(np.int64)
        starts = ends - self.sizes[positions]
        pairs = zip(starts.tolist(), ends.tolist(), strict=True)
        return ListColumn([_decode(self.content[start:end]) for start, end in pairs])

    def mask(self, check: Check) -> Mask:
        """Where a comparison is true."""
        if check.op == "==" and isinstance(check.operand, str):
            return self._is_equal(_encode(check.operand))
        return ListColumn(self.values()).mask(check)

    def _is_equal(self, wanted: bytes) -> Mask:
        is_equal = np.asarray(self.sizes == len(wanted))
        matrix = self.matrix
        if matrix is not None and is_equal.all():
            return np.asarray((matrix == np.frombuffer(wanted, dtype=np.uint8)).all(axis=1))
        for position in np.flatnonzero(is_equal).tolist():
            end = int(self.ends[position])
            is_equal[position] = self.content[end - len(wanted) : end] == wanted
        return is_equal

    def present(self) -> Mask:
        """Everywhere."""
        return np.ones(len(self), dtype=np.bool_)

    def values(self) -> list[Any]:
        """The texts."""
        text = _decode(self.content)
        ends = np.cumsum(self.lengths, dtype=np.int64).tolist()
        return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    def factorize(self) -> tuple[Codes, list[Any]]:
        """For each row the number of its text among the distinct ones."""
        return ListColumn(self.values()).factorize()


def densify(column: Any) -> Any:
    """A column of texts alone as a `TextColumn`; any other as it is."""
    if isinstance(column, ListColumn) and column.is_text:
        return TextColumn.of(column.entries)
    return column


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decode(content: bytes) -> str:
    return content.decode("utf-8", "surrogatepass")


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

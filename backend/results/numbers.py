"""Numbers of a block as scaled integers; the digits of each text come back as they were.

Exact sums of scaled integers; 64-bit arithmetic is used where it cannot overflow.

What every column of a block of rows can do, and the comparisons that are asked of it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import ceil, floor
from operator import eq, ge, gt, le, lt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from backend.results.values import MISSING, Missing, Op, holds, kind_of

Mask = NDArray[np.bool_]
Positions = NDArray[np.int32]
Codes = NDArray[np.intp]
Whole = NDArray[np.int64]

ORDERED: dict[Op, Callable[[Any, Any], Any]] = {"==": eq, "<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True)
class Check:
    """A comparison with a literal, for any value."""

    op: Op
    operand: Any

    def __call__(self, value: Any) -> bool:
        """Whether it is true of one value."""
        return holds(value, self.op, self.operand)


class Column(Protocol):
    """One field of some rows, in their order; a row without it has `MISSING`."""

    def __len__(self) -> int: ...

    def take(self, positions: Positions) -> "Column":
        """The same field of fewer rows."""
        ...

    def mask(self, check: Check) -> Mask:
        """Where a comparison is true."""
        ...

    def present(self) -> Mask:
        """Where a row has the field, be it null."""
        ...

    def values(self) -> list[Any]:
        """JSON values."""
        ...

    def factorize(self) -> tuple[Codes, list[Any]]:
        """For each row the number of its value among the distinct ones, missing as null."""
        ...


_MAX_PLACES = 18
_MAX_SCALED = 2**62
_FAR = 40  # powers of ten; no scaled integer of 64 bits reaches it
_VALUE, _NULL, _ABSENT = 0, 1, 2
_ZERO, _POINT, _MINUS = b"0.-"

Split = tuple[NDArray[Any], NDArray[np.uint8]]
"""Digits of numbers as integers, and the places of each."""


@dataclass(frozen=True)
class NumberColumn:
    """Numbers as integers of one scale; `places` are those of each text, `tags` tell null, absent."""

    scaled: Whole
    places: NDArray[np.uint8]
    max_places: int
    tags: NDArray[np.uint8] | None = None

    def __len__(self) -> int:
        return len(self.scaled)

    def take(self, positions: Positions) -> "NumberColumn":
        """The same field of fewer rows."""
        tags = None if self.tags is None else self.tags[positions]
        return NumberColumn(self.scaled[positions], self.places[positions], self.max_places, tags)

    def is_number(self) -> Mask:
        """Where a number stands."""
        if self.tags is None:
            return np.ones(len(self), dtype=np.bool_)
        return np.asarray(self.tags == _VALUE)

    def present(self) -> Mask:
        """Where a row has the field, be it null."""
        if self.tags is None:
            return np.ones(len(self), dtype=np.bool_)
        return np.asarray(self.tags != _ABSENT)

    def mask(self, check: Check) -> Mask:
        """Where a comparison is true."""
        if check.op == "!=":
            return ~self.mask(Check("==", check.operand))
        if check.op == "in":
            options = check.operand if isinstance(check.operand, list) else []
            found = np.zeros(len(self), dtype=np.bool_)
            for option in options:
                found |= self.mask(Check("==", option))
            return found
        if check.operand is None and check.op in {"==", "<=", ">="} and self.tags is not None:
            return np.asarray(self.tags == _NULL)
        if kind_of(check.operand) != "number" or check.op == "contains":
            return np.zeros(len(self), dtype=np.bool_)
        return self._compare(check.op, check.operand) & self.is_number()

    def _compare(self, op: Op, operand: int | Decimal) -> Mask:
        exact = Decimal(operand)
        if exact.adjusted() > _FAR:  # so far out that every number is on the same side
            is_true = op in ({"<", "<="} if exact > 0 else {">", ">="})
            return np.full(len(self), is_true)
        bound = _scale(exact, self.max_places)
        low, high = floor(bound), ceil(bound)
        if op == "==":
            return self.scaled == low if low == high else np.zeros(len(self), dtype=np.bool_)
        edge = _clip(high if op in {"<", ">="} else low)
        return np.asarray(ORDERED[op](self.scaled, edge))

    def values(self) -> list[Any]:
        """JSON values with the digits of their texts."""
        steps = self.max_places - self.places
        mantissas = (self.scaled // 10 ** steps.astype(np.int64)).tolist()
        pairs = zip(mantissas, self.places.tolist(), strict=True)
        numbers: list[Any] = [Decimal(m).scaleb(-p) if p else m for m, p in pairs]
        if self.tags is not None:
            for position in np.flatnonzero(self.tags):
                numbers[position] = None if self.tags[position] == _NULL else MISSING
        return numbers

    def factorize(self) -> tuple[Codes, list[Any]]:
        """For each row the number of its value among the distinct ones, missing as null."""
        is_number = self.is_number()
        _, first, inverse = np.unique(
            self.scaled[is_number], return_index=True, return_inverse=True
        )
        chosen = np.flatnonzero(is_number)[first].astype(np.int32)
        uniques = self.take(chosen).values()
        codes = np.full(len(self), len(uniques), dtype=np.intp)
        codes[is_number] = inverse
        return codes, uniques if is_number.all() else [*uniques, None]


def _scale(number: Decimal, places: int) -> Decimal:
    """`number` × 10^places, exactly, or something as far below a half as it is."""
    sign, digits, exponent = number.as_tuple()
    return Decimal((sign, digits, int(exponent) + places))


def _clip(edge: int) -> int:
    return max(-(2**63), min(edge, 2**63 - 1))


def make_numbers(values: list[Any], kinds: set[type]) -> NumberColumn | None:
    """The column of these ints and decimals, with null and missing; None where 64 bits are too few."""
    has_gaps = bool(kinds & {type(None), Missing})
    tags = None
    if has_gaps:
        gaps = {type(None): _NULL, Missing: _ABSENT}
        tags = np.array([gaps.get(type(value), _VALUE) for value in values], dtype=np.uint8)
        values = [0 if value is None or value is MISSING else value for value in values]
    split = _split_quickly(values) if kinds & {Decimal} else _take_whole(values)
    split = split or _split_each(values)
    if split is None:
        return None
    mantissas, places = split
    max_places = int(places.max())
    highest = max(abs(int(mantissas.max())), abs(int(mantissas.min())))
    if highest * 10**max_places >= _MAX_SCALED:
        return None
    steps = (max_places - places).astype(np.int64)
    scaled = mantissas.astype(np.int64) * 10**steps
    return NumberColumn(scaled, places, max_places, tags)


def _take_whole(values: Sequence[int]) -> Split | None:
    """Of ints alone; None where one leaves 64 bits."""
    if max(values) >= _MAX_SCALED or min(values) <= -_MAX_SCALED:
        return None
    return np.array(values, dtype=np.int64), np.zeros(len(values), dtype=np.uint8)


def _split_quickly(values: Sequence[int | Decimal]) -> Split | None:
    """All at once, as a matrix of characters; None where a spelling is not plain digits."""
    texts = np.array(list(map(str, values)), dtype=np.bytes_)
    signs = texts.view(np.uint8).reshape(len(texts), texts.itemsize)
    is_digit, is_point = (signs >= _ZERO) & (signs <= _ZERO + 9), signs == _POINT
    is_negative = signs[:, 0] == _MINUS
    sizes = (signs != 0).sum(axis=1)
    known = is_digit.sum(axis=1) + is_point.sum(axis=1) + is_negative
    if is_digit.sum(axis=1).max() > _MAX_PLACES or (known != sizes).any():
        return None
    mantissas = np.zeros(len(texts), dtype=np.int64)
    for at in range(texts.itemsize):
        here = is_digit[:, at]
        mantissas = np.where(here, mantissas * 10 + signs[:, at] - _ZERO, mantissas)
    if (is_negative & (mantissas == 0)).any():
        return None
    places = np.where(is_point.any(axis=1), sizes - 1 - is_point.argmax(axis=1), 0)
    return np.where(is_negative, -mantissas, mantissas), places.astype(np.uint8)


def _split_each(values: Sequence[int | Decimal]) -> Split | None:
    pairs = [_split(value) for value in values]
    known = [pair for pair in pairs if pair is not None]
    if len(known) < len(pairs):
        return None
    mantissas = np.array([mantissa for mantissa, _ in known], dtype=np.object_)
    return mantissas, np.array([places for _, places in known], dtype=np.uint8)


def _split(number: int | Decimal) -> tuple[int, int] | None:
    """Digits as an integer, and decimal places; None for spellings that this would not keep."""
    if isinstance(number, int):
        return number, 0
    text = str(number)
    whole, _, fraction = text.partition(".")
    if "E" in text or len(fraction) > _MAX_PLACES or not fraction:
        return None
    digits = int(whole + fraction)
    return None if digits == 0 and number.is_signed() else (digits, len(fraction))


_SAFE = 2**62


def sum_scaled(numbers: NumberColumn) -> int | Decimal:
    """The sum of a column without gaps, with the places of its most precise value."""
    if not len(numbers):
        return 0
    scaled = numbers.scaled
    total = int(scaled.sum()) if is_safe(scaled) else int(sum(scaled.tolist()))
    return unscale(total, numbers.max_places, int(numbers.places.max()))


def is_safe(scaled: Whole) -> bool:
    """Whether no sum of these can leave 64 bits."""
    size = len(scaled)
    return not size or max(int(scaled.max()), -int(scaled.min())) * size < _SAFE


def sum_by_group(numbers: NumberColumn, groups: Codes, count: int) -> list[int | Decimal]:
    """The same for each of `count` groups; `groups` says to which a number belongs."""
    places = np.zeros(count, dtype=np.uint8)
    np.maximum.at(places, groups, numbers.places)
    dtype = np.int64 if is_safe(numbers.scaled) else np.object_
    totals = np.zeros(count, dtype=dtype)
    np.add.at(totals, groups, numbers.scaled.astype(dtype))
    pairs = zip(totals.tolist(), places.tolist(), strict=True)
    return [unscale(total, numbers.max_places, shown) for total, shown in pairs]


def unscale(total: int, places: int, shown: int) -> int | Decimal:
    """An integer of the scale `places` as a number with `shown` places, of which the rest are 0."""
    mantissa: int = total // 10 ** (places - shown)
    if not shown:
        return mantissa
    return Decimal((mantissa < 0, tuple(map(int, str(abs(mantissa)))), -shown))

"""Columns of a block of rows as numpy arrays: numbers exact as scaled integers, texts by dictionary.

numpy rather than a database in the process (DuckDB) or a data-frame engine (Polars): a cell keeps
its JSON type and its digits, nothing has a way to files or network that would have to be closed,
and a query goes block by block, so that its memory is bounded by a block.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from math import ceil, floor
from operator import eq, ge, gt, le, lt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from backend.results.values import MISSING, Missing, Op, holds, identity_key, kind_of

Mask = NDArray[np.bool_]
Positions = NDArray[np.int32]
Codes = NDArray[np.intp]
Whole = NDArray[np.int64]

MAX_DISTINCT = 1024
"""Distinct values up to which a block's column is kept by dictionary."""

_MAX_PLACES = 18
_MAX_SCALED = 2**62
_FAR = 40  # powers of ten; no scaled integer of 64 bits reaches it
_VALUE, _NULL, _ABSENT = 0, 1, 2
_ORDERED: dict[Op, Callable[[Any, Any], Any]] = {"==": eq, "<": lt, "<=": le, ">": gt, ">=": ge}


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
        return np.asarray(_ORDERED[op](self.scaled, edge))

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


@dataclass(frozen=True)
class DictionaryColumn:
    """Few distinct values, `MISSING` perhaps among them; what is asked, is asked of those alone."""

    codes: NDArray[np.uint16]
    uniques: Sequence[Any]

    def __len__(self) -> int:
        return len(self.codes)

    def take(self, positions: Positions) -> "DictionaryColumn":
        """The same field of fewer rows."""
        return DictionaryColumn(self.codes[positions], self.uniques)

    def _spread(self, truths: list[bool]) -> Mask:
        return np.asarray(np.array(truths, dtype=np.bool_)[self.codes])

    def mask(self, check: Check) -> Mask:
        """Where a comparison is true."""
        return self._spread([check(value) for value in self.uniques])

    def present(self) -> Mask:
        """Where a row has the field, be it null."""
        return self._spread([value is not MISSING for value in self.uniques])

    def values(self) -> list[Any]:
        """JSON values."""
        uniques = list(self.uniques)
        return [uniques[code] for code in self.codes.tolist()]

    def factorize(self) -> tuple[Codes, list[Any]]:
        """For each row the number of its value among the distinct ones, missing as null."""
        merged, uniques = _number_values(self.uniques)
        used, inverse = np.unique(merged[self.codes], return_inverse=True)
        return inverse, [uniques[code] for code in used]


@dataclass(frozen=True)
class ListColumn:
    """Any values one by one."""

    entries: list[Any]

    def __len__(self) -> int:
        return len(self.entries)

    @cached_property
    def is_text(self) -> bool:
        """Whether all are texts, which is quicker to ask."""
        return set(map(type, self.entries)) == {str}

    def take(self, positions: Positions) -> "ListColumn":
        """The same field of fewer rows."""
        return ListColumn([self.entries[position] for position in positions.tolist()])

    def mask(self, check: Check) -> Mask:
        """Where a comparison is true."""
        ordered = _ORDERED.get(check.op)
        if self.is_text and isinstance(check.operand, str) and ordered is not None:
            operand = check.operand
            if check.op == "==":
                return np.array([entry == operand for entry in self.entries], dtype=np.bool_)
            return np.array([ordered(entry, operand) for entry in self.entries], dtype=np.bool_)
        return np.array([check(entry) for entry in self.entries], dtype=np.bool_)

    def present(self) -> Mask:
        """Where a row has the field, be it null."""
        return np.array([entry is not MISSING for entry in self.entries], dtype=np.bool_)

    def values(self) -> list[Any]:
        """JSON values."""
        return self.entries

    def factorize(self) -> tuple[Codes, list[Any]]:
        """For each row the number of its value among the distinct ones, missing as null."""
        return _number_values(self.entries)


def _number_values(values: Sequence[Any]) -> tuple[Codes, list[Any]]:
    numbers: dict[Any, int] = {}
    if set(map(type, values)) == {str}:
        codes = [numbers.setdefault(value, len(numbers)) for value in values]
        return np.array(codes, dtype=np.intp), list(numbers)
    codes = [numbers.setdefault(identity_key(value), len(numbers)) for value in values]
    firsts = dict(zip(reversed(codes), reversed(values), strict=True))
    uniques = [firsts[number] for number in range(len(numbers))]
    return np.array(codes, dtype=np.intp), [None if u is MISSING else u for u in uniques]


def _scale(number: Decimal, places: int) -> Decimal:
    """`number` × 10^places, exactly, or something as far below a half as it is."""
    sign, digits, exponent = number.as_tuple()
    return Decimal((sign, digits, int(exponent) + places))


def _clip(edge: int) -> int:
    return max(-(2**63), min(edge, 2**63 - 1))


def make_column(values: list[Any]) -> Column:
    """The densest column that keeps these values."""
    kinds = set(map(type, values))
    if kinds & {int, Decimal} and kinds <= {int, Decimal, type(None), Missing}:
        column = _make_numbers(values, kinds)
        if column is not None:
            return column
    return ListColumn(values) if kinds & {dict, list} else _make_dictionary(values, kinds)


def _make_dictionary(values: list[Any], kinds: set[type]) -> Column:
    is_plain = kinds <= {str, type(None), Missing}
    keys = values if is_plain else [(type(value), str(value)) for value in values]
    distinct = dict.fromkeys(keys)
    if len(distinct) > min(MAX_DISTINCT, len(values) // 2 + 1):
        return ListColumn(values)
    numbers = {key: number for number, key in enumerate(distinct)}
    codes = np.fromiter((numbers[key] for key in keys), dtype=np.uint16, count=len(keys))
    firsts = dict(zip(reversed(keys), reversed(values), strict=True))
    return DictionaryColumn(codes, [firsts[key] for key in distinct])


def _make_numbers(values: list[Any], kinds: set[type]) -> NumberColumn | None:
    has_gaps = bool(kinds & {type(None), Missing})
    tags = None
    if has_gaps:
        gaps = {type(None): _NULL, Missing: _ABSENT}
        tags = np.array([gaps.get(type(value), _VALUE) for value in values], dtype=np.uint8)
        values = [0 if value is None or value is MISSING else value for value in values]
    if kinds & {Decimal}:
        split = [_split(value) for value in values]
        if None in split:
            return None
        mantissas = [pair[0] for pair in split if pair]
        places = np.array([pair[1] for pair in split if pair], dtype=np.uint8)
    else:
        mantissas, places = values, np.zeros(len(values), dtype=np.uint8)
    max_places = int(places.max())
    if max(map(abs, mantissas)) * 10**max_places >= _MAX_SCALED:
        return None
    steps = (max_places - places).astype(np.int64)
    scaled = np.array(mantissas, dtype=np.int64) * 10**steps
    return NumberColumn(scaled, places, max_places, tags)


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

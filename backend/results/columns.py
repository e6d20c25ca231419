"""Columns of a block of rows as numpy arrays: numbers exact as scaled integers, texts by dictionary.

numpy rather than a database in the process (DuckDB) or a data-frame engine (Polars): a cell keeps
its JSON type and its digits, nothing has a way to files or network that would have to be closed,
and a query goes block by block, so that its memory is bounded by a block.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.results.numbers import ORDERED, Check, Codes, Column, Mask, Positions, make_numbers
from backend.results.values import MISSING, Missing, identity_key

MAX_DISTINCT = 1024
"""Distinct values up to which a block's column is kept by dictionary."""


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
        ordered = ORDERED.get(check.op)
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


def make_column(values: list[Any]) -> Column:
    """The densest column that keeps these values."""
    kinds = set(map(type, values))
    if kinds & {int, Decimal} and kinds <= {int, Decimal, type(None), Missing}:
        column = make_numbers(values, kinds)
        if column is not None:
            return column
    return ListColumn(values) if kinds & {dict, list} else _make_dictionary(values, kinds)


def _make_dictionary(values: list[Any], kinds: set[type]) -> Column:
    is_plain = kinds <= {str, type(None), Missing}
    keys = values if is_plain else [(type(value), str(value)) for value in values]
    most = min(MAX_DISTINCT, len(values) // 2 + 1)
    if len(set(islice(keys, 2 * most))) > most:  # soon seen where all differ
        return ListColumn(values)
    distinct = dict.fromkeys(keys)
    if len(distinct) > most:
        return ListColumn(values)
    numbers = {key: number for number, key in enumerate(distinct)}
    codes = np.fromiter((numbers[key] for key in keys), dtype=np.uint16, count=len(keys))
    firsts = dict(zip(reversed(keys), reversed(values), strict=True))
    return DictionaryColumn(codes, [firsts[key] for key in distinct])

"""Sorts rows by columns: a number for each value's rank, so that many rows sort as integers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from backend.results.column import Codes, Column, Whole
from backend.results.number_column import NumberColumn
from backend.results.path_grammar import FieldStep
from backend.results.query_shape import Order
from backend.results.rows import Rows, read_field
from backend.results.values import MISSING, identity_key, order_key

_LAST = np.iinfo(np.int64).max
_SAFE = 2**62
_AT_ONCE = 4096


@dataclass(frozen=True)
class Ordered:
    """Rows in another order than the data's; `order` are their indices."""

    rows: Rows
    order: Codes

    def __len__(self) -> int:
        return len(self.order)

    def __iter__(self) -> Iterator[Any]:
        for start in range(0, len(self.order), _AT_ONCE):
            yield from self.rows.pick(self.order[start : start + _AT_ONCE])

    def slice(self, start: int, end: int) -> "Ordered":
        """A part of them."""
        return Ordered(self.rows, self.order[start:end])


@dataclass(frozen=True)
class Projected:
    """Rows with only some fields; a row without one has null there."""

    rows: Rows | Ordered
    fields: tuple[tuple[str, tuple[FieldStep, ...]], ...]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Any]:
        for row in self.rows:
            found = {text: read_field(row, steps) for text, steps in self.fields}
            yield {text: None if value is MISSING else value for text, value in found.items()}

    def slice(self, start: int, end: int) -> "Projected":
        """A part of them."""
        return Projected(self.rows.slice(start, end), self.fields)


def sort_rows(rows: Rows, orders: Sequence[Order]) -> Rows | Ordered:
    """The rows by these fields; ties keep the data's order, null and missing come last."""
    if not orders or not len(rows):
        return rows
    keys = [_make_sort_key(rows, order) for order in orders]
    return Ordered(rows, np.lexsort(keys[::-1]))


def _make_sort_key(rows: Rows, order: Order) -> Whole:
    columns = [part.column(order.field.steps) for part in rows.parts]
    ranks, is_null = _rank_numbers(columns) or _rank_values(columns)
    if order.is_descending:
        ranks = -ranks
    ranks[is_null] = _LAST
    return ranks


def _rank_numbers(columns: Sequence[Column]) -> tuple[Whole, Any] | None:
    """Numbers themselves at one scale, where all columns are of numbers that allow it."""
    numbers = [column for column in columns if isinstance(column, NumberColumn)]
    if len(numbers) < len(columns):
        return None
    places = max(column.max_places for column in numbers)
    for column in numbers:
        highest = int(np.abs(column.scaled).max(initial=0))
        if highest * 10 ** (places - column.max_places) >= _SAFE:
            return None
    scaled = [column.scaled * 10 ** (places - column.max_places) for column in numbers]
    gaps = [~column.is_number() for column in numbers]
    return np.concatenate(scaled), np.concatenate(gaps)


def _rank_values(columns: Sequence[Column]) -> tuple[Whole, Any]:
    numbers: dict[Any, int] = {}
    firsts: list[Any] = []
    parts = []
    for column in columns:
        codes, uniques = column.factorize()
        known = len(numbers)
        numbered = [numbers.setdefault(identity_key(value), len(numbers)) for value in uniques]
        new = (pair for pair in zip(numbered, uniques, strict=True) if pair[0] >= known)
        firsts += [value for _, value in new]
        parts.append(np.array(numbered, dtype=np.int64)[codes])
    order = sorted(range(len(firsts)), key=lambda number: order_key(firsts[number]))
    ranks = np.empty(len(firsts), dtype=np.int64)
    ranks[order] = np.arange(len(firsts))
    is_null = np.array([value is None for value in firsts], dtype=np.bool_)
    codes = np.concatenate(parts)
    return ranks[codes], is_null[codes]

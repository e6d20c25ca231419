"""Answers structured queries over a document's table.

Sorts rows by columns: a number for each value's rank, so that many rows sort as integers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from backend.results.aggregation import aggregate_rows
from backend.results.document import MAX_KEYS, Document, Listing
from backend.results.numbers import Codes, Column, NumberColumn, Whole
from backend.results.path_grammar import All, FieldStep, Key
from backend.results.query_shape import Field, Order, Query, parse_query
from backend.results.refusals import refuse_field
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


Page = dict[str, Any]


def run_query(document: Document, raw: Any) -> Page:
    """`{"rows", "total", "returned", "cursor"}`; the rows are a `Listing`, made when wanted."""
    query = parse_query(raw)
    for named in query.list_fields():
        _need_field(document, named)
    rows = document.table
    if query.where:
        rows = rows.filter(All(query.where))
    found = _list_groups(rows, query) if query.is_grouped else _list_rows(rows, query)
    return _make_page(found, query)


def _make_page(found: Listing, query: Query) -> Page:
    total = len(found)
    start = min(query.offset, total)
    end = total if query.limit is None else min(start + query.limit, total)
    cursor = str(end) if end < total else None
    return {
        "rows": found.slice(start, end),
        "total": total,
        "returned": end - start,
        "cursor": cursor,
    }


def _list_rows(rows: Rows, query: Query) -> Listing:
    ordered = sort_rows(rows, query.order_by)
    fields = tuple((named.text, named.steps) for named in query.select)
    return Projected(ordered, fields) if fields else ordered


def _list_groups(rows: Rows, query: Query) -> Listing:
    groups = aggregate_rows(rows, query)
    names = [named.text for named in query.group_by] + [a.name for a in query.aggregate]
    for order in query.order_by:
        if order.field.text not in names:
            raise refuse_field(order.field.text, names, "groups have only these")
    by_name = [
        Order(Field(order.field.text, (Key(order.field.text),)), order.is_descending)
        for order in query.order_by
    ]
    return sort_rows(Rows.of(groups), by_name)


def _need_field(document: Document, named: Field) -> None:
    """Refuse a field that no row has: it would look like an answer of nothing."""
    first = named.steps[0]
    assert isinstance(first, Key)
    is_known = first.name in document.keys or len(document.keys) >= MAX_KEYS
    if not len(document.table) or (is_known and len(named.steps) == 1):
        return
    has_it = is_known and any(
        part.column(named.steps).present().any() for part in document.table.parts
    )
    if not has_it:
        raise refuse_field(named.text, document.keys)

"""Answers structured queries over a document's table.

Sorts rows by columns: a number for each value's rank, so that many rows sort as integers.

Groups rows and adds up: block by block, exactly, nulls skipped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from backend.results.document import MAX_KEYS, Document, Listing
from backend.results.handle import refuse_field, refuse_number
from backend.results.numbers import Codes, Column, NumberColumn, Whole, sum_by_group
from backend.results.path_grammar import All, FieldStep, Key
from backend.results.query_shape import Aggregate, Field, Order, Query, parse_query
from backend.results.rows import Part, Rows, read_field
from backend.results.values import MISSING, add_exactly, average, identity_key, kind_of, order_key


@dataclass
class Figures:
    """One aggregate of every group so far, by the group's number."""

    aggregate: Aggregate
    counts: list[int] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)

    def grow(self, groups: int) -> None:
        """Make room for new groups."""
        missing = groups - len(self.counts)
        start = 0 if self.aggregate.op in {"sum", "avg"} else None
        self.counts += [0] * missing
        self.values += [start] * missing

    def add_rows(self, groups: Sequence[int], counts: Sequence[int]) -> None:
        """Count rows."""
        for group, count in zip(groups, counts, strict=True):
            self.counts[group] += count

    def add(self, column: Column, codes: Codes, groups: Sequence[int]) -> None:
        """Take in a block's column; `codes` point into `groups`."""
        if isinstance(column, NumberColumn):
            positions = np.flatnonzero(column.is_number()).astype(np.int32)
            self._add_numbers(column.take(positions), codes[positions], groups)
        else:
            self._add_values(column.values(), [groups[code] for code in codes.tolist()])

    def _add_numbers(self, numbers: NumberColumn, codes: Codes, groups: Sequence[int]) -> None:
        counts = np.bincount(codes, minlength=len(groups)).tolist()
        self.add_rows(groups, counts)
        if self.aggregate.op in {"sum", "avg"}:
            sums = sum_by_group(numbers, codes, len(groups))
            for group, count, part in zip(groups, counts, sums, strict=True):
                if count:
                    self._add_sum(group, part)
        elif self.aggregate.op in {"min", "max"}:
            self._add_bounds(numbers, codes, groups)

    def _add_bounds(self, numbers: NumberColumn, codes: Codes, groups: Sequence[int]) -> None:
        sign = 1 if self.aggregate.op == "min" else -1
        order = np.lexsort((sign * numbers.scaled, codes))
        used, first = np.unique(codes[order], return_index=True)
        values = numbers.take(order[first].astype(np.int32)).values()
        for code, value in zip(used.tolist(), values, strict=True):
            self._add_bound(groups[code], value)

    def _add_values(self, values: Sequence[Any], groups: Sequence[int]) -> None:
        is_sum = self.aggregate.op in {"sum", "avg"}
        for value, group in zip(values, groups, strict=True):
            if value is None or value is MISSING:
                continue
            self.counts[group] += 1
            if is_sum:
                self._need_number(value)
                self._add_sum(group, value)
            elif self.aggregate.op != "count":
                self._add_bound(group, value)

    def _need_number(self, value: Any) -> None:
        if kind_of(value) != "number":
            assert self.aggregate.field is not None
            raise refuse_number(self.aggregate.field.text)

    def _add_sum(self, group: int, part: Any) -> None:
        before = self.values[group]
        self.values[group] = None if before is None else add_exactly((before, part))

    def _add_bound(self, group: int, value: Any) -> None:
        before = self.values[group]
        if before is None:
            self.values[group] = value
            return
        is_lower = order_key(value) < order_key(before)
        is_higher = order_key(value) > order_key(before)
        if is_lower if self.aggregate.op == "min" else is_higher:
            self.values[group] = value

    def result(self, group: int) -> Any:
        """The figure of one group; nothing sums up to 0 and has no average, least or greatest."""
        if self.aggregate.op == "count":
            return self.counts[group]
        if self.aggregate.op == "avg":
            return average(self.values[group], self.counts[group])
        return self.values[group]


@dataclass
class Grouping:
    """The groups so far: a number for each combination of values."""

    query: Query
    values: list[tuple[Any, ...]] = field(default_factory=list)
    numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def assign(self, part: Part) -> tuple[Codes, list[int]]:
        """For each row a code, and the number of the group that each code stands for."""
        codes = np.zeros(len(part.positions), dtype=np.intp)
        combinations: list[tuple[Any, ...]] = [()]
        for named in self.query.group_by:
            added, uniques = part.column(named.steps).factorize()
            used, codes = np.unique(codes * len(uniques) + added, return_inverse=True)
            pairs = (divmod(code, len(uniques)) for code in used.tolist())
            combinations = [(*combinations[left], uniques[right]) for left, right in pairs]
        return codes, [self._find(combination) for combination in combinations]

    def _find(self, combination: tuple[Any, ...]) -> int:
        key = tuple(map(identity_key, combination))
        number = self.numbers.setdefault(key, len(self.numbers))
        if number == len(self.values):
            self.values.append(combination)
        return number


def aggregate_rows(rows: Rows, query: Query) -> list[dict[str, Any]]:
    """One row a group, by the groups' values; without `group_by` one row over all."""
    grouping = Grouping(query)
    figures = [Figures(aggregate) for aggregate in query.aggregate]
    if not query.group_by:
        grouping.values.append(())
        grouping.numbers[()] = 0
        _grow(figures, 1)
    for part in rows.parts:
        codes, groups = grouping.assign(part)
        _grow(figures, len(grouping.values))
        for figure in figures:
            _add_part(figure, part, codes, groups)
    order = sorted(range(len(grouping.values)), key=lambda n: _order_group(grouping.values[n]))
    names = [named.text for named in query.group_by]
    return [
        dict(zip(names, grouping.values[n], strict=True))
        | {figure.aggregate.name: figure.result(n) for figure in figures}
        for n in order
    ]


def _grow(figures: Sequence[Figures], groups: int) -> None:
    for figure in figures:
        figure.grow(groups)


def _add_part(figure: Figures, part: Part, codes: Codes, groups: list[int]) -> None:
    named = figure.aggregate.field
    if named is None:
        figure.add_rows(groups, np.bincount(codes, minlength=len(groups)).tolist())
    else:
        figure.add(part.column(named.steps), codes, groups)


def _order_group(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(map(order_key, values))


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

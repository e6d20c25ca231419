"""Groups rows and adds up: block by block, exactly, nulls skipped."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from backend.results.numbers import Codes, Column, NumberColumn, sum_by_group
from backend.results.query_shape import Aggregate, Query
from backend.results.refusals import refuse_number
from backend.results.rows import Part, Rows
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

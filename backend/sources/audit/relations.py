"""Columns that follow from others: copies, sums, functions.

A sum is looked for by fingerprints: the product of a column with the same random weights is linear,
so that a sum of columns has the sum of their fingerprints; what fits is then checked row by row.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import comb, lcm
from typing import Any

import numpy as np

from backend.results.values import MISSING, write_json
from backend.sources.audit.table import AuditedColumn

Derived = tuple[AuditedColumn, str, Mapping[str, Any]]

_MOST_TERMS = 6
_MOST_TRIED = 10_000
_LOOKED_AT = 1000
"""Rows by which most pairs of columns are told apart before all are looked at."""

_TRIED = 50
_ALWAYS_A_LINE = 2  # points

_MOST_SHARE = 2  # a column that differs in more than every other row determines anything by chance


class Relations:
    """Some columns of one table, none of which stands still."""

    def __init__(self, columns: Sequence[AuditedColumn]) -> None:
        self._columns = columns
        self._rows = len(columns[0].values) if columns else 0

    def list_derived(self) -> Iterator[Derived]:
        """Each column that can be left out, with the reason; those it rests on are not left out."""
        gone: set[str] = set()
        for column, kind, details in self._list_all():
            rests_on = details.get("of", ())
            names = {rests_on} if isinstance(rests_on, str) else set(rests_on)
            if column.name not in gone and not names & gone:
                gone.add(column.name)
                self._needed |= names
                yield column, kind, details

    @cached_property
    def _needed(self) -> set[str]:
        return set()

    def _list_all(self) -> Iterator[Derived]:
        yield from self._list_copies()
        yield from self._list_sums()
        yield from self._list_lines()
        yield from self._list_functions()

    def _list_copies(self) -> Iterator[Derived]:
        seen: dict[bytes, str] = {}
        for column in self._columns:
            key = _identify(column)
            if key in seen:
                yield column, "copy", {"of": seen[key]}
            else:
                seen[key] = column.name

    @cached_property
    def _numeric(self) -> list[AuditedColumn]:
        return [column for column in self._columns if column.is_numeric]

    def _list_sums(self) -> Iterator[Derived]:
        copies = {column.name for column, _, _ in self._list_copies()}
        numeric = [column for column in self._numeric if column.name not in copies]
        prints = _make_fingerprints(numeric, self._rows)
        for column in reversed(numeric):  # a total stands behind its terms
            if column.name in self._needed:
                continue
            others = [other for other in numeric if other is not column]
            terms = _find_terms(column, others, prints)
            if terms:
                yield column, "sum", {"of": [term.name for term in terms]}

    def _list_lines(self) -> Iterator[Derived]:
        for column in self._numeric:
            for other in self._numeric:
                if other is column:
                    break  # the earlier one is the one to keep
                rule = None if column.name in self._needed else _find_line(other, column)
                if rule:
                    yield column, "function", {"of": other.name, "rule": rule}
                    break

    def _list_functions(self) -> Iterator[Derived]:
        for column in self._columns:
            if column.name in self._needed:
                continue
            found = [other for other in self._columns if self._determines(other, column)]
            if found:
                best = min(found, key=lambda other: len(other.factors[1]))
                yield column, "function", {"of": best.name}

    def _determines(self, other: AuditedColumn, column: AuditedColumn) -> bool:
        """Whether each value of `other` comes with one of `column`; of two alike the later goes."""
        codes, uniques = other.factors
        own, values = column.factors
        if other is column or not len(values) <= len(uniques) <= self._rows // _MOST_SHARE:
            return False
        if len(uniques) == len(values) and not self._is_before(other, column):
            return False
        for part in (slice(_LOOKED_AT), slice(None)):
            pairs = codes[part] * len(values) + own[part]
            if len(np.unique(pairs)) > len(np.unique(codes[part])):
                return False
        return True

    def _is_before(self, one: AuditedColumn, other: AuditedColumn) -> bool:
        return self._columns.index(one) < self._columns.index(other)


def _identify(column: AuditedColumn) -> bytes:
    codes, uniques = column.factors
    first: dict[int, int] = {}
    order = [first.setdefault(code, len(first)) for code in codes.tolist()]
    names = [write_json(None if uniques[code] is MISSING else uniques[code]) for code in first]
    return np.array(order, dtype=np.int64).tobytes() + "\n".join(names).encode()


def _list_numbers(column: AuditedColumn) -> list[int | Decimal]:
    return [0 if value is None else value for value in column.values]


def _make_fingerprints(columns: Sequence[AuditedColumn], rows: int) -> dict[str, int]:
    chance = random.Random(rows)  # noqa: S311 - weights, no secret
    weights = [chance.getrandbits(40) for _ in range(rows)]
    prints = {}
    for column in columns:
        codes, uniques = column.factors
        sums = [0] * len(uniques)
        for code, weight in zip(codes.tolist(), weights, strict=True):
            sums[code] += weight
        terms = (Fraction(value or 0) * sums[n] for n, value in enumerate(uniques))
        prints[column.name] = sum(terms, Fraction())
    scale = lcm(*(found.denominator for found in prints.values()))
    return {name: int(found * scale) for name, found in prints.items()}


def _find_terms(
    column: AuditedColumn, others: Sequence[AuditedColumn], prints: Mapping[str, int]
) -> Sequence[AuditedColumn]:
    """Columns whose sum it is; all terms but one are tried, and the last one looked up."""
    by_print = {prints[other.name]: other for other in others}
    spent = 0
    for count in range(1, min(_MOST_TERMS, len(others))):
        spent += comb(len(others), count)
        if spent > _MOST_TRIED:
            break
        for terms in combinations(others, count):
            rest = prints[column.name] - sum(prints[term.name] for term in terms)
            last = by_print.get(rest)
            if last is not None and last not in terms and _adds_up(column, (*terms, last)):
                return (*terms, last)
    return ()


def _adds_up(column: AuditedColumn, terms: Sequence[AuditedColumn]) -> bool:
    lists = [_list_numbers(term) for term in terms]
    return all(
        sum(numbers) == total
        for total, numbers in zip(_list_numbers(column), zip(*lists, strict=True), strict=True)
    )


def _find_line(other: AuditedColumn, column: AuditedColumn) -> str | None:
    """`× 1.8 + 32` where `column` is that of `other` in every row; a few rows tell most apart."""
    found = None
    for size in (_TRIED, len(column.values)):
        found = _fit_line(other.values[:size], column.values[:size])
        if found is None:
            return None
    slope, shift = found or (Fraction(), Fraction())
    return f"× {_show(slope)}" + (f" {'+' if shift > 0 else '-'} {_show(abs(shift))}" * bool(shift))


def _fit_line(xs: Sequence[Any], ys: Sequence[Any]) -> tuple[Fraction, Fraction] | None:
    if None in xs or None in ys:
        return None
    points = list(dict(zip(xs, ys, strict=True)).items())
    if len(points) <= _ALWAYS_A_LINE:
        return None
    (x, y), (x1, y1) = points[:2]
    slope = Fraction(y1 - y) / Fraction(x1 - x)
    shift = Fraction(y) - slope * Fraction(x)
    rows = zip(xs, ys, strict=True)
    if slope == 0 or any(Fraction(b) != slope * Fraction(a) + shift for a, b in rows):
        return None
    return slope, shift


def _show(number: Fraction) -> str:
    shown = Decimal(number.numerator) / Decimal(number.denominator)
    return f"{shown.normalize():f}" if Fraction(shown) == number else str(number)

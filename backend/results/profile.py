"""What a summary says of one column, gathered block by block: types, bounds, sums, counts, dates."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from backend.results.column import Column
from backend.results.columns import DictionaryColumn, ListColumn
from backend.results.dates import Moment, find_ends, find_plain_ends
from backend.results.exact_sum import sum_scaled
from backend.results.number_column import NumberColumn
from backend.results.text_column import TextColumn
from backend.results.values import Kind, add_exactly, average, kind_of, multiply_exactly

MAX_ENUM = 8
_TOP = 5
_LONGEST_TOP = 40


@dataclass
class Profile:
    """One column so far; `counts` are rows by type, `choices` None past eight distinct values."""

    counts: Counter[Kind] = field(default_factory=Counter)
    lowest: Any = None
    highest: Any = None
    total: Any = 0
    choices: dict[Any, int] | None = field(default_factory=dict)
    shortest: int | None = None
    longest: int = 0
    first: Moment | None = None
    last: Moment | None = None
    is_date: bool = True

    def add(self, column: Column) -> None:
        """Take in the column of one more block."""
        if isinstance(column, NumberColumn):
            self._add_number_column(column)
        elif isinstance(column, DictionaryColumn):
            numbers = np.bincount(column.codes, minlength=len(column.uniques)).tolist()
            self._add_values(zip(column.uniques, numbers, strict=True))
        elif isinstance(column, TextColumn):
            self._add_text_column(column)
        elif isinstance(column, ListColumn) and column.is_text:
            self._add_texts(column.entries)
        else:
            self._add_values((value, 1) for value in column.values())

    def _add_number_column(self, column: NumberColumn) -> None:
        positions = np.flatnonzero(column.is_number()).astype(np.int32)
        self.counts["null"] += len(column) - len(positions)
        if not len(positions):
            return
        numbers = column.take(positions)
        edges = np.array([numbers.scaled.argmin(), numbers.scaled.argmax()], dtype=np.int32)
        low, high = numbers.take(edges).values()
        self._add_bounds(low, high)
        self.counts["number"] += len(positions)
        self._add_total(sum_scaled(numbers))

    def _add_total(self, part: Any) -> None:
        self.total = None if self.total is None else add_exactly((self.total, part))

    def _add_bounds(self, low: Any, high: Any) -> None:
        self.lowest = low if self.lowest is None else min(self.lowest, low)
        self.highest = high if self.highest is None else max(self.highest, high)

    def _add_values(self, pairs: Iterable[tuple[Any, int]]) -> None:
        for value, count in pairs:
            if not count:
                continue
            kind = kind_of(value)
            if kind == "text":
                self._add_texts([value], count)
                continue
            self.counts["null" if kind == "missing" else kind] += count
            if kind == "number":
                self._add_bounds(value, value)
                self._add_total(multiply_exactly(value, count))
            elif kind == "boolean":
                self._choose(value, count)

    def _add_text_column(self, column: TextColumn) -> None:
        self.counts["text"] += len(column)
        self._add_lengths(int(column.lengths.min()), int(column.lengths.max()))
        if self.choices is not None:
            self._choose_among(column.values())
        if self.is_date:
            self._add_ends(find_plain_ends(column) or find_ends(column.values()))

    def _add_texts(self, texts: list[str], count: int = 1) -> None:
        self.counts["text"] += len(texts) * count
        lengths = list(map(len, texts))
        self._add_lengths(min(lengths), max(lengths))
        self._choose_among(texts, count)
        if self.is_date:
            self._add_ends(find_ends(texts))

    def _add_lengths(self, low: int, high: int) -> None:
        self.shortest = low if self.shortest is None else min(self.shortest, low)
        self.longest = max(self.longest, high)

    def _choose_among(self, texts: list[str], count: int = 1) -> None:
        for text in texts:
            if self.choices is None:
                break
            self._choose(text, count)

    def _choose(self, value: Any, count: int) -> None:
        if self.choices is not None:
            self.choices[value] = self.choices.get(value, 0) + count
            if len(self.choices) > MAX_ENUM:
                self.choices = None

    def _add_ends(self, ends: tuple[Moment, Moment] | None) -> None:
        if ends is None:
            self.is_date = False
            return
        first, last = ends
        self.first = first if self.first is None else min(self.first, first)
        self.last = last if self.last is None else max(self.last, last)

    def range(self) -> dict[str, str] | None:
        """First and last of a date column."""
        if self.describe(0)["type"] != "date" or self.first is None or self.last is None:
            return None
        return {"first": self.first[1], "last": self.last[1]}

    def describe(self, rows: int) -> dict[str, Any]:
        """The column as a summary shows it; `rows` more than were seen lack it."""
        kinds: set[Kind] = {kind for kind, count in self.counts.items() if count and kind != "null"}
        described = self._describe(kinds)
        empty = self.counts["null"] + max(rows - sum(self.counts.values()), 0)
        return {**described, "empty": empty} if empty else described

    def _describe(self, kinds: set[Kind]) -> dict[str, Any]:
        if kinds == {"number"}:
            numbers = {"min": self.lowest, "max": self.highest, "sum": self.total}
            mean = average(self.total, self.counts["number"])
            return {"type": "number", **numbers, "avg": mean}
        if kinds == {"text"} and self.is_date and self.first and self.last:
            return {"type": "date", "first": self.first[1], "last": self.last[1]}
        if kinds in ({"text"}, {"boolean"}) and self.choices is not None:
            top = [[shorten(value), count] for value, count in rank(self.choices)]
            return {"type": "enum", "distinct": len(self.choices), "top": top[:_TOP]}
        if kinds == {"text"}:
            return {"type": "text", "min_length": self.shortest, "max_length": self.longest}
        if kinds and kinds <= {"list", "object"}:
            return {"type": "object"}
        types = {kind: self.counts[kind] for kind in sorted(kinds)}
        return {"type": "mixed", "types": types} if types else {"type": "mixed"}


def rank(counts: Mapping[Any, int]) -> list[tuple[Any, int]]:
    """By count, most first; then by value."""
    return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def shorten(value: Any) -> Any:
    """A text cut to what a list of values has room for."""
    is_long = isinstance(value, str) and len(value) > _LONGEST_TOP
    return f"{value[: _LONGEST_TOP - 1]}…" if is_long else value

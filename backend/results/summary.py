"""The summary that a model gets with a handle: at most 400 tokens, whatever the data.

What a summary says of one column, gathered block by block: types, bounds, sums, counts, dates.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from backend.results.columns import DictionaryColumn, ListColumn
from backend.results.document import Document, cut, thaw
from backend.results.numbers import Column, NumberColumn, sum_scaled
from backend.results.rows import Rows
from backend.results.texts import Moment, TextColumn, find_ends, find_plain_ends
from backend.results.values import (
    Kind,
    add_exactly,
    average,
    count_tokens,
    fits,
    kind_of,
    multiply_exactly,
    write_json,
)

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


MAX_TOKENS = 400
MAX_PROFILED = 100
"""Columns that are looked at; a summary has room for fewer."""

LIST_SAMPLE = 12
"""Elements that are shown of a list which is no table."""

_SAMPLE_ROWS = 2

_SAMPLE_CUTS = ((60, 12), (30, 12), (15, 8))
_FILTER_TOKENS = 100
_COLUMN_TOKENS = 200
"""A column that takes more, by a name of a megabyte or a sum of 400 digits, is left out by itself."""


@dataclass(frozen=True)
class Findings:
    """What a table's rows are like; `column_count` counts those beyond the profiled ones too."""

    rows: int
    profiles: Mapping[str, Profile]
    column_count: int
    sample: Sequence[Any]


def summarize(document: Document, filters: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The summary of a document's main table; `filters` are the arguments of the call."""
    return build_summary(examine(document), filters or {})


def examine(document: Document) -> Findings:
    """Look at all rows, block by block."""
    profiles = {key: Profile() for key in document.keys[:MAX_PROFILED]}
    table = document.table if document.place else Rows.of([thaw(document.root, LIST_SAMPLE)])
    for part in table.parts:
        for key, column in part.columns(list(profiles)).items():
            profiles[key].add(column)
    sample = list(table.slice(0, min(_SAMPLE_ROWS, len(table))))
    return Findings(len(table), profiles, len(document.keys), sample)


def build_summary(findings: Findings, filters: Mapping[str, Any]) -> dict[str, Any]:
    """The summary with as much as fits: the sample goes first, then columns from the end."""
    shown = _cut_filters(filters)
    described = [
        (name, profile.describe(findings.rows), profile.range())
        for name, profile in findings.profiles.items()
    ]
    described = [found for found in described if fits(found[:2], _COLUMN_TOKENS)]

    def build(columns: int, sample: Sequence[Any]) -> dict[str, Any]:
        kept = described[:columns]
        return {
            "rows": findings.rows,
            "columns": {name: column for name, column, _ in kept},
            "columns_omitted": findings.column_count - len(kept),
            "filters": shown,
            "range": {name: span for name, _, span in kept if span},
            "sample": list(sample),
        }

    if findings.column_count == len(described):
        for text_limit, key_limit in _SAMPLE_CUTS:
            sample = [cut(row, text_limit, key_limit) for row in findings.sample[:_SAMPLE_ROWS]]
            whole = build(len(described), sample)
            if fits(whole, MAX_TOKENS):
                return whole
    return build(_count_fitting(build, len(described)), ())


def _count_fitting(build: Any, most: int) -> int:
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if fits(build(middle, ()), MAX_TOKENS):
            low = middle
        else:
            high = middle - 1
    return low


def _cut_filters(filters: Mapping[str, Any]) -> dict[str, Any]:
    shown = cut(dict(filters), 60, 12)
    assert isinstance(shown, dict)
    return shown if count_tokens(write_json(shown)) <= _FILTER_TOKENS else {}

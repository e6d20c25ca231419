"""The summary that a model gets with a handle: at most 400 tokens, whatever the data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backend.results.cutting import cut
from backend.results.document import Document, thaw
from backend.results.profile import Profile
from backend.results.rows import Rows
from backend.results.tokens import count_tokens, fits
from backend.results.values import write_json

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

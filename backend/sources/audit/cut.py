"""What a cut at so many bytes keeps of a table and what it loses, without a word about it."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from backend.results.dates import read_moment
from backend.sources.audit.table import AuditedColumn, AuditedTable

_FORMS = ("%d-%m-%Y", "%d/%m/%Y", "%m/%d/%Y", "%Y%m%d", "%Y/%m/%d")
_LEAST_LENGTH = 8  # of six digits strptime would make a date too
_TRIED = 1000


@dataclass(frozen=True)
class Cut:
    """Rows that are whole within the first `at` bytes; ranges by date column."""

    at: int
    rows_kept: int
    rows_lost: int
    last_row: dict[str, Any] | None
    range_kept: dict[str, Any]
    range: dict[str, Any]

    def as_json(self) -> dict[str, Any]:
        """As a report shows it."""
        return {
            "at_bytes": self.at,
            "rows_kept": self.rows_kept,
            "rows_lost": self.rows_lost,
            "last_row_kept": self.last_row,
            "range_kept": self.range_kept,
            "range": self.range,
        }


def cut_at(table: AuditedTable, at: int) -> Cut:
    """The loss by keeping the first `at` bytes of the file alone."""
    kept = sum(end <= at for end in table.ends)
    last = {c.name: c.values[kept - 1] for c in table.columns} if kept else None
    spans = {column.name: _find_spans(column, kept) for column in table.columns}
    return Cut(
        at,
        kept,
        len(table.ends) - kept,
        last,
        {name: span[0] for name, span in spans.items() if span},
        {name: span[1] for name, span in spans.items() if span},
    )


def _find_spans(column: AuditedColumn, kept: int) -> tuple[Any, Any] | None:
    """First and last of the rows kept, and of all; None where these are no dates."""
    texts = [value for value in column.factors[1] if value is not None]
    days = _read_days(texts)
    if days is None:
        return None
    present = [value for value in column.values[:kept] if value is not None]
    return _span(present, days), _span(texts, days)


def _span(texts: Sequence[Any], days: dict[Any, Any]) -> dict[str, Any] | None:
    if not texts:
        return None
    return {"first": min(texts, key=days.__getitem__), "last": max(texts, key=days.__getitem__)}


def _read_days(texts: Sequence[Any]) -> dict[Any, Any] | None:
    """The moment of each text, in the one form that fits them all."""
    if not texts or not all(_may_be_day(text) for text in texts):
        return None
    moments = {text: read_moment(str(text)) for text in texts[:_TRIED]}
    if all(moments.values()):
        found = {text: read_moment(str(text)) for text in texts}
        return {t: m[0] for t, m in found.items() if m} if all(found.values()) else None
    return next((days for form in _FORMS if (days := _parse_all(texts, form))), None)


def _may_be_day(value: Any) -> bool:
    return isinstance(value, str | int) and len(str(value)) >= _LEAST_LENGTH


def _parse_all(texts: Sequence[Any], form: str) -> dict[Any, Any] | None:
    days = {}
    for text in texts:
        try:
            days[text] = dt.datetime.strptime(str(text), form).replace(tzinfo=dt.UTC)
        except ValueError:
            return None
    return days

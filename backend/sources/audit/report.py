"""The audit of a file: each column with its bytes, what could go, what a cut would lose.

What is left of a table if its file is cut after some number of bytes, and what is lost.

Finds columns that hold no information, or only information that other columns hold too.

Groups of rows in which a number never changes, as a counter that has been closed for years.
"""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from backend.results.texts import read_moment
from backend.results.values import write_json
from backend.sources.audit.relations import Relations
from backend.sources.audit.table import AuditedColumn, AuditedTable, read_table

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
    return _cut_span(present, days), _cut_span(texts, days)


def _cut_span(texts: Sequence[Any], days: dict[Any, Any]) -> dict[str, Any] | None:
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


_MOST_GROUPS = 200
_LEAST_ROWS = 10
"""Rows that a group must have: fewer stand still by chance."""


def find_still_groups(by: AuditedColumn, column: AuditedColumn) -> list[dict[str, Any]]:
    """`{"value", "rows", "constant"}` of each group with one value, where other groups have more."""
    codes, groups = by.factors
    if not 1 < len(groups) <= min(_MOST_GROUPS, len(codes) // _LEAST_ROWS):
        return []
    own, values = column.factors
    pairs = np.unique(codes * len(values) + own)
    distinct = np.bincount(pairs // len(values), minlength=len(groups))
    sizes = np.bincount(codes, minlength=len(groups))
    still = np.flatnonzero((distinct == 1) & (sizes >= _LEAST_ROWS))
    if len(still) == len(groups):
        return []  # the grouping column says it all: a function, which is told as such
    first = {int(pair) // len(values): int(pair) % len(values) for pair in pairs[::-1].tolist()}
    return [
        {"value": groups[n], "rows": int(sizes[n]), "constant": values[first[n]]}
        for n in still.tolist()
    ]


MAX_COMPARED = 100
"""Columns that are compared with each other; of the others it is told whether they vary."""


@dataclass(frozen=True)
class Finding:
    """What is the matter with a column; `details` say by which others, or where."""

    column: str
    kind: str
    size: int
    details: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """As a report lists it."""
        return {"column": self.column, "kind": self.kind, "bytes": self.size, **self.details}


WHOLE = ("empty", "constant", "copy", "sum", "function")
"""Kinds for which the whole column can go; `constant_by_group` frees the rows of some groups."""


def find_all(table: AuditedTable) -> list[Finding]:
    """At most one reason for each column, and the groups of rows in which a column stands still."""
    findings: dict[str, Finding] = {}
    varied = []
    for column in table.columns:
        still = _find_still(column)
        if still is None:
            varied.append(column)
        else:
            findings[column.name] = still
    compared = varied[:MAX_COMPARED]
    for column, kind, details in Relations(compared).list_derived():
        findings[column.name] = Finding(column.name, kind, column.size, details)
    free = [column for column in compared if column.name not in findings]
    ordered = [findings[c.name] for c in table.columns if c.name in findings]
    return ordered + _find_groups(compared, free)


def _find_still(column: AuditedColumn) -> Finding | None:
    uniques = column.factors[1]
    if all(value is None for value in uniques):
        return Finding(column.name, "empty", column.size)
    if len(uniques) == 1 and len(column.values) > 1:
        return Finding(column.name, "constant", column.size, {"value": uniques[0]})
    return None


def _find_groups(compared: Sequence[AuditedColumn], free: Sequence[AuditedColumn]) -> list[Finding]:
    numeric = [column for column in compared if column.is_numeric]
    found = []
    for by in free:
        for column in numeric:
            groups = [] if by is column else find_still_groups(by, column)
            if groups:
                rows = sum(group["rows"] for group in groups)
                size = column.size * rows // len(column.values)
                details = {"by": by.name, "rows": rows, "groups": groups}
                found.append(Finding(column.name, "constant_by_group", size, details))
    return found


_SHOWN_GROUPS = 5


def audit(content: bytes, cut: int | None = None) -> dict[str, Any]:
    """The report as JSON values."""
    table = read_table(content)
    findings = find_all(table)
    spare = sum(finding.size for finding in findings if finding.kind in WHOLE)
    report = {
        "format": table.format,
        "bytes": table.size,
        "rows": len(table.ends),
        "columns": [{"name": c.name, "bytes": c.size} for c in table.columns],
        "findings": [finding.as_json() for finding in findings],
        "columns_not_compared": max(len(table.columns) - MAX_COMPARED, 0),
        "spare_bytes": spare,
    }
    return report if cut is None else report | {"cut": cut_at(table, cut).as_json()}


def describe_audit(report: Mapping[str, Any]) -> Iterator[str]:
    """The report as lines."""
    size = report["bytes"]
    yield f"{report['rows']:,} rows x {len(report['columns'])} columns, {size:,} bytes"
    for column in report["columns"]:
        share = column["bytes"] / size
        reasons = [_describe(f) for f in report["findings"] if f["column"] == column["name"]]
        reason = f"  {'; '.join(reasons)}" if reasons else ""
        yield f"{column['bytes']:>12,}  {share:>6.1%}  {column['name']}{reason}"
    yield f"{report['spare_bytes']:>12,}  {report['spare_bytes'] / size:>6.1%}  could go with nothing lost"
    if "cut" in report:
        yield _describe_cut(report["cut"], report["rows"])


def _describe(finding: Mapping[str, Any]) -> str:
    kind = finding["kind"]
    if kind == "constant":
        return f"constant: {write_json(finding['value'])}"
    if kind == "sum":
        return f"the sum of {' + '.join(finding['of'])}"
    if kind == "copy":
        return f"a copy of {finding['of']}"
    if kind == "function":
        rule = finding.get("rule")
        return f"{finding['of']} {rule}" if rule else f"follows from {finding['of']}"
    if kind == "constant_by_group":
        shown = [f"{g['value']} ({g['constant']})" for g in finding["groups"][:_SHOWN_GROUPS]]
        more = ", …" if len(finding["groups"]) > _SHOWN_GROUPS else ""
        return f"never changes by {finding['by']} in {finding['rows']:,} rows: {', '.join(shown)}{more}"
    return str(kind)


def _describe_cut(cut: Mapping[str, Any], rows: int) -> str:
    last = (
        "no row is whole"
        if cut["last_row_kept"] is None
        else (f"the last whole one is {write_json(cut['last_row_kept'])}")
    )
    ranges = "".join(
        f"; {name} {_show_span(cut['range_kept'][name])} of {_show_span(whole)}"
        for name, whole in cut["range"].items()
    )
    return (
        f"a cut at {cut['at_bytes']:,} bytes keeps {cut['rows_kept']:,} of {rows:,} rows and loses"
        f" {cut['rows_lost']:,}: {last}{ranges}"
    )


def _show_span(span: Mapping[str, Any] | None) -> str:
    return "nothing" if span is None else f"{span['first']} … {span['last']}"

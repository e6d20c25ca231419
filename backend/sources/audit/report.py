"""The audit of a file: each column with its bytes, what could go, what a cut would lose."""

from collections.abc import Iterator, Mapping
from typing import Any

from backend.results.values import write_json
from backend.sources.audit.cut import cut_at
from backend.sources.audit.findings import MAX_COMPARED, WHOLE, find_all
from backend.sources.audit.table import read_table

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
        f"; {name} {_span(cut['range_kept'][name])} of {_span(whole)}"
        for name, whole in cut["range"].items()
    )
    return (
        f"a cut at {cut['at_bytes']:,} bytes keeps {cut['rows_kept']:,} of {rows:,} rows and loses"
        f" {cut['rows_lost']:,}: {last}{ranges}"
    )


def _span(span: Mapping[str, Any] | None) -> str:
    return "nothing" if span is None else f"{span['first']} … {span['last']}"

"""Columns that tell nothing, or nothing that other columns do not tell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backend.sources.audit.relations import Relations
from backend.sources.audit.table import AuditedColumn, AuditedTable
from backend.sources.audit.variance import find_still_groups

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

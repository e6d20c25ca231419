"""Groups of rows in which a number never changes, as a counter that has been closed for years."""

from typing import Any

import numpy as np

from backend.sources.audit.table import AuditedColumn

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

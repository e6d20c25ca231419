"""The honest page: how many there are, how many these are, what limit applied, what to do next."""

from collections.abc import Sequence
from typing import Any


def build_page_result(
    rows: Sequence[dict[str, Any]], *, total: int, limit: int, hint: str
) -> dict[str, Any]:
    """A list tool's answer, with exactly these keys; `total` counts all matches, not this page."""
    return {
        "total": total,
        "returned": len(rows),
        "hasMore": len(rows) < total,
        "limit": limit,
        "hint": hint,
        "rows": list(rows),
    }


def build_repeat_result(*, number: int, total: int, limit: int, hint: str) -> dict[str, Any]:
    """The answer to a repeat of call `number`: the same keys, no rows."""
    page = build_page_result([], total=total, limit=limit, hint=hint)
    return {**page, "repeat_of": number}

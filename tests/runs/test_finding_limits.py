"""Each finding's threshold, from both sides: just enough for a finding, and just too little."""

from collections.abc import Sequence
from typing import Any

import pytest

from backend.runs.stats.findings import find_findings
from tests.runs.test_findings import make_row

SOUND = make_row()
SHORT = make_row("infeasible", city={"pool": 44})
LIMITED = make_row(stopped=True)


def with_tool(runs: int = 3, **counts: int) -> list[dict[str, Any]]:
    return [make_row(tool={"calls": 1, "pages": 100, "has_more": 0, **counts})] * runs


def with_ratings(low: int, others: int, rating: int = 2) -> list[dict[str, Any]]:
    return [make_row(rating=rating)] * low + [make_row(rating=3)] * others


@pytest.mark.parametrize(
    ("code", "rows", "is_found"),
    [
        ("POOL_SHORT", [SHORT] * 3, True),
        ("POOL_SHORT", [SHORT] * 2, False),
        ("POOL_SHORT", [make_row("failed", city={"pool": 44})] * 3, True),
        ("POOL_SHORT", [make_row("cancelled", city={"pool": 44})] * 3, False),
        ("POOL_SHORT", [make_row("failed", city={"pool": 45})] * 3, False),  # 0.75 of 60
        ("POOL_SHORT", [SHORT] * 3 + [SOUND] * 12, True),
        ("POOL_SHORT", [SHORT] * 3 + [SOUND] * 13, False),
        ("POOL_IDLE", [make_row(city={"listed": 29})] * 3, True),
        ("POOL_IDLE", [make_row(city={"listed": 30})] * 3, False),
        ("POOL_IDLE", [make_row(city={"listed": 29})] * 2, False),
        ("STOPPED_BY_LIMIT", [LIMITED] * 3 + [SOUND] * 27, True),
        ("STOPPED_BY_LIMIT", [LIMITED] * 3 + [SOUND] * 28, False),
        ("STOPPED_BY_LIMIT", [LIMITED] * 2, False),
        ("PAGES_TOO_SHORT", with_tool(calls=4, has_more=51), True),
        ("PAGES_TOO_SHORT", with_tool(calls=4, has_more=50), False),
        ("PAGES_TOO_SHORT", with_tool(calls=3, has_more=51), False),
        ("PAGES_TOO_SHORT", with_tool(2, calls=4, has_more=51), False),
        ("REPEATS", with_tool(calls=100, repeats=11), True),
        ("REPEATS", with_tool(calls=100, repeats=10), False),
        ("EMPTY_ANSWERS", with_tool(empty=21), True),
        ("EMPTY_ANSWERS", with_tool(empty=20), False),
        ("LOW_RATINGS", with_ratings(4, 9), True),
        ("LOW_RATINGS", with_ratings(3, 7), False),
        ("LOW_RATINGS", with_ratings(4, 9, rating=3), False),
        ("LOW_RATINGS", with_ratings(2, 0), False),
    ],
)
def test_a_finding_begins_at_its_threshold(
    code: str, rows: Sequence[dict[str, Any]], is_found: bool
) -> None:
    assert [finding.code for finding in find_findings(rows)] == ([code] if is_found else [])

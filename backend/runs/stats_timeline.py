"""When runs ended within a span, in equal parts of it; pure."""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from backend.runs.statistics import UNSOUND, Row

PARTS = 28
"""A week in parts of six hours."""


def draw_timeline(
    rows: Sequence[Row], since: dt.datetime, until: dt.datetime
) -> list[dict[str, Any]]:
    """Runs of each part of the span, oldest first: all, those with a valid plan, those without."""
    width = (until - since) / PARTS
    parts = [
        {"since": (since + n * width).isoformat(), "runs": 0, "succeeded": 0, "without_plan": 0}
        for n in range(PARTS)
    ]
    for row in rows:
        part: Any = parts[min(int((row["finished_at"] - since) / width), PARTS - 1)]
        part["runs"] += 1
        part["succeeded"] += row["status"] == "succeeded"
        part["without_plan"] += row["status"] in UNSOUND
    return parts

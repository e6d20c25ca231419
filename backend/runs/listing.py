"""Pages of runs: `{"items": […], "next_cursor"}`, newest first."""

from collections.abc import Sequence
from typing import Any

from backend.runs.queries import RunHead


def show_head(run: RunHead) -> dict[str, Any]:
    """A run as an item of a list."""
    request = run.request
    return {
        "id": run.id,
        "status": run.status,
        "created_at": run.created_at.isoformat(),
        "finished_at": run.finished_at.isoformat() if run.finished_at else None,
        "cities": [destination["city"] for destination in request["destinations"]],
        "start_date": request["start_date"],
        "days": request["days"],
        "planner": run.planner,
        "snapshot_sha256": run.snapshot_sha256,
        "pinned": run.pinned_at is not None,
    }


def make_page(runs: Sequence[RunHead], limit: int) -> dict[str, Any]:
    """A page of at most `limit` runs; `runs` holds one more where there are more."""
    items = [show_head(run) for run in runs[:limit]]
    return {"items": items, "next_cursor": items[-1]["id"] if len(runs) > limit else None}

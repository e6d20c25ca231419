"""What happened in a span of time: figures by group, beside the span before, changes and findings."""

import datetime as dt
from typing import Any

from backend.audit.queries import list_between
from backend.db.session import Session
from backend.errors import OutOfBoundsError
from backend.runs.queries import list_figures
from backend.runs.statistics import GroupBy, Row, summarize
from backend.runs.stats_findings import find_findings

MAX_RUNS = 20_000
"""The newest ones count; `truncated` says that there were more."""


async def read_stats(
    session: Session, since: dt.datetime, until: dt.datetime, by: GroupBy, *, is_compared: bool
) -> dict[str, Any]:
    """Statistics as JSON values; `is_compared` puts those of the span before beside them."""
    if since >= until:
        raise OutOfBoundsError("since must lie before until")
    rows = await _read_rows(session, since, until)
    before = await _read_rows(session, since - (until - since), since) if is_compared else None
    changes = await list_between(session, since, until)
    return {
        "since": since.isoformat(),
        "until": until.isoformat(),
        "by": by,
        "runs": len(rows),
        "truncated": len(rows) == MAX_RUNS,
        "groups": summarize(rows, by),
        "previous": None if before is None else summarize(before, by),
        "changes": [entry.as_json() for entry in changes],
        "findings": [finding.as_json() for finding in find_findings(rows)],
    }


async def _read_rows(session: Session, since: dt.datetime, until: dt.datetime) -> list[Row]:
    rows = await list_figures(session, since, until, MAX_RUNS)
    return [{**row, "usage": (row["figures"] or {}).get("usage", {})} for row in rows]

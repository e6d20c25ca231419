"""What happened in a span of time: figures by group, beside the span before, changes and findings.

Which value a finding suggests to try: a first guess for the preview, never a change; pure.

When runs ended within a span, in equal parts of it; pure.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from pydantic import Field

from backend.audit.queries import AuditItem, list_between
from backend.clock import read_utc
from backend.db.session import Session
from backend.document import Document, Moment
from backend.errors import OutOfBoundsError
from backend.params.queries import read_params
from backend.params.registry import Param, ParamValue, find_param
from backend.runs.log.queries import list_figures
from backend.runs.stats.figures import UNSOUND, GroupBy, Row, summarize
from backend.runs.stats.findings import Finding, FindingDocument, find_findings
from backend.tools.context import MAX_RETURN_ROWS, ToolLimit
from backend.tools.queries import read_limits
from backend.tools.registry import find_tool


def propose(
    finding: Finding, params: Mapping[str, ParamValue], limits: Mapping[str, ToolLimit]
) -> ParamValue:
    """A value of the parameter or the tool's return limit, never the one that is set.

    None where no number would help, or the bound is reached.
    """
    if finding.param:
        return _propose_param(finding, find_param(finding.param), params[finding.param])
    return _propose_rows(finding.tool, limits) if finding.tool else None


def _propose_param(finding: Finding, param: Param, present: Any) -> ParamValue:
    """What was used at most, for a pool that stands idle; else twice the present value."""
    if param.type == "amount":
        return None if present is None else _double_amount(Decimal(present), param)
    is_less = finding.code == "POOL_IDLE"
    wanted = finding.evidence["most"] if is_less else 2 * present
    value = int(max(param.minimum, min(wanted, param.maximum)))
    return value if (value < present if is_less else value > present) else None


def _double_amount(present: Decimal, param: Param) -> str | None:
    value = min(2 * present, Decimal(param.maximum))
    return str(value) if value > present else None


def _propose_rows(name: str, limits: Mapping[str, ToolLimit]) -> int | None:
    tool = find_tool(name)
    if tool is None or tool.default_rows is None:
        return None
    present = limits.get(name, ToolLimit()).max_return_rows or tool.default_rows
    value = min(2 * present, MAX_RETURN_ROWS)
    return value if value > present else None


PARTS = 28
"""A week in parts of six hours."""


class TimelinePart(Document):
    """Runs that ended in one part of the span, which begins at `since`."""

    since: Moment
    runs: int
    succeeded: int
    without_plan: int


def draw_timeline(
    rows: Sequence[Row], since: dt.datetime, until: dt.datetime
) -> list[TimelinePart]:
    """Runs of each part of the span, oldest first: all, those with a valid plan, those without."""
    width = (until - since) / PARTS
    statuses: list[list[str]] = [[] for _ in range(PARTS)]
    for row in rows:
        statuses[min(int((row["finished_at"] - since) / width), PARTS - 1)].append(row["status"])
    return [
        TimelinePart(
            since=(since + n * width).isoformat(),
            runs=len(part),
            succeeded=part.count("succeeded"),
            without_plan=sum(status in UNSOUND for status in part),
        )
        for n, part in enumerate(statuses)
    ]


MAX_RUNS = 20_000
"""The newest ones count; `truncated` says that there were more."""

USED: dict[str, tuple[str, ...]] = {
    "AGENT_MAX_TURNS": ("turns",),
    "AGENT_MAX_TOOL_CALLS": ("tool_calls",),
    "AGENT_MAX_TOKENS": ("input_tokens", "output_tokens"),
}
"""What of a run's usage each stop limit bounds."""

EARLIEST, LATEST = (dt.datetime(year, 1, 1, tzinfo=dt.UTC) for year in (2000, 3000))
USUAL = dt.timedelta(days=7)

Span = tuple[dt.datetime, dt.datetime]
"""From the first to before the second."""


def choose_span(since: dt.datetime | None, until: dt.datetime | None) -> Span:
    """Both ends in UTC where they name no offset; the last seven days where they are not given.

    An `OutOfBoundsError` where they are not in order, or in no year that runs have ended in.
    """
    end = _place(until) or read_utc()
    for moment in (end, _place(since) or end):
        if not EARLIEST <= moment < LATEST:
            years = f"the years {EARLIEST.year} to {LATEST.year - 1}"
            raise OutOfBoundsError(f"since and until must lie in {years}")
    begin = _place(since) or end - USUAL
    if begin >= end:
        raise OutOfBoundsError("since must lie before until")
    return begin, end


def _place(moment: dt.datetime | None) -> dt.datetime | None:
    if moment is None or moment.tzinfo is not None:
        return moment
    return moment.replace(tzinfo=dt.UTC)


class StatsDocument(Document):
    """Figures by group; `changes` lie in the span, `previous` is the span before."""

    since: Moment
    until: Moment
    by: GroupBy
    runs: int
    truncated: bool
    timeline: tuple[TimelinePart, ...] = Field(description="Runs by when they ended.")
    groups: tuple[dict[str, Any], ...]
    previous: tuple[dict[str, Any], ...] | None
    changes: tuple[AuditItem, ...]
    findings: tuple[FindingDocument, ...]


async def read_stats(
    session: Session,
    tenant: str,
    span: Span,
    by: GroupBy,
    *,
    is_compared: bool,
) -> StatsDocument:
    """A tenant's statistics; `is_compared` puts those of the span before beside them."""
    since, until = span
    rows = await _read_rows(session, tenant, span, MAX_RUNS)
    before = None
    if is_compared:
        before = await _read_rows(session, tenant, (since - (until - since), since), MAX_RUNS)
    changes = await list_between(session, since, until)
    return StatsDocument(
        since=since.isoformat(),
        until=until.isoformat(),
        by=by,
        runs=len(rows),
        truncated=len(rows) == MAX_RUNS,
        timeline=tuple(draw_timeline(rows, since, until)),
        groups=tuple(summarize(rows, by)),
        previous=None if before is None else tuple(summarize(before, by)),
        changes=tuple(entry.show() for entry in changes),
        findings=await _show_findings(session, rows),
    )


async def read_findings(session: Session, tenant: str, most: int) -> tuple[FindingDocument, ...]:
    """The findings alone, of a tenant's newest runs of the last seven days."""
    rows = await _read_rows(session, tenant, choose_span(None, None), most)
    return await _show_findings(session, rows)


async def read_limit_use(
    session: Session, tenant: str, key: str, value: ParamValue, most: int
) -> dict[str, int] | None:
    """How near a tenant's newest runs of the last seven days came to a stop limit.

    None for what is no such limit.
    """
    if key not in USED or not isinstance(value, int):
        return None
    rows = await _read_rows(session, tenant, choose_span(None, None), most)
    used = [sum(row["usage"].get(part, 0) for part in USED[key]) for row in rows]
    above = sum(amount > value for amount in used)
    return {"runs": len(used), "most": max(used, default=0), "above": above}


async def _show_findings(session: Session, rows: Sequence[Row]) -> tuple[FindingDocument, ...]:
    params, limits = await read_params(session), await read_limits(session)
    return tuple(f.show(propose(f, params, limits)) for f in find_findings(rows))


async def _read_rows(session: Session, tenant: str, span: Span, most: int) -> list[Row]:
    rows = await list_figures(session, tenant, *span, most)
    return [{**row, "usage": (row["figures"] or {}).get("usage", {})} for row in rows]

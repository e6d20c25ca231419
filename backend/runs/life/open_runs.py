"""Runs that have not ended, the oldest first, with how far each has come.

What is pruned when its time is over: ended runs that nobody has pinned, and old keys.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import case, delete, func, select, text

from backend.db.session import Engine, Session, transaction
from backend.document import Document, Moment
from backend.params.queries import read_params
from backend.params.registry import get_number
from backend.runs.life.commands import delete_old_keys
from backend.runs.log.tables import AgentRun, RunLogRow

_OPEN = AgentRun.status.in_(("queued", "running"))


@dataclass(frozen=True)
class OpenRun:
    """A run with its last step; `executor` says who carries it."""

    id: str
    tenant: str
    status: Literal["queued", "running"]
    executor: Literal["queue", "command"]
    created_at: dt.datetime
    started_at: dt.datetime | None
    deadline_at: dt.datetime | None
    is_cancelling: bool
    steps: int
    last_kind: str
    last_at: dt.datetime


async def count_workers(session: Session, since: dt.datetime) -> int:
    """Workers that have said since then that they live."""
    wanted = text("select count(*) from procrastinate_workers where last_heartbeat >= :since")
    return int((await session.execute(wanted, {"since": since})).scalar_one())


async def list_open_runs(session: Session, tenant: str | None, limit: int) -> Sequence[OpenRun]:
    """Those of a tenant, None: of all; running ones before waiting ones, each by age."""
    last = (
        select(RunLogRow.seq, RunLogRow.kind, RunLogRow.at)
        .where(RunLogRow.run_id == AgentRun.id)
        .order_by(RunLogRow.seq.desc())
        .limit(1)
        .lateral()
    )
    wanted = (
        select(
            AgentRun.id,
            AgentRun.tenant,
            AgentRun.status,
            AgentRun.executor,
            AgentRun.created_at,
            AgentRun.started_at,
            AgentRun.deadline_at,
            AgentRun.cancel_requested_at.is_not(None),
            *last.c,
        )
        .where(_OPEN)
        .order_by(case((AgentRun.status == "running", 0), else_=1), AgentRun.id)
        .limit(limit)
    )
    if tenant is not None:
        wanted = wanted.where(AgentRun.tenant == tenant)
    return [OpenRun(*row) for row in await session.execute(wanted)]


async def count_open_runs(session: Session, now: dt.datetime) -> dict[str, tuple[int, float]]:
    """Number of open runs and the oldest one's age in seconds, by status."""
    wanted = select(AgentRun.status, func.count(), func.min(AgentRun.created_at)).where(_OPEN)
    rows = await session.execute(wanted.group_by(AgentRun.status))
    return {status: (count, (now - oldest).total_seconds()) for status, count, oldest in rows}


class OpenRunItem(Document):
    """A run that has not ended."""

    id: str
    tenant: str
    status: Literal["queued", "running"]
    executor: Literal["queue", "command"]
    created_at: Moment
    started_at: Moment | None
    deadline_at: Moment | None
    age_seconds: float
    is_cancelling: bool
    steps: int
    last_step: str
    last_step_at: Moment


def show_open_run(run: OpenRun, now: dt.datetime) -> OpenRunItem:
    """A run as an item of the list."""
    return OpenRunItem(
        id=run.id,
        tenant=run.tenant,
        status=run.status,
        executor=run.executor,
        created_at=run.created_at.isoformat(),
        started_at=run.started_at.isoformat() if run.started_at else None,
        deadline_at=run.deadline_at.isoformat() if run.deadline_at else None,
        age_seconds=round((now - run.created_at).total_seconds(), 3),
        is_cancelling=run.is_cancelling,
        steps=run.steps,
        last_step=run.last_kind,
        last_step_at=run.last_at.isoformat(),
    )


BATCH = 100
"""Runs in one transaction: a run may have thousands of rows."""


async def prune_runs(engine: Engine, now: dt.datetime) -> int:
    """Delete with all that belongs to them the runs that ended too long ago; gives their number."""
    async with transaction(engine) as session:
        days = get_number(await read_params(session), "RUN_RETENTION_DAYS")
        await delete_old_keys(session, now)
    total = 0
    while True:
        async with transaction(engine) as session:
            count = await _prune_batch(session, now - dt.timedelta(days=days))
        total += count
        if count < BATCH:
            return total


async def _prune_batch(session: Session, before: dt.datetime) -> int:
    old = select(AgentRun.id).where(AgentRun.finished_at < before, AgentRun.pinned_at.is_(None))
    batch = old.order_by(AgentRun.finished_at).limit(BATCH).with_for_update(skip_locked=True)
    gone = delete(AgentRun).where(AgentRun.id.in_(batch)).returning(AgentRun.id)
    return len((await session.execute(gone)).all())

"""What is pruned when its time is over: ended runs that nobody has pinned, and old keys."""

import datetime as dt

from sqlalchemy import delete, select

from backend.db.session import Engine, Session, transaction
from backend.params.queries import read_params
from backend.params.registry import get_number
from backend.runs.idempotency import delete_old_keys
from backend.runs.tables import AgentRun

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

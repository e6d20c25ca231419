"""Which runs have a job in the queue: of each tenant only so many at a time, the others wait.

So one tenant's many runs never stand before another's one. Within the queue a tenant's first jobs
go before another's tenth, whoever came earlier. Counting is under a lock by tenant, taken late and
held to the end of a short transaction.
"""

import datetime as dt
from collections.abc import Awaitable, Callable, Mapping, Sequence

from sqlalchemy import exists, func, select, text, update
from sqlalchemy.orm import aliased

from backend.clock import read_utc
from backend.db.session import Session
from backend.errors import WaypoolError
from backend.params.registry import ParamValue, get_number
from backend.runs.lifecycle import EXECUTOR
from backend.runs.tables import AgentRun

_UNFINISHED = AgentRun.status.in_(("queued", "running"))

Enqueue = Callable[[Session, str, int], Awaitable[None]]
"""Put a run into the queue with a priority, in the caller's transaction."""


class QueueFullError(WaypoolError):
    """This tenant has as many waiting runs as it may have."""

    code = "QUEUE_FULL"


async def check_room(
    session: Session, tenant: str, params: Mapping[str, ParamValue], beside: str = ""
) -> None:
    """Refuse one more run, or `beside` if it is made already, where the tenant's queue is full."""
    limit = get_number(params, "TENANT_MAX_QUEUED")
    wanted = select(func.count()).where(
        AgentRun.tenant == tenant,
        AgentRun.status == "queued",
        AgentRun.executor == EXECUTOR,
        AgentRun.id != beside,
    )
    if (await session.execute(wanted)).scalar_one() >= limit:
        raise QueueFullError(
            f"{limit} runs of yours are waiting already; ask again when some have ended"
        )


async def lock_admission(session: Session, tenant: str) -> None:
    """Let nobody else count or admit this tenant's runs until the transaction ends."""
    lock = text(
        "select pg_advisory_xact_lock(hashtextextended('admission' || chr(31) || :tenant, 0))"
    )
    await session.execute(lock, {"tenant": tenant})


async def admit_runs(
    session: Session, tenant: str, params: Mapping[str, ParamValue], enqueue: Enqueue
) -> None:
    """Give jobs to the tenant's oldest waiting runs, as many as may be at work; under the lock."""
    mine = (AgentRun.tenant == tenant, _UNFINISHED, AgentRun.executor == EXECUTOR)
    wanted = select(func.count()).where(*mine, AgentRun.admitted_at.is_not(None))
    inside: int = (await session.execute(wanted)).scalar_one()
    room = get_number(params, "TENANT_MAX_RUNNING") - inside
    if room <= 0:
        return
    waiting = select(AgentRun.id).where(*mine, AgentRun.admitted_at.is_(None))
    # One that is just being cancelled is locked: it is not waited for, its transaction may wait for us.
    next_ones = waiting.order_by(AgentRun.id).limit(room).with_for_update(skip_locked=True)
    for n, run_id in enumerate((await session.scalars(next_ones)).all()):
        await session.execute(
            update(AgentRun).where(AgentRun.id == run_id).values(admitted_at=read_utc())
        )
        await enqueue(session, run_id, -(inside + n))


async def list_waiting_tenants(session: Session, beside: str | None = None) -> Sequence[str]:
    """Tenants with runs that wait to be admitted; with `beside` only the one of that run."""
    wanted = select(AgentRun.tenant).where(
        _UNFINISHED, AgentRun.executor == EXECUTOR, AgentRun.admitted_at.is_(None)
    )
    if beside is not None:
        other = aliased(AgentRun)
        wanted = wanted.where(exists().where(other.id == beside, other.tenant == AgentRun.tenant))
    return sorted(set((await session.scalars(wanted.distinct())).all()))


async def list_overdue(session: Session, now: dt.datetime) -> Sequence[str]:
    """Queued runs whose deadline has passed."""
    wanted = select(AgentRun.id).where(AgentRun.status == "queued", AgentRun.deadline_at < now)
    return list((await session.scalars(wanted.order_by(AgentRun.id).limit(100))).all())

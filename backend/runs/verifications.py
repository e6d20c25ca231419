"""Verifications that were asked for: rows that a worker finishes, kept as long as their run."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, insert, select, update

from backend.clock import read_utc
from backend.db.session import Session
from backend.runs.admission import QueueFullError
from backend.runs.tables import RunVerification

MAX_WAITING = 20
"""Of one tenant: each is a second of computing."""


@dataclass(frozen=True)
class AskedVerification:
    """A verification; unfinished while `finished_at` is None, then with a report or an error."""

    id: str
    run_id: str
    tenant: str
    created_at: dt.datetime
    finished_at: dt.datetime | None
    report: dict[str, Any] | None
    error: dict[str, Any] | None

    @property
    def status(self) -> str:
        """`queued`, `done` or `failed`; one that has found a difference is done."""
        if self.finished_at is None:
            return "queued"
        return "failed" if self.report is None else "done"


async def insert_verification(
    session: Session, verification_id: str, run_id: str, tenant: str
) -> None:
    """One more; a `QueueFullError` where too many of the tenant's wait already."""
    row = RunVerification
    waiting = select(func.count()).where(row.tenant == tenant, row.finished_at.is_(None))
    if (await session.execute(waiting)).scalar_one() >= MAX_WAITING:
        raise QueueFullError(f"{MAX_WAITING} verifications of yours are waiting already")
    values = {"id": verification_id, "run_id": run_id, "tenant": tenant}
    await session.execute(insert(row).values(**values, created_at=read_utc()))


async def find_verification(session: Session, verification_id: str) -> AskedVerification | None:
    """The verification, if there is one."""
    columns = [getattr(RunVerification, name) for name in AskedVerification.__annotations__]
    found = await session.execute(select(*columns).where(RunVerification.id == verification_id))
    row = found.one_or_none()
    return None if row is None else AskedVerification(*row)


async def finish_verification(
    session: Session,
    verification_id: str,
    report: dict[str, Any] | None,
    error: dict[str, Any] | None = None,
) -> None:
    """What it came to; the first to say so is right."""
    changed = update(RunVerification).where(
        RunVerification.id == verification_id, RunVerification.finished_at.is_(None)
    )
    await session.execute(changed.values(finished_at=read_utc(), report=report, error=error))


async def list_unfinished_verifications(session: Session) -> Sequence[str]:
    """Ids of those that wait or are being done."""
    wanted = select(RunVerification.id).where(RunVerification.finished_at.is_(None))
    return (await session.scalars(wanted.order_by(RunVerification.id))).all()

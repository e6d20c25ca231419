"""Rows of stored results. Every read names its tenant; None is the operator, who sees all.

Stored results, their parts, and who read them.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ColumnElement,
    DateTime,
    ForeignKey,
    Identity,
    Index,
    Interval,
    LargeBinary,
    Select,
    Text,
    and_,
    case,
    cast,
    column,
    delete,
    func,
    insert,
    literal,
    null,
    or_,
    select,
    table,
    update,
)
from sqlalchemy.orm import Mapped, mapped_column

from backend.db.session import Base, CodeText, Session
from backend.results.handle import HandleState, Owner, Reader

Moment = DateTime(timezone=True)


class StoredResult(Base):
    """A result by its handle. Its row stays when its parts are dropped, to say that it has expired.

    `size_bytes` is that of the content as it came, which is what quotas count.
    """

    __tablename__ = "stored_result"
    __table_args__ = (
        CheckConstraint("state in ('pending', 'ready', 'failed')", name="state"),
        Index("ix_stored_result_tenant_id", "tenant", "id"),
        Index("ix_stored_result_run_id", "run_id"),
        Index("ix_stored_result_last_read_at", "last_read_at"),
    )

    id: Mapped[CodeText] = mapped_column(primary_key=True)
    tenant: Mapped[str] = mapped_column(Text)
    run_id: Mapped[CodeText | None] = mapped_column(ForeignKey("agent_run.id", ondelete="CASCADE"))
    tool: Mapped[str | None] = mapped_column(Text)
    state: Mapped[HandleState] = mapped_column(Text)
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[dt.datetime] = mapped_column(Moment)
    last_read_at: Mapped[dt.datetime] = mapped_column(Moment)
    pinned_at: Mapped[dt.datetime | None] = mapped_column(Moment)
    expired_at: Mapped[dt.datetime | None] = mapped_column(Moment)


class StoredResultPart(Base):
    """A piece of a result: compressed, and encrypted where a key is configured."""

    __tablename__ = "stored_result_part"

    result_id: Mapped[CodeText] = mapped_column(
        ForeignKey("stored_result.id", ondelete="CASCADE"), primary_key=True
    )
    name: Mapped[CodeText] = mapped_column(primary_key=True)
    content: Mapped[bytes] = mapped_column(LargeBinary)


class StoredResultRead(Base):
    """One read of a handle, be it known or not; it stays when the result goes.

    `state` is what the reader met: a state of the handle, `expired` or `unknown`.
    """

    __tablename__ = "stored_result_read"
    __table_args__ = (Index("ix_stored_result_read_handle", "handle"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    at: Mapped[dt.datetime] = mapped_column(Moment)
    who: Mapped[str] = mapped_column(Text)
    handle: Mapped[str] = mapped_column(Text)
    state: Mapped[str] = mapped_column(Text)
    bytes: Mapped[int] = mapped_column(BigInteger)


# Of a run only whether it is still of interest matters here; its own room stands above this one.
_RUN = table(
    "agent_run",
    column("id"),
    column("parent_run_id"),
    column("status"),
    column("finished_at"),
    column("pinned_at"),
)
_IS_HELD = or_(_RUN.c.status.in_(("queued", "running")), _RUN.c.pinned_at.is_not(None))

_HEAD = (
    StoredResult.id,
    StoredResult.tenant,
    StoredResult.run_id,
    StoredResult.tool,
    StoredResult.state,
    StoredResult.size_bytes,
    StoredResult.created_at,
    StoredResult.last_read_at,
    StoredResult.pinned_at,
    StoredResult.expired_at,
)


@dataclass(frozen=True)
class ResultHead:
    """A result without its parts."""

    id: str
    tenant: str
    run_id: str | None
    tool: str | None
    state: HandleState
    size_bytes: int
    created_at: dt.datetime
    last_read_at: dt.datetime
    pinned_at: dt.datetime | None
    expired_at: dt.datetime | None
    is_idle: bool = False
    expires_at: dt.datetime | None = None


def show_head(head: ResultHead) -> dict[str, Any]:
    """A result as lists show it."""
    return {
        "id": head.id,
        "state": "expired" if head.expired_at or head.is_idle else head.state,
        "tenant": head.tenant,
        "run_id": head.run_id,
        "tool": head.tool,
        "bytes": head.size_bytes,
        "created_at": head.created_at.isoformat(),
        "last_read_at": head.last_read_at.isoformat(),
        "pinned": head.pinned_at is not None,
        "expires_at": head.expires_at.isoformat() if head.expires_at else None,
    }


def _is_idle(before: dt.datetime) -> ColumnElement[bool]:
    """Not read since `before`, not pinned, and no run needs it.

    Its own run needs it, and those that came out of that one, which may read it: as long as they go
    on, have ended only after `before`, or are pinned.
    """
    runs = _runs_that_need(or_(_IS_HELD, _RUN.c.finished_at >= before))
    return and_(
        StoredResult.last_read_at < before, StoredResult.pinned_at.is_(None), ~runs.exists()
    )


def _runs_that_need(condition: ColumnElement[bool]) -> Select[Any]:
    mine = or_(_RUN.c.id == StoredResult.run_id, _RUN.c.parent_run_id == StoredResult.run_id)
    return select(_RUN.c.id).where(mine, condition)


def _find_expiry(ttl: dt.timedelta) -> ColumnElement[dt.datetime | None]:
    """When it becomes idle if nobody reads it any more; null where that is not settled yet."""
    ends = _runs_that_need(_RUN.c.finished_at.is_not(None))
    last_end = ends.with_only_columns(func.max(_RUN.c.finished_at)).scalar_subquery()
    is_held = or_(StoredResult.pinned_at.is_not(None), _runs_that_need(_IS_HELD).exists())
    kept = func.greatest(StoredResult.last_read_at, last_end) + literal(ttl, Interval)
    return case((is_held, null()), else_=kept)


def _belongs(reader: Reader) -> ColumnElement[bool]:
    """The tenant's, whoever asks; the operator's null lets every tenant's through."""
    tenant = cast(reader.tenant, Text)
    mine = or_(tenant.is_(None), StoredResult.tenant == tenant)
    return mine if reader.runs is None else and_(mine, StoredResult.run_id.in_(reader.runs))


@dataclass(frozen=True)
class Age:
    """What was not read since `idle_before`, `ttl` ago, is kept no longer."""

    idle_before: dt.datetime
    ttl: dt.timedelta


async def find_result(session: Session, handle: str, reader: Reader, age: Age) -> ResultHead | None:
    """The result, if it exists for this reader; the database is asked the same either way."""
    row = (await session.execute(_select(reader, age).where(StoredResult.id == handle))).first()
    return ResultHead(*row) if row else None


def _select(reader: Reader, age: Age) -> Select[*tuple[Any, ...]]:
    columns = (*_HEAD, _is_idle(age.idle_before), _find_expiry(age.ttl))
    return select(*columns).where(_belongs(reader))


async def list_results(
    session: Session, reader: Reader, limit: int, age: Age, *, before: str | None = None
) -> Sequence[ResultHead]:
    """Results, newest first, those older than the handle `before`."""
    wanted = _select(reader, age).order_by(StoredResult.id.desc()).limit(limit)
    if before is not None:
        wanted = wanted.where(StoredResult.id < before)
    return [ResultHead(*row) for row in await session.execute(wanted)]


async def insert_result(
    session: Session, handle: str, owner: Owner, tool: str | None, at: dt.datetime
) -> None:
    """A new result that is pending."""
    values = {"id": handle, "tenant": owner.tenant, "run_id": owner.run_id, "tool": tool}
    times = {"created_at": at, "last_read_at": at}
    row = {**values, **times, "state": "pending", "size_bytes": 0}
    await session.execute(insert(StoredResult).values(**row))


async def update_result(session: Session, handle: str, **values: Any) -> None:
    """Set columns of a result."""
    await session.execute(update(StoredResult).where(StoredResult.id == handle).values(**values))


async def delete_result(session: Session, handle: str) -> None:
    """Remove a result with its parts."""
    await session.execute(delete(StoredResult).where(StoredResult.id == handle))


async def insert_part(session: Session, handle: str, name: str, content: bytes) -> None:
    """One more part of a result."""
    values = {"result_id": handle, "name": name, "content": content}
    await session.execute(insert(StoredResultPart).values(**values))


async def read_part(session: Session, handle: str, name: str) -> bytes | None:
    """A part as stored; None where it is gone."""
    wanted = select(StoredResultPart.content).where(
        StoredResultPart.result_id == handle, StoredResultPart.name == name
    )
    return (await session.execute(wanted)).scalar_one_or_none()


async def insert_read(
    session: Session, at: dt.datetime, reader: Reader, handle: str, state: str, size: int
) -> None:
    """The audit's line of one read."""
    values = {"at": at, "who": reader.who, "handle": handle, "state": state, "bytes": size}
    await session.execute(insert(StoredResultRead).values(**values))


async def lock_tenant(session: Session, tenant: str) -> None:
    """One at a time may count a tenant's results and make room among them."""
    key = func.hashtextextended(f"waypool results {tenant}", 0)
    await session.execute(select(func.pg_advisory_xact_lock(key)))


async def sum_sizes(session: Session, owner: Owner, *, of_run: bool) -> int:
    """Bytes of what a tenant, or its run, has stored and still keeps."""
    wanted = select(func.coalesce(func.sum(StoredResult.size_bytes), 0)).where(
        StoredResult.expired_at.is_(None), *_scope(owner, of_run=of_run)
    )
    return int((await session.execute(wanted)).scalar_one())


async def list_evictable(
    session: Session, owner: Owner, *, of_run: bool
) -> Sequence[tuple[str, int]]:
    """Handle and bytes of what may go, the least recently read first."""
    wanted = select(StoredResult.id, StoredResult.size_bytes).where(
        StoredResult.expired_at.is_(None),
        StoredResult.pinned_at.is_(None),
        StoredResult.state == "ready",
        *_scope(owner, of_run=of_run),
    )
    rows = await session.execute(wanted.order_by(StoredResult.last_read_at, StoredResult.id))
    return [(row.id, row.size_bytes) for row in rows]


def _scope(owner: Owner, *, of_run: bool) -> list[ColumnElement[bool]]:
    run = [StoredResult.run_id == owner.run_id] if of_run else []
    return [StoredResult.tenant == owner.tenant, *run]


async def expire_results(session: Session, handles: Sequence[str], at: dt.datetime) -> None:
    """Drop the parts; the rows stay and say that they have expired."""
    parts = delete(StoredResultPart).where(StoredResultPart.result_id.in_(handles))
    await session.execute(parts)
    gone = update(StoredResult).where(StoredResult.id.in_(handles))
    await session.execute(gone.values(expired_at=at))


async def list_idle(session: Session, before: dt.datetime) -> Sequence[str]:
    """Handles that nobody needs any more."""
    wanted = select(StoredResult.id).where(StoredResult.expired_at.is_(None), _is_idle(before))
    return list((await session.scalars(wanted.order_by(StoredResult.id))).all())


async def delete_forgotten(session: Session, before: dt.datetime) -> None:
    """Remove rows without a run that expired long ago; a run's go with the run."""
    gone = delete(StoredResult).where(
        StoredResult.expired_at < before, StoredResult.run_id.is_(null())
    )
    await session.execute(gone)

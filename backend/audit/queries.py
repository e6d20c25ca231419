"""Writes and reads the trail, and recalls from it what once was.

The audit trail; triggers refuse to update, delete or truncate it.
"""

import datetime as dt
from collections.abc import Sequence
from typing import Any

from sqlalchemy import BigInteger, DateTime, Identity, Index, Text, insert, select
from sqlalchemy.dialects.postgresql import JSON
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from backend.audit.change import Author, Change, ChangeKind, Recorded
from backend.db.session import Base
from backend.errors import ConflictError, NotFoundError


class AuditEntry(Base):
    """One change: `old` and `new` are JSON values, `version` is the one that the change made."""

    __tablename__ = "audit_entry"
    __table_args__ = (Index("ix_audit_entry_kind_subject_id", "kind", "subject", "id"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    at: Mapped[dt.datetime] = mapped_column(DateTime(timezone=True))
    who: Mapped[str] = mapped_column(Text)
    kind: Mapped[str] = mapped_column(Text)
    subject: Mapped[str] = mapped_column(Text)
    version: Mapped[int | None] = mapped_column(BigInteger)
    old: Mapped[Any] = mapped_column(JSON(none_as_null=False), nullable=False)
    new: Mapped[Any] = mapped_column(JSON(none_as_null=False), nullable=False)
    why: Mapped[str | None] = mapped_column(Text)


_COLUMNS = (
    AuditEntry.id,
    AuditEntry.at,
    AuditEntry.who,
    AuditEntry.kind,
    AuditEntry.subject,
    AuditEntry.version,
    AuditEntry.old,
    AuditEntry.new,
    AuditEntry.why,
)


async def record_change(session: AsyncSession, author: Author, change: Change) -> None:
    """Write an entry in the transaction of the change itself: both stand, or neither."""
    values = {
        "at": author.at,
        "who": author.who,
        "why": author.why,
        "kind": change.kind,
        "subject": change.subject,
        "version": change.version,
        "old": change.old,
        "new": change.new,
    }
    await session.execute(insert(AuditEntry).values(**values))


async def list_changes(
    session: AsyncSession,
    limit: int,
    *,
    kind: str | None = None,
    subject: str | None = None,
    before: int | None = None,
) -> Sequence[Recorded]:
    """Entries, newest first, of one kind or of one thing; `before` is the id of one of them."""
    wanted = select(*_COLUMNS).order_by(AuditEntry.id.desc()).limit(limit)
    if kind is not None:
        wanted = wanted.where(AuditEntry.kind == kind)
    if subject is not None:
        wanted = wanted.where(AuditEntry.subject == subject)
    if before is not None:
        wanted = wanted.where(AuditEntry.id < before)
    return [Recorded(*row) for row in await session.execute(wanted)]


async def list_between(
    session: AsyncSession, since: dt.datetime, until: dt.datetime
) -> Sequence[Recorded]:
    """Entries from `since` to before `until`, oldest first."""
    wanted = select(*_COLUMNS).where(AuditEntry.at >= since, AuditEntry.at < until)
    return [Recorded(*row) for row in await session.execute(wanted.order_by(AuditEntry.id))]


_UNKNOWN = "{subject} is at version {present}; nothing is known of version {version}"


async def recall(
    session: AsyncSession, kind: ChangeKind, subject: str, present: int, version: int | None
) -> Any:
    """The value at a version, or, without one, the value before the last change.

    `present` is the version that stands. A `NotFoundError` names the versions that are known.
    """
    if version is None:
        version = present - 1
        if version < 1:
            raise ConflictError(f"{subject} was never changed")
    if not 0 < version <= present:
        raise NotFoundError(_UNKNOWN.format(subject=subject, present=present, version=version))
    wanted = select(AuditEntry.version, AuditEntry.old, AuditEntry.new).where(
        AuditEntry.kind == kind,
        AuditEntry.subject == subject,
        AuditEntry.version.in_([version, version + 1]),
    )
    rows = (await session.execute(wanted.order_by(AuditEntry.version))).all()
    for row in rows:
        return row.new if row.version == version else row.old
    raise NotFoundError(_UNKNOWN.format(subject=subject, present=present, version=version))

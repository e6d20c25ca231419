"""Writes and reads the trail, and recalls from it what once was.

The audit trail; triggers refuse to update, delete or truncate it.

A change and its author, as values.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field
from sqlalchemy import BigInteger, DateTime, Identity, Index, Text, insert, select
from sqlalchemy.dialects.postgresql import JSON
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from backend.db.session import Base
from backend.document import Document, Moment, Page
from backend.errors import ConflictError, NotFoundError

ChangeKind = Literal["param", "tool", "source", "poi", "hotel", "train"]

OPERATOR = "operator"
"""Who works at the command line."""


@dataclass(frozen=True)
class Author:
    """Who makes a change, an API key's id or the operator, when, and why."""

    at: dt.datetime
    who: str = OPERATOR
    why: str | None = None


@dataclass(frozen=True)
class Change:
    """What has changed about one thing; `version` is the one that stands now."""

    kind: ChangeKind
    subject: str
    old: Any
    new: Any
    version: int | None = None


class AuditItem(Document):
    """A change; `old` and `new` are values, of a tool or a row of the catalogue objects."""

    id: int
    at: Moment
    who: str = Field(description="Id of the key, or `operator` for the command line.")
    kind: str
    subject: str
    version: int | None = Field(description="The version that the change made.")
    old: Any
    new: Any
    why: str | None


@dataclass(frozen=True)
class Recorded:
    """An entry of the trail; `id` grows with each."""

    id: int
    at: dt.datetime
    who: str
    kind: str
    subject: str
    version: int | None
    old: Any
    new: Any
    why: str | None

    def show(self) -> AuditItem:
        """The entry as lists show it."""
        return AuditItem(
            id=self.id,
            at=self.at.isoformat(),
            who=self.who,
            kind=self.kind,
            subject=self.subject,
            version=self.version,
            old=self.old,
            new=self.new,
            why=self.why,
        )


def make_page(entries: Sequence[Recorded], limit: int) -> Page[AuditItem]:
    """A page of at most `limit` entries; `entries` holds one more where there are more."""
    items = tuple(entry.show() for entry in entries[:limit])
    return Page(items=items, next_cursor=items[-1].id if len(entries) > limit else None)


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

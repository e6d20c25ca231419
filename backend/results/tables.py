"""Stored results, their parts, and who read them."""

import datetime as dt

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    DateTime,
    ForeignKey,
    Identity,
    Index,
    LargeBinary,
    Text,
)
from sqlalchemy.orm import Mapped, mapped_column

from backend.db.base import Base, CodeText
from backend.results.handle import HandleState

Moment = DateTime(timezone=True)


class StoredResult(Base):
    """A result by its handle; its row outlives its parts, so that an expired one is told as such.

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

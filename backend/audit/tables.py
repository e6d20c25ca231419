"""The audit trail; triggers refuse to update, delete or truncate it."""

import datetime as dt
from typing import Any

from sqlalchemy import BigInteger, DateTime, Identity, Index, Text
from sqlalchemy.dialects.postgresql import JSON
from sqlalchemy.orm import Mapped, mapped_column

from backend.db.base import Base


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

"""Sources as rows that an admin writes, and their last responses."""

import datetime as dt
from typing import Any

from sqlalchemy import BigInteger, DateTime, ForeignKey, Index, LargeBinary, Text
from sqlalchemy.dialects.postgresql import JSON
from sqlalchemy.orm import Mapped, mapped_column

from backend.db.base import Base, CodeText
from backend.sources.spec import Source

Moment = DateTime(timezone=True)


class DataSource(Base):
    """A source by its name; `spec` is the whole of it, the switch stands beside it."""

    __tablename__ = "data_source"

    name: Mapped[CodeText] = mapped_column(primary_key=True)
    enabled: Mapped[bool]
    spec: Mapped[dict[str, Any]] = mapped_column(JSON)
    version: Mapped[int] = mapped_column(default=1)
    updated_at: Mapped[dt.datetime] = mapped_column(Moment)

    @property
    def source(self) -> Source:
        """The source that the row says."""
        return Source.model_validate(self.spec)


class SourceResponse(Base):
    """A response as it came, compressed, and encrypted where a key is configured."""

    __tablename__ = "source_response"
    __table_args__ = (
        Index("ix_source_response_source", "source"),
        Index("ix_source_response_used_at", "used_at"),
    )

    address: Mapped[CodeText] = mapped_column(primary_key=True)
    source: Mapped[CodeText] = mapped_column(ForeignKey("data_source.name", ondelete="CASCADE"))
    content: Mapped[bytes] = mapped_column(LargeBinary)
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    content_type: Mapped[str | None] = mapped_column(Text)
    etag: Mapped[str | None] = mapped_column(Text)
    modified: Mapped[str | None] = mapped_column(Text)
    fresh_until: Mapped[dt.datetime] = mapped_column(Moment)
    used_at: Mapped[dt.datetime] = mapped_column(Moment)

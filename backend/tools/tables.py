"""The tools as rows that an admin can change; what a tool does stands in code."""

import datetime as dt

from sqlalchemy import CheckConstraint, DateTime, Text
from sqlalchemy.orm import Mapped, mapped_column

from backend.db.base import Base, CodeText
from backend.tools.limits import MAX_RETURN_ROWS, MIN_RETURN_ROWS, HandleMode, ToolLimit


class FunctionTool(Base):
    """A tool's switches; `max_return_rows` null means the code's default."""

    __tablename__ = "function_tool"
    __table_args__ = (
        CheckConstraint(
            f"max_return_rows between {MIN_RETURN_ROWS} and {MAX_RETURN_ROWS}",
            name="max_return_rows",
        ),
        CheckConstraint("handle_mode in ('auto', 'never', 'always')", name="handle_mode"),
        CheckConstraint("handle_threshold_tokens > 0", name="handle_threshold_tokens"),
    )

    name: Mapped[CodeText] = mapped_column(primary_key=True)
    enabled: Mapped[bool]
    max_return_rows: Mapped[int | None]
    handle_mode: Mapped[HandleMode] = mapped_column(Text)
    handle_threshold_tokens: Mapped[int]
    version: Mapped[int] = mapped_column(default=1)
    updated_at: Mapped[dt.datetime] = mapped_column(DateTime(timezone=True))

    @property
    def limit(self) -> ToolLimit:
        """The row as the runner reads it."""
        return ToolLimit(
            self.enabled, self.max_return_rows, self.handle_mode, self.handle_threshold_tokens
        )

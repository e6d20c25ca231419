"""The parameter rows that differ from the code's defaults."""

import datetime as dt

from sqlalchemy import DateTime, Text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from backend.db.base import Base
from backend.params.registry import ParamValue


class SystemParam(Base):
    """A parameter's value as JSON; `version` grows with each change."""

    __tablename__ = "system_param"

    key: Mapped[str] = mapped_column(Text, primary_key=True)
    value: Mapped[ParamValue] = mapped_column(JSONB(none_as_null=False), nullable=False)
    version: Mapped[int] = mapped_column(default=1)
    updated_at: Mapped[dt.datetime] = mapped_column(DateTime(timezone=True))

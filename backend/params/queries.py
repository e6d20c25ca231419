"""Reads and writes parameter values; a value is read anew for each pool or call.

The parameter rows that differ from the code's defaults.
"""

import datetime as dt
from typing import Any, Literal

from sqlalchemy import DateTime, Text, select
from sqlalchemy.dialects.postgresql import JSONB, insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from backend.audit.queries import Author, Change, recall, record_change
from backend.db.session import Base
from backend.document import Document, Moment
from backend.errors import StaleVersionError
from backend.params.registry import (
    PARAMS,
    Param,
    ParamValue,
    check_value,
    default_values,
    find_param,
)


class SystemParam(Base):
    """A parameter's value as JSON; `version` grows with each change."""

    __tablename__ = "system_param"

    key: Mapped[str] = mapped_column(Text, primary_key=True)
    value: Mapped[ParamValue] = mapped_column(JSONB(none_as_null=False), nullable=False)
    version: Mapped[int] = mapped_column(default=1)
    updated_at: Mapped[dt.datetime] = mapped_column(DateTime(timezone=True))


async def read_params(session: AsyncSession) -> dict[str, ParamValue]:
    """All parameters by key, defaults where no row stands; rows of unknown keys are ignored."""
    values = default_values()
    rows = await session.execute(select(SystemParam.key, SystemParam.value))
    values.update({key: value for key, value in rows if key in values})
    return values


async def read_param_rows(session: AsyncSession) -> dict[str, SystemParam]:
    """The stored rows of known keys; a parameter without one has its default."""
    rows = (await session.execute(select(SystemParam))).scalars()
    known = default_values()
    return {row.key: row for row in rows if row.key in known}


async def write_param(
    session: AsyncSession,
    key: str,
    value: object,
    author: Author,
    *,
    expected_version: int | None = None,
) -> SystemParam:
    """Set one parameter, checked against type and bounds; gives the row as stored.

    `StaleVersionError` where `expected_version` is given and somebody else was quicker.
    """
    checked = check_value(find_param(key), value)
    row = await _lock_param(session, key, author.at, expected_version)
    old = row.value
    row.value, row.version, row.updated_at = checked, row.version + 1, author.at
    await record_change(session, author, Change("param", key, old, checked, row.version))
    return row


async def revert_param(
    session: AsyncSession,
    key: str,
    to: int | Literal["default"] | None,
    author: Author,
    *,
    expected_version: int | None = None,
) -> SystemParam:
    """Set what stood at a version, the code's default, or, for None, what the last change replaced."""
    param = find_param(key)
    row = await _lock_param(session, key, author.at, expected_version)
    is_default = to == "default"
    value = (
        param.default
        if is_default
        else await recall(session, "param", key, row.version, None if to is None else int(to))
    )
    return await write_param(session, key, value, author)


async def _lock_param(
    session: AsyncSession, key: str, at: dt.datetime, expected_version: int | None
) -> SystemParam:
    await insert_missing_params(session, at)
    wanted = select(SystemParam).where(SystemParam.key == key).with_for_update()
    row = (await session.scalars(wanted)).one()
    if expected_version is not None and row.version != expected_version:
        raise StaleVersionError(f"{key} is at version {row.version}, not {expected_version}")
    return row


async def insert_missing_params(session: AsyncSession, at: dt.datetime) -> None:
    """A row with its default for each parameter that has none yet."""
    rows = [
        {"key": param.key, "value": param.default, "version": 1, "updated_at": at}
        for param in PARAMS
    ]
    statement = insert(SystemParam).values(rows)
    await session.execute(statement.on_conflict_do_nothing(index_elements=["key"]))


class ParamItem(Document):
    """A parameter; `id` is its key."""

    id: str
    key: str
    value: Any
    default: Any
    type: str
    minimum: Any
    maximum: Any
    description: str
    version: int
    updated_at: Moment | None


def show_param(param: Param, row: SystemParam | None) -> ParamItem:
    """A parameter as it is set, with its bounds."""
    return ParamItem(
        id=param.key,
        key=param.key,
        value=param.default if row is None else row.value,
        default=param.default,
        type=param.type,
        minimum=param.minimum,
        maximum=param.maximum,
        description=param.description,
        version=1 if row is None else row.version,
        updated_at=None if row is None else row.updated_at.isoformat(),
    )

"""Reads and writes parameter values; a value is read anew for each pool or call."""

import datetime as dt

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from backend.errors import StaleVersionError
from backend.params.registry import PARAMS, ParamValue, check_value, default_values, find_param
from backend.params.tables import SystemParam


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
    at: dt.datetime,
    *,
    expected_version: int | None = None,
) -> SystemParam:
    """Set one parameter, checked against type and bounds; gives the row as stored.

    `StaleVersionError` where `expected_version` is given and somebody else was quicker.
    """
    checked = check_value(find_param(key), value)
    await insert_missing_params(session, at)
    wanted = select(SystemParam).where(SystemParam.key == key).with_for_update()
    row = (await session.scalars(wanted)).one()
    if expected_version is not None and row.version != expected_version:
        raise StaleVersionError(f"{key} is at version {row.version}, not {expected_version}")
    row.value, row.version, row.updated_at = checked, row.version + 1, at
    return row


async def insert_missing_params(session: AsyncSession, at: dt.datetime) -> None:
    """A row with its default for each parameter that has none yet."""
    rows = [
        {"key": param.key, "value": param.default, "version": 1, "updated_at": at}
        for param in PARAMS
    ]
    statement = insert(SystemParam).values(rows)
    await session.execute(statement.on_conflict_do_nothing(index_elements=["key"]))

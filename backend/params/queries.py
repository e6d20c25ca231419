"""Reads and writes parameter values; a value is read anew for each pool or call."""

import datetime as dt

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

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
    session: AsyncSession, key: str, value: object, at: dt.datetime
) -> ParamValue:
    """Set one parameter, checked against its type and bounds; gives the value as stored."""
    checked = check_value(find_param(key), value)
    row = insert(SystemParam).values(key=key, value=checked, version=1, updated_at=at)
    changed = {
        "value": row.excluded.value,
        "version": SystemParam.version + 1,
        "updated_at": row.excluded.updated_at,
    }
    await session.execute(row.on_conflict_do_update(index_elements=["key"], set_=changed))
    return checked


async def insert_missing_params(session: AsyncSession, at: dt.datetime) -> None:
    """A row with its default for each parameter that has none yet."""
    rows = [
        {"key": param.key, "value": param.default, "version": 1, "updated_at": at}
        for param in PARAMS
    ]
    statement = insert(SystemParam).values(rows)
    await session.execute(statement.on_conflict_do_nothing(index_elements=["key"]))

"""Reads and writes `function_tool`; limits are read at every call, so a change holds at once."""

import datetime as dt
from dataclasses import asdict
from enum import Enum

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from backend.errors import StaleVersionError
from backend.tools.limits import ToolLimit
from backend.tools.registry import TOOLS, check_limit, get_tool
from backend.tools.tables import FunctionTool


class Unchanged(Enum):
    """Marks what a write leaves alone, where None is a value of its own."""

    UNCHANGED = "unchanged"


UNCHANGED = Unchanged.UNCHANGED


async def insert_missing_tools(session: AsyncSession, at: dt.datetime) -> None:
    """A row for each tool that has none yet; its limit is empty, so the code's default holds."""
    default = {**asdict(ToolLimit()), "version": 1, "updated_at": at}
    rows = [{"name": tool.name, **default} for tool in TOOLS]
    statement = insert(FunctionTool).values(rows)
    await session.execute(statement.on_conflict_do_nothing(index_elements=["name"]))


async def read_limits(session: AsyncSession) -> dict[str, ToolLimit]:
    """Limits by tool; a tool without a row is absent and runs with the code's defaults."""
    columns = (
        FunctionTool.name,
        FunctionTool.enabled,
        FunctionTool.max_return_rows,
        FunctionTool.handle_mode,
        FunctionTool.handle_threshold_tokens,
    )
    rows = await session.execute(select(*columns))
    return {row.name: ToolLimit(*row[1:]) for row in rows}


async def read_tools(session: AsyncSession) -> dict[str, FunctionTool]:
    """The rows of all tools that this code has, by name."""
    rows = (await session.execute(select(FunctionTool))).scalars()
    known = {tool.name for tool in TOOLS}
    return {row.name: row for row in rows if row.name in known}


async def write_tool(
    session: AsyncSession,
    name: str,
    at: dt.datetime,
    *,
    max_return_rows: int | Unchanged | None = UNCHANGED,
    enabled: bool | Unchanged = UNCHANGED,
    expected_version: int | None = None,
) -> FunctionTool:
    """Change a tool's row and give it as stored; a limit of None goes back to the default.

    `StaleVersionError` where `expected_version` is given and somebody else was quicker.
    """
    tool = get_tool(name)
    values: dict[str, object] = {}
    if max_return_rows is not UNCHANGED:
        is_default = max_return_rows is None
        values["max_return_rows"] = None if is_default else check_limit(tool, max_return_rows)
    if enabled is not UNCHANGED:
        values["enabled"] = enabled
    await insert_missing_tools(session, at)
    statement = update(FunctionTool).where(FunctionTool.name == name)
    if expected_version is not None:
        statement = statement.where(FunctionTool.version == expected_version)
    changed = statement.values(**values, version=FunctionTool.version + 1, updated_at=at)
    rows = await session.execute(changed.returning(FunctionTool))
    row = rows.scalar_one_or_none()
    if row is None:
        raise StaleVersionError(f"{name} is not at version {expected_version} any more")
    return row

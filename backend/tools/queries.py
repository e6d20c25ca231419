"""Reads and writes `function_tool`; limits are read at every call, so a change holds at once."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict
from typing import Literal

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit.change import Author, Change
from backend.audit.queries import recall, record_change
from backend.db.statements import Statements
from backend.errors import StaleVersionError
from backend.tools.limits import ToolLimit
from backend.tools.registry import TOOLS, check_changes, get_tool
from backend.tools.tables import FunctionTool


async def insert_missing_tools(session: AsyncSession, at: dt.datetime) -> None:
    """A row for each tool that has none yet; its limit is empty, so the code's default holds."""
    default = {**asdict(ToolLimit()), "version": 1, "updated_at": at}
    rows = [{"name": tool.name, **default} for tool in TOOLS]
    statement = insert(FunctionTool).values(rows)
    await session.execute(statement.on_conflict_do_nothing(index_elements=["name"]))


_LIMITS = select(
    FunctionTool.name,
    FunctionTool.enabled,
    FunctionTool.max_return_rows,
    FunctionTool.handle_mode,
    FunctionTool.handle_threshold_tokens,
)
_LIMITS_TEXT = str(_LIMITS)


async def read_limits(session: AsyncSession) -> dict[str, ToolLimit]:
    """Limits by tool; a tool without a row is absent and runs with the code's defaults."""
    rows = await session.execute(_LIMITS)
    return {row.name: ToolLimit(*row[1:]) for row in rows}


async def read_limits_alone(statements: Statements) -> dict[str, ToolLimit]:
    """The same in a statement of its own, as the calls of runs read it."""
    async with statements.connection() as connection:
        rows = await (await connection.execute(_LIMITS_TEXT)).fetchall()
    return {row[0]: ToolLimit(*row[1:]) for row in rows}


async def read_tools(session: AsyncSession) -> dict[str, FunctionTool]:
    """The rows of all tools that this code has, by name."""
    rows = (await session.execute(select(FunctionTool))).scalars()
    known = {tool.name for tool in TOOLS}
    return {row.name: row for row in rows if row.name in known}


async def write_tool(
    session: AsyncSession,
    name: str,
    values: Mapping[str, object],
    author: Author,
    *,
    expected_version: int | None = None,
) -> FunctionTool:
    """Change some fields of a tool's `ToolLimit` and give the row; a limit of None is the default.

    `StaleVersionError` where `expected_version` is given and somebody else was quicker.
    """
    checked = check_changes(get_tool(name), values)
    row = await _lock_tool(session, name, author.at, expected_version)
    old = asdict(row.limit)
    for field, value in checked.items():
        setattr(row, field, value)
    row.version, row.updated_at = row.version + 1, author.at
    new = asdict(row.limit)
    await record_change(session, author, Change("tool", name, old, new, row.version))
    return row


async def revert_tool(
    session: AsyncSession,
    name: str,
    to: int | Literal["default"] | None,
    author: Author,
    *,
    expected_version: int | None = None,
) -> FunctionTool:
    """Set what stood at a version, the code's default, or, for None, what the last change replaced."""
    get_tool(name)
    row = await _lock_tool(session, name, author.at, expected_version)
    values = asdict(ToolLimit())
    if to != "default":
        values = await recall(session, "tool", name, row.version, to)
    return await write_tool(session, name, values, author)


async def _lock_tool(
    session: AsyncSession, name: str, at: dt.datetime, expected_version: int | None
) -> FunctionTool:
    await insert_missing_tools(session, at)
    wanted = select(FunctionTool).where(FunctionTool.name == name).with_for_update()
    row = (await session.scalars(wanted)).one()
    if expected_version is not None and row.version != expected_version:
        raise StaleVersionError(f"{name} is at version {row.version}, not {expected_version}")
    return row

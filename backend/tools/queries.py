"""Reads and writes `function_tool`; limits are read at every call, so a change holds at once.

The tools as rows that an admin can change; what a tool does stands in code.

Return limits as they are now, under what a replay sets for itself; the log keeps what held.

They are read anew at every call, so an admin's change holds from the next one on, in running runs
too; a replay needs to know at which call that was.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any, Literal

from sqlalchemy import CheckConstraint, DateTime, Text, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from backend.audit.queries import Author, Change, recall, record_change
from backend.db.session import Base, CodeText, Statements
from backend.document import Document, Moment
from backend.errors import StaleVersionError
from backend.tools.context import MAX_RETURN_ROWS, MIN_RETURN_ROWS, HandleMode, ToolLimit
from backend.tools.registry import TOOLS, check_changes, get_tool
from backend.tools.tool import Tool


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


class ToolItem(Document):
    """A tool's row; `id` is its name, `limit` the return limit that holds."""

    id: str
    name: str
    effect: str
    enabled: bool
    limit: int | None
    max_return_rows: int | None
    default_rows: int | None
    handle_mode: str
    handle_threshold_tokens: int
    version: int
    updated_at: Moment | None


def show_tool(tool: Tool[Any], row: FunctionTool | None) -> ToolItem:
    """A tool with its switches and its return limit."""
    limit = ToolLimit() if row is None else row.limit
    return ToolItem(
        id=tool.name,
        name=tool.name,
        effect=tool.effect,
        enabled=limit.enabled,
        limit=limit.max_return_rows or tool.default_rows,
        max_return_rows=limit.max_return_rows,
        default_rows=tool.default_rows,
        handle_mode=limit.handle_mode,
        handle_threshold_tokens=limit.handle_threshold_tokens,
        version=1 if row is None else row.version,
        updated_at=None if row is None else row.updated_at.isoformat(),
    )


class LimitReader:
    """Reads limits for one run; `rows` are return limits by tool that hold for this run alone."""

    def __init__(self, statements: Statements, rows: Mapping[str, int]) -> None:
        self._statements = statements
        self._rows = rows
        self._last: dict[str, ToolLimit] = {}

    async def read(self) -> dict[str, ToolLimit]:
        """Limits by tool."""
        limits = await read_limits_alone(self._statements)
        self._last = override_rows(limits, self._rows)
        return self._last

    @property
    def last(self) -> dict[str, ToolLimit]:
        """What the last reading gave, for the payload of the step that it was read for."""
        return select_changed(self._last)


def override_rows(limits: Mapping[str, ToolLimit], rows: Mapping[str, int]) -> dict[str, ToolLimit]:
    """The limits with other return limits."""
    changed = {
        name: replace(limits.get(name, ToolLimit()), max_return_rows=count)
        for name, count in rows.items()
    }
    return {**limits, **changed}


def select_changed(limits: Mapping[str, ToolLimit]) -> dict[str, ToolLimit]:
    """Those that differ from the code's defaults, which is what the log keeps."""
    return {name: limit for name, limit in limits.items() if limit != ToolLimit()}

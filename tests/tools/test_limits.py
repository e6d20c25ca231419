"""`function_tool`: rows appear once, bounds hold, an empty limit is the code's default."""

import datetime as dt

import psycopg
import pytest
from sqlalchemy import text
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.audit.queries import Author
from backend.bootstrap import prepare_database
from backend.db.session import transaction
from backend.errors import NotFoundError, OutOfBoundsError
from backend.tools.context import ToolLimit
from backend.tools.queries import insert_missing_tools, read_limits, read_tools, write_tool
from backend.tools.registry import TOOLS

pytestmark = pytest.mark.sql

AT = dt.datetime(2026, 10, 1, tzinfo=dt.UTC)


async def test_missing_rows_are_inserted_and_changed_ones_stay(engine: AsyncEngine) -> None:
    async with transaction(engine) as session:
        assert await read_limits(session) == {}
        await write_tool(session, "list_pois", {"max_return_rows": 7}, Author(AT))
        await session.execute(text("delete from function_tool where name = 'get_poi'"))
        await insert_missing_tools(session, AT)
        limits = await read_limits(session)
    assert sorted(limits) == sorted(tool.name for tool in TOOLS)
    assert limits["list_pois"] == ToolLimit(max_return_rows=7)
    assert limits["get_poi"] == ToolLimit()


def test_an_upgrade_inserts_them_and_may_be_repeated(database_url: str) -> None:
    prepare_database(database_url)
    prepare_database(database_url)
    with psycopg.connect(database_url) as connection:
        rows = connection.execute("select name from function_tool").fetchall()
    assert {name for (name,) in rows} == {tool.name for tool in TOOLS}


async def test_a_change_counts_versions_and_leaves_the_rest_alone(engine: AsyncEngine) -> None:
    later = AT + dt.timedelta(days=1)
    async with transaction(engine) as session:
        await write_tool(session, "list_pois", {"max_return_rows": 5}, Author(AT))
        row = await write_tool(session, "list_pois", {"enabled": False}, Author(later))
        assert (row.max_return_rows, row.enabled, row.version) == (5, False, 3)
        assert row.updated_at == later
        row = await write_tool(session, "list_pois", {"max_return_rows": None}, Author(later))
        assert row.limit == ToolLimit(enabled=False)
        assert (await read_tools(session))["list_hotels"].version == 1


@pytest.mark.parametrize("value", [0, 201, -1, True, "5", 2.0])
async def test_a_limit_out_of_bounds_is_refused_by_name(engine: AsyncEngine, value: int) -> None:
    async with transaction(engine) as session:
        with pytest.raises(
            OutOfBoundsError, match="list_pois must be a whole number from 1 to 200"
        ):
            await write_tool(session, "list_pois", {"max_return_rows": value}, Author(AT))


async def test_tools_without_rows_have_no_limit_and_unknown_ones_are_named(
    engine: AsyncEngine,
) -> None:
    async with transaction(engine) as session:
        with pytest.raises(OutOfBoundsError, match="get_poi answers without rows"):
            await write_tool(session, "get_poi", {"max_return_rows": 5}, Author(AT))
        with pytest.raises(NotFoundError, match="list_pois"):
            await write_tool(session, "list_poi", {"enabled": False}, Author(AT))


@pytest.mark.parametrize(
    "change",
    ["max_return_rows = 0", "max_return_rows = 201", "handle_mode = 'x'", "handle_threshold_tokens = 0"],
)  # fmt: skip
async def test_the_database_holds_the_bounds_too(engine: AsyncEngine, change: str) -> None:
    async with transaction(engine) as session:
        await insert_missing_tools(session, AT)
    with pytest.raises(IntegrityError):
        async with transaction(engine) as session:
            await session.execute(text(f"update function_tool set {change}"))

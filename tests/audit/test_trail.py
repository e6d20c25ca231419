"""The audit trail: written with the change, recalled by version, and final."""

import psycopg
import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.audit.queries import Author, list_changes
from backend.clock import read_utc
from backend.db.session import transaction
from backend.errors import ConflictError, NotFoundError, OutOfBoundsError, StaleVersionError
from backend.params.queries import read_params, revert_param, write_param
from backend.params.registry import ParamValue
from backend.tools.queries import read_limits, revert_tool, write_tool
from tests.database import Statement

pytestmark = pytest.mark.sql

KEY = "POOL_POI_SIZE"


async def set_param(engine: AsyncEngine, value: ParamValue, expected: int | None = None) -> int:
    async with transaction(engine) as session:
        author = Author(read_utc(), "key_1", "try")
        row = await write_param(session, KEY, value, author, expected_version=expected)
        return row.version


async def read_value(engine: AsyncEngine) -> ParamValue:
    async with transaction(engine) as session:
        return (await read_params(session))[KEY]


async def test_a_change_is_recorded_with_who_when_old_new_and_why(engine: AsyncEngine) -> None:
    await set_param(engine, 40)
    await set_param(engine, 30)
    async with transaction(engine) as session:
        newest, oldest = await list_changes(session, 10, kind="param", subject=KEY)
    assert (oldest.old, oldest.new, oldest.version) == (60, 40, 2)
    assert (newest.old, newest.new, newest.who, newest.why) == (40, 30, "key_1", "try")


@pytest.mark.parametrize(
    "statement",
    [
        "update audit_entry set who = 'nobody'",
        "delete from audit_entry",
        "truncate audit_entry",
    ],
)
async def test_nobody_edits_the_trail(
    engine: AsyncEngine, database_url: str, statement: Statement
) -> None:
    await set_param(engine, 40)
    with (
        psycopg.connect(database_url) as connection,
        pytest.raises(psycopg.errors.RestrictViolation, match="append-only"),
    ):
        connection.execute(statement)


async def test_a_lost_race_changes_nothing(engine: AsyncEngine) -> None:
    assert await set_param(engine, 40, expected=1) == 2
    with pytest.raises(StaleVersionError, match="version 2, not 1"):
        await set_param(engine, 50, expected=1)
    assert await read_value(engine) == 40
    async with transaction(engine) as session:
        assert len(await list_changes(session, 10)) == 1


@pytest.mark.parametrize(("to", "value"), [(None, 40), (1, 60), (2, 40), (3, 30), ("default", 60)])
async def test_a_parameter_goes_back(engine: AsyncEngine, to: object, value: int) -> None:
    await set_param(engine, 40)
    await set_param(engine, 30)
    async with transaction(engine) as session:
        row = await revert_param(session, KEY, to, Author(read_utc()))  # type: ignore[arg-type]
        assert row.version == 4
    assert await read_value(engine) == value


async def test_no_value_is_a_value_too(engine: AsyncEngine) -> None:
    key = "POI_PRICE_CAP_QUALITY"
    async with transaction(engine) as session:
        await write_param(session, key, "80", Author(read_utc()))
        await revert_param(session, key, None, Author(read_utc()))
        assert (await read_params(session))[key] is None


async def test_what_never_was_is_refused(engine: AsyncEngine) -> None:
    async with transaction(engine) as session:
        with pytest.raises(ConflictError, match="never changed"):
            await revert_param(session, KEY, None, Author(read_utc()))
        with pytest.raises(NotFoundError, match="version 1; nothing is known of version 7"):
            await revert_param(session, KEY, 7, Author(read_utc()))


async def test_a_tool_goes_back_whole(engine: AsyncEngine) -> None:
    author = Author(read_utc())
    async with transaction(engine) as session:
        await write_tool(session, "list_pois", {"max_return_rows": 7}, author)
        await write_tool(session, "list_pois", {"enabled": False, "handle_mode": "auto"}, author)
        await revert_tool(session, "list_pois", None, author)
        limit = (await read_limits(session))["list_pois"]
        assert (limit.enabled, limit.max_return_rows, limit.handle_mode) == (True, 7, "never")
        await revert_tool(session, "list_pois", "default", author)
        assert (await read_limits(session))["list_pois"].max_return_rows is None


@pytest.mark.parametrize(
    "values", [{"handle_mode": "sometimes"}, {"handle_threshold_tokens": 0}, {"max_return_rows": 0}]
)
async def test_a_tools_fields_are_bounded(engine: AsyncEngine, values: dict[str, object]) -> None:
    async with transaction(engine) as session:
        with pytest.raises(OutOfBoundsError):
            await write_tool(session, "list_pois", values, Author(read_utc()))

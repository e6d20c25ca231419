"""A transaction writes all or nothing, on the database that each test has for itself."""

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.db.session import transaction

pytestmark = pytest.mark.sql


@pytest.mark.parametrize("_", [1, 2])
async def test_a_test_has_its_database_for_itself(engine: AsyncEngine, _: int) -> None:
    async with transaction(engine) as session:
        await session.execute(text("create table mark (n int)"))


async def write_and_fail(engine: AsyncEngine) -> None:
    async with transaction(engine) as session:
        await session.execute(text("create table mark (n int)"))
        raise ZeroDivisionError


async def test_nothing_is_written_if_the_block_raises(engine: AsyncEngine) -> None:
    with pytest.raises(ZeroDivisionError):
        await write_and_fail(engine)
    async with transaction(engine) as session:
        assert (await session.execute(text("select to_regclass('mark')"))).scalar() is None

"""Kept responses: one for all processes, sealed, gone with their source and when room is wanted."""

import datetime as dt
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.audit.queries import Author
from backend.clock import read_utc
from backend.db.session import transaction
from backend.sources.fetch import Kept
from backend.sources.queries import add_source, make_room, remove_source, write_source
from backend.sources.store import ResponseCache
from tests.sources.specs import make_source

pytestmark = pytest.mark.sql

KEY = "k" * 32


@pytest.fixture
async def known(engine: AsyncEngine) -> AsyncEngine:
    async with transaction(engine) as session:
        await add_source(session, make_source(), Author(read_utc()))
    return engine


def make_kept(raw: bytes = b"secret words " * 99) -> Kept:
    return Kept(raw, "text/csv", '"v1"', None, read_utc())


async def read_content(engine: AsyncEngine) -> Any:
    async with engine.begin() as connection:
        rows = await connection.execute(text("select content from source_response"))
        return rows.scalar_one()


async def test_kept_and_replaced(known: AsyncEngine) -> None:
    cache = ResponseCache(known, None)
    await cache.keep("double", "http://a.test/", make_kept())
    await cache.keep("double", "http://a.test/", kept := make_kept(b"new"))
    assert await ResponseCache(known, None).find("http://a.test/") == kept
    assert await cache.find("http://b.test/") is None
    await cache.drop("http://a.test/")
    assert await cache.find("http://a.test/") is None
    await cache.keep("gone", "http://a.test/", kept)
    assert await cache.find("http://a.test/") is None


async def test_sealed_with_a_key(known: AsyncEngine) -> None:
    await ResponseCache(known, KEY).keep("double", "http://a.test/", kept := make_kept())
    assert await ResponseCache(known, KEY).find("http://a.test/") == kept
    assert await ResponseCache(known, None).find("http://a.test/") is None
    assert b"secret" not in await read_content(known)


async def test_gone_with_the_source(known: AsyncEngine) -> None:
    cache = ResponseCache(known, None)
    for change in ("write", "remove"):
        await cache.keep("double", "http://a.test/", make_kept())
        async with transaction(known) as session:
            if change == "write":
                await write_source(session, "double", Author(read_utc()), source=make_source())
            else:
                await remove_source(session, "double", Author(read_utc()))
        assert await cache.find("http://a.test/") is None


async def test_the_least_used_goes_first(known: AsyncEngine) -> None:
    cache = ResponseCache(known, None)
    for name in "abc":
        await cache.keep("double", f"http://{name}.test/", make_kept(b"x" * 100))
    await cache.find("http://a.test/")
    async with transaction(known) as session:
        await make_room(session, 250, read_utc() - dt.timedelta(days=1))
    found = [await cache.find(f"http://{name}.test/") for name in "abc"]
    assert [kept is not None for kept in found] == [True, False, True]

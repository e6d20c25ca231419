"""A real PostgreSQL for tests: one server a session, one migrated template, a clone for each test."""

import os
import shutil
from collections.abc import AsyncIterator, Iterator

import pytest
from psycopg import sql
from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.db.embedded import start_embedded
from backend.db.migrate import upgrade
from backend.db.session import make_engine
from backend.settings import Settings
from tests.database import make_database, run_sql

# A test database need not survive a power cut.
FAST = ("fsync", "synchronous_commit", "full_page_writes")


@pytest.fixture(scope="session")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An admin's address of the server for tests: WAYPOOL_TEST_DATABASE_URL, else our own."""
    if given := os.environ.get("WAYPOOL_TEST_DATABASE_URL"):  # noqa: TID251 - only for tests
        yield given
        return
    data = Settings(home=tmp_path_factory.mktemp("home")).embedded_data
    with start_embedded(data) as server:
        settings = [sql.SQL("alter system set {} = off").format(sql.Identifier(n)) for n in FAST]
        run_sql(server.url, *settings, "select pg_reload_conf()")
        yield server.url
    shutil.rmtree(data)


@pytest.fixture(scope="session")
def template_database(server_url: str) -> Iterator[str]:
    """Name of a database with all migrations and no rows."""
    with make_database(server_url) as url:
        upgrade(url)
        yield str(make_url(url).database)


@pytest.fixture
def database_url(server_url: str, template_database: str) -> Iterator[str]:
    """Address of a fresh migrated database that this test has for itself."""
    with make_database(server_url, template_database) as url:
        yield url


@pytest.fixture
def empty_database_url(server_url: str) -> Iterator[str]:
    """Address of a database without any table."""
    with make_database(server_url) as url:
        yield url


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    """The product's engine on that database."""
    engine = make_engine(database_url)
    yield engine
    await engine.dispose()

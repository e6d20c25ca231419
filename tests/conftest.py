"""A real PostgreSQL for tests: one server a session, one migrated template, a clone for each test."""

import os
import secrets
import shutil
from collections.abc import AsyncIterator, Iterator

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.db.embedded import start_embedded
from backend.db.migrate import upgrade
from backend.db.session import make_engine
from backend.settings import Settings

# A test database need not survive a power cut.
FAST = ("fsync", "synchronous_commit", "full_page_writes")


def run_sql(url: str, *statements: sql.SQL | sql.Composed) -> None:
    """Statements outside of a transaction, as `create database` needs it."""
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


def address_of(server_url: str, database: str) -> str:
    """The same server's address for another database."""
    return make_url(server_url).set(database=database).render_as_string(hide_password=False)


@pytest.fixture(scope="session")
def server_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """An admin's address of the server for tests: WAYPOOL_TEST_DATABASE_URL, else our own."""
    if given := os.environ.get("WAYPOOL_TEST_DATABASE_URL"):  # noqa: TID251 - only for tests
        yield given
        return
    data = Settings(home=tmp_path_factory.mktemp("home")).embedded_data
    with start_embedded(data) as server:
        settings = [sql.SQL("alter system set {} = off").format(sql.Identifier(n)) for n in FAST]
        run_sql(server.url, *settings, sql.SQL("select pg_reload_conf()"))
        yield server.url
    shutil.rmtree(data)


@pytest.fixture(scope="session")
def template_database(server_url: str) -> Iterator[str]:
    """Name of a database with all migrations and no rows."""
    name = f"waypool_template_{secrets.token_hex(4)}"
    create = "create database {} template template0 encoding 'UTF8'"
    run_sql(server_url, sql.SQL(create).format(sql.Identifier(name)))
    upgrade(address_of(server_url, name))
    yield name
    drop_database(server_url, name)


@pytest.fixture
def database_url(server_url: str, template_database: str) -> Iterator[str]:
    """Address of a fresh migrated database that this test has for itself."""
    name = f"waypool_test_{secrets.token_hex(4)}"
    create = sql.SQL("create database {} template {}")
    run_sql(server_url, create.format(sql.Identifier(name), sql.Identifier(template_database)))
    yield address_of(server_url, name)
    drop_database(server_url, name)


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    """The product's engine on that database."""
    engine = make_engine(database_url)
    yield engine
    await engine.dispose()


def drop_database(server_url: str, name: str) -> None:
    """Remove a database, whoever is still connected."""
    run_sql(server_url, sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))

"""Engine and transaction: the only place that opens sessions and commits.

Declarative base and the column types that all tables share.

Single statements, each a transaction of its own, on connections of the driver's own pool.

A session and its check of the connection cost several times as much as such a statement itself,
and a run's steps are nothing else. The price: a connection that broke while it lay idle is noticed
by the statement that gets it. That one fails, and the next finds sound ones.

Tidies tables after a bulk of writes: index-only scans need pages that are known to be visible.

The server does this by itself after a while; the queries of the first minutes should not wait.
"""

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Any

import psycopg
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool
from sqlalchemy import URL, MetaData, Text, make_url, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession, create_async_engine
from sqlalchemy.orm import DeclarativeBase, mapped_column

from backend.errors import ConfigurationError, UnavailableError

Session = AsyncSession
"""A session with its transaction, for rooms that pass it on without speaking SQL."""

CONNECT_SECONDS = 5
"""A server that is going down takes connections and does not answer them."""

POOL_SECONDS = 10
"""How long a request waits for a connection before it is told to come again."""

Engine = AsyncEngine
"""The engine, for the same rooms."""


def parse_url(url: str) -> URL:
    """A PostgreSQL address with the psycopg 3 driver; any other kind is a `ConfigurationError`."""
    try:
        parsed = make_url(url)
    except ArgumentError:
        raise ConfigurationError("WAYPOOL_DATABASE_URL is not a database address") from None
    if parsed.get_backend_name() not in {"postgresql", "postgres"}:
        raise ConfigurationError(
            f"WAYPOOL_DATABASE_URL must be postgresql://…, not {parsed.drivername}://…"
        )
    return parsed.set(drivername="postgresql+psycopg")


def make_engine(url: str, pool_size: int = 10) -> AsyncEngine:
    """An engine that waits at most 10 s for a connection and checks it before use.

    Its errors hold no parameters: these are requests and results, and errors reach logs.
    """
    return create_async_engine(
        parse_url(url),
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=POOL_SECONDS,
        pool_pre_ping=True,
        hide_parameters=True,
        connect_args={"connect_timeout": CONNECT_SECONDS},
    )


@asynccontextmanager
async def transaction(engine: AsyncEngine) -> AsyncIterator[AsyncSession]:
    """One session, one commit at the end of the block, nothing written if it raises.

    `UnavailableError` where the database is away or has no connection free for 10 s.
    """
    try:
        async with AsyncSession(engine, expire_on_commit=False) as session, session.begin():
            yield session
    except PoolTimeoutError as error:
        raise UnavailableError("all connections to the database are busy") from error
    except (OperationalError, InterfaceError, psycopg.OperationalError) as error:
        raise UnavailableError("the database does not answer") from error


async def raw_connection(session: AsyncSession) -> Any:
    """The driver's own connection of a session, a `psycopg.AsyncConnection` in its transaction."""
    connection = await (await session.connection()).get_raw_connection()
    return connection.driver_connection


NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """Base of all tables; constraint names are fixed so that migrations can name them."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {dict[str, Any]: JSONB, list[Any]: JSONB}  # noqa: RUF012


CodeText = Annotated[str, mapped_column(Text(collation="C"))]
"""Ids: text compared by code point, as Python compares it, whatever the database's locale."""


WAIT_SECONDS = 10.0


class Statements:
    """Lends connections without a transaction; opened by `open_statements`."""

    def __init__(self, pool: AsyncConnectionPool[AsyncConnection]) -> None:
        self._pool = pool

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[AsyncConnection]:
        """A connection; `UnavailableError` where the database is away or has none free for 10 s."""
        try:
            async with self._pool.connection() as connection:
                yield connection
        except psycopg.OperationalError as error:
            await self._pool.check()
            raise UnavailableError("the database does not answer") from error


@asynccontextmanager
async def open_statements(engine: Engine, size: int) -> AsyncIterator[Statements]:
    """Statements on the database of `engine`, over at most `size` connections made as needed."""
    url = engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    async with AsyncConnectionPool(
        url,
        kwargs={"autocommit": True, "connect_timeout": CONNECT_SECONDS},
        min_size=0,
        max_size=size,
        timeout=WAIT_SECONDS,
        open=False,
    ) as pool:
        yield Statements(pool)


log = logging.getLogger(__name__)


async def vacuum(engine: AsyncEngine, tables: Sequence[str]) -> None:
    """Vacuum and analyze; what was written stands whether this works or not."""
    autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")
    try:
        async with autocommit.connect() as connection:
            await connection.execute(text(f"vacuum (analyze) {', '.join(tables)}"))
    except DBAPIError as error:
        log.warning("the tables were not vacuumed: %s", str(error.orig).strip())

"""Engine and transaction: the only place that opens sessions and commits.

Declarative base and the column types that all tables share.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import psycopg
from sqlalchemy import URL, MetaData, Text, make_url
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.exc import ArgumentError, InterfaceError, OperationalError
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

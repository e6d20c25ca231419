"""Single statements, each a transaction of its own, on connections of the driver's own pool.

A session and its check of the connection cost several times as much as such a statement itself,
and a run's steps are nothing else. The price: a connection that broke while it lay idle is noticed
by the statement that gets it. That one fails, and the next finds sound ones.

Tidies tables after a bulk of writes: index-only scans need pages that are known to be visible.

The server does this by itself after a while; the queries of the first minutes should not wait.
"""

import logging
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from psycopg import AsyncConnection, OperationalError
from psycopg_pool import AsyncConnectionPool
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.db.session import CONNECT_SECONDS, Engine
from backend.errors import UnavailableError

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
        except OperationalError as error:
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

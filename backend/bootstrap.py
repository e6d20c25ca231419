"""Builds the long-lived objects once: settings, engine, and what hangs on them."""

import asyncio

from backend.clock import read_utc
from backend.db.migrate import upgrade
from backend.db.session import make_engine, transaction
from backend.params.queries import insert_missing_params
from backend.tools.queries import insert_missing_tools


def prepare_database(url: str) -> None:
    """Migrate a database and add the rows that every installation has."""
    upgrade(url)
    asyncio.run(_insert_rows(url))


async def _insert_rows(url: str) -> None:
    engine = make_engine(url, 1)
    try:
        async with transaction(engine) as session:
            await insert_missing_params(session, read_utc())
            await insert_missing_tools(session, read_utc())
    finally:
        await engine.dispose()

"""Tidies tables after a bulk of writes: index-only scans need pages that are known to be visible.

The server does this by itself after a while; the queries of the first minutes should not wait.
"""

import logging
from collections.abc import Sequence

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

log = logging.getLogger(__name__)


async def vacuum(engine: AsyncEngine, tables: Sequence[str]) -> None:
    """Vacuum and analyze; what was written stands whether this works or not."""
    autocommit = engine.execution_options(isolation_level="AUTOCOMMIT")
    try:
        async with autocommit.connect() as connection:
            await connection.execute(text(f"vacuum (analyze) {', '.join(tables)}"))
    except DBAPIError as error:
        log.warning("the tables were not vacuumed: %s", str(error.orig).strip())

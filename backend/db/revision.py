"""The revision of a database, asked over the engine that serves requests."""

from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.db.session import transaction


async def read_revision_async(engine: AsyncEngine) -> str | None:
    """The revision; None in a database that was never upgraded."""
    try:
        async with transaction(engine) as session:
            found = await session.execute(text("select version_num from alembic_version"))
            return found.scalar_one_or_none()
    except ProgrammingError:
        return None

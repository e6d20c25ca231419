"""The revision of a database, and whether this version can work on it.

A newer version may have migrated the database while processes of this one still run. They go on
where every migration since their own revision only adds things ("expand"). A migration says so by
its `PHASE`; it is written into the database, since an older process lacks the newer migrations.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection, Text, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import ProgrammingError
from sqlalchemy.ext.asyncio import AsyncEngine
from sqlalchemy.orm import Mapped, mapped_column

from backend.db.session import Base, transaction

EXPAND = "expand"


class MigrationPhase(Base):
    """A migration that has run: the revision before it, and its `PHASE`."""

    __tablename__ = "migration_phase"

    revision: Mapped[str] = mapped_column(Text, primary_key=True)
    previous: Mapped[str | None] = mapped_column(Text)
    phase: Mapped[str] = mapped_column(Text)


_PRESENT = text("select version_num from alembic_version")
_PHASES = select(MigrationPhase.revision, MigrationPhase.previous, MigrationPhase.phase)
_HAS_PHASES = text("select to_regclass('migration_phase') is not null")


@dataclass(frozen=True)
class Phase:
    """A migration that has run: the revision before it, and what it is for older processes."""

    previous: str | None
    phase: str


@dataclass(frozen=True)
class Revision:
    """Where a database stands, and how it came there; `current` is None before the first upgrade."""

    current: str | None
    phases: Mapping[str, Phase]

    def serves(self, needed: str) -> bool:
        """Whether a process that needs one revision can work on this database."""
        at = self.current
        for _ in range(len(self.phases) + 1):
            if at is None or at == needed:
                return at == needed
            step = self.phases.get(at)
            if step is None or step.phase != EXPAND:
                return False
            at = step.previous
        return False


async def read_revision_async(engine: AsyncEngine) -> Revision:
    """The revision, asked over the engine that serves requests."""
    try:
        async with transaction(engine) as session:
            connection = await session.connection()
            return await connection.run_sync(read_revision)
    except ProgrammingError:
        return Revision(None, {})


def read_revision(connection: Connection) -> Revision:
    """The revision on a connection; a `ProgrammingError` in a database that was never upgraded."""
    current = connection.execute(_PRESENT).scalar_one_or_none()
    rows = connection.execute(_PHASES).all() if connection.scalar(_HAS_PHASES) else []
    return Revision(current, {row.revision: Phase(row.previous, row.phase) for row in rows})


def note_phase(connection: Connection, revision: str, previous: str | None, phase: str) -> None:
    """Write a migration's phase down, once there is the table for it."""
    if not connection.scalar(_HAS_PHASES):
        return
    row = insert(MigrationPhase).values(revision=revision, previous=previous, phase=phase)
    connection.execute(row.on_conflict_do_nothing())

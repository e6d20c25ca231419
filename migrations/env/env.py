"""Runs the migrations on the connection that `backend.db.migrate` hands over, within time limits.

It stands in a folder of its own because Alembic takes every Python file beside the revisions for one.
"""

from typing import Any

from alembic import context
from sqlalchemy import Connection, text

# Imported for their tables: what is missing here, no migration would be drafted for.
import backend.access.queries
import backend.catalogue.tables
import backend.params.queries
import backend.results.queries
import backend.runs.log.tables
import backend.sources.queries
import backend.tools.queries  # noqa: F401
from backend.db.revision import note_phase
from backend.db.session import Base

# A migration that waits for a lock makes everybody queue behind it, so it gives up soon.
LIMITS = ("set lock_timeout = '10s'", "set statement_timeout = '10min'")


# The queue's tables are its library's own.
QUEUE_PREFIX = "procrastinate_"


def is_ours(name: str | None, kind: str, _parents: object) -> bool:
    """Whether drafting a migration looks at this thing of the database."""
    return not (kind == "table" and name is not None and name.startswith(QUEUE_PREFIX))


def note(*, ctx: Any, step: Any, heads: Any, run_args: Any) -> None:
    """Write down, in the migration's own transaction, whether older processes may go on."""
    script = step.up_revision
    phase = getattr(script.module, "PHASE", "contract")
    note_phase(ctx.connection, script.revision, script.down_revision, phase)


def run(connection: Connection) -> None:
    """Apply what is missing, one transaction for each revision, unless the caller holds one."""
    for limit in LIMITS:
        connection.execute(text(limit))
    if not context.config.attributes.get("is_one_transaction", False):
        connection.commit()
    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        transaction_per_migration=True,
        include_name=is_ours,
        on_version_apply=note,
    )
    with context.begin_transaction():
        context.run_migrations()


run(context.config.attributes["connection"])

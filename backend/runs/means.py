"""What a process carries runs with: made once for all of them, or for one run by its command."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from backend.db.session import Engine
from backend.db.statements import Statements, open_statements
from backend.runs.cancelling import CancelWatch

CONNECTIONS = 5
"""A step is written in under a millisecond, so few serve many runs."""


@dataclass(frozen=True)
class Means:
    """Quick statements for what happens at every step, and one watch for wishes to cancel."""

    statements: Statements
    cancels: CancelWatch


@asynccontextmanager
async def open_means(engine: Engine) -> AsyncIterator[Means]:
    """Means on the database of `engine`."""
    async with open_statements(engine, CONNECTIONS) as statements:
        yield Means(statements, CancelWatch(statements))

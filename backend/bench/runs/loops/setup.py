"""What every loop is given, and the rows that it commits: one for each reply, one for each outcome."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

import psycopg

from backend.bench.runs.conversation import Conversation

Converse = Callable[[], Awaitable[None]]
"""Hold the conversation once, from its opening to the last reply."""

MAKE_TABLE = (
    "create table if not exists bench_row (id bigserial primary key, payload json not null)"
)


@dataclass(frozen=True)
class Setup:
    """`model` is the double's address, `rows` where to commit, None: nowhere."""

    conversation: Conversation
    model: str
    database: str
    rows: psycopg.AsyncConnection | None

    async def commit(self, payload: str) -> None:
        """One row, on disk before this returns."""
        if self.rows is not None:
            await self.rows.execute("insert into bench_row (payload) values (%s)", [payload])


OpenLoop = Callable[[Setup], AbstractAsyncContextManager[Converse]]

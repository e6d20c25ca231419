"""Wishes to cancel, watched for all runs of a process at once: one query however many they are."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from backend.db.statements import Statements
from backend.errors import UnavailableError
from backend.runs.queries import list_going_on

POLL_SECONDS = 0.3


class CancelWatch:
    """Tells runs that they should stop: by a wish to cancel them, or because they were deleted."""

    def __init__(self, statements: Statements, poll_seconds: float = POLL_SECONDS) -> None:
        self._statements = statements
        self._poll_seconds = poll_seconds
        self._watched: dict[str, asyncio.Event] = {}
        self._looking: asyncio.Task[None] | None = None

    @asynccontextmanager
    async def watching(self, run_id: str) -> AsyncIterator[asyncio.Event]:
        """An event that is set when the run should stop; the first look is soon, not at once."""
        event = self._watched[run_id] = asyncio.Event()
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_for_ever())
        try:
            yield event
        finally:
            del self._watched[run_id]
            if not self._watched and self._looking is not None:
                self._looking.cancel()
                self._looking = None

    async def _look_for_ever(self) -> None:
        while self._looking is asyncio.current_task():  # a cancellation may get lost
            with suppress(UnavailableError):  # the next step to be written waits, or gives up
                await self._look()
            await asyncio.sleep(self._poll_seconds)

    async def _look(self) -> None:
        asked = tuple(self._watched)
        for run_id in set(asked) - await list_going_on(self._statements, asked):
            if run_id in self._watched:
                self._watched[run_id].set()

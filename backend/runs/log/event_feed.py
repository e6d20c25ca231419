"""Follows run logs as they grow: one listening connection a process, however many readers.

A notification only says that a run has news; what is delivered always comes from the log, so a lost
one delays a reader and loses nothing.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager

from psycopg import AsyncConnection, OperationalError
from psycopg.sql import SQL, Identifier

from backend.db.session import CONNECT_SECONDS, Engine, transaction
from backend.errors import UnavailableError
from backend.runs.log.queries import find_run
from backend.runs.log.run_log import CHANNEL, read_steps
from backend.runs.log.steps import RunFinished, Step

PATIENCE_SECONDS = 5.0
"""A reader looks by itself after so long, in case the listening connection was away."""

RECONNECT_SECONDS = 1.0
PAGE = 200

log = logging.getLogger(__name__)


class EventFeed:
    """Steps of runs, from the log, woken by notifications."""

    def __init__(self, url: str, engine: Engine) -> None:
        """`url` is a libpq address of the database that `engine` is on."""
        self._url = url
        self._engine = engine
        self._waiting: dict[str, set[asyncio.Event]] = {}
        self._heard = 0
        self._reading: dict[tuple[str, int, int], asyncio.Task[Sequence[Step]]] = {}
        self._is_closed = False

    @asynccontextmanager
    async def listening(self) -> AsyncIterator["EventFeed"]:
        """Listen inside the block."""
        listener = asyncio.create_task(self._listen_for_ever())
        try:
            yield self
        finally:
            listener.cancel()

    def close(self) -> None:
        """Let every reader go, with what stands in the log by now; it may come back elsewhere."""
        self._is_closed = True
        for news in set().union(*self._waiting.values()):
            news.set()

    @property
    def readers(self) -> int:
        """How many follow a run now."""
        return sum(map(len, self._waiting.values()))

    async def follow(
        self, run_id: str, after: int, heartbeat: float = PATIENCE_SECONDS
    ) -> AsyncGenerator[Step | None]:
        """Steps above `after` as they are written, to the end; None where nothing came for a while.

        It also ends where the run is deleted or the feed closed, and lasts while the database is away.
        """
        news = asyncio.Event()
        self._waiting.setdefault(run_id, set()).add(news)
        try:
            while True:
                news.clear()
                steps = await self._read_page(run_id, after)
                for step in steps:
                    yield step
                    after = step.seq
                    if isinstance(step.payload, RunFinished):
                        return
                if self._is_closed:
                    return
                if len(steps) == PAGE or await _is_set_within(news, heartbeat):
                    continue
                if await self._is_deleted(run_id):
                    return
                yield None
        finally:
            self._forget(run_id, news)

    async def _read_page(self, run_id: str, after: int) -> Sequence[Step]:
        """The next steps; readers that are equally far share one look into the log.

        They share none that may have begun before the last notification came.
        """
        key = run_id, after, self._heard
        reading = self._reading.get(key)
        if reading is None:
            reading = self._reading[key] = asyncio.create_task(self._look(run_id, after))
            reading.add_done_callback(lambda _: self._reading.pop(key, None))
        return await asyncio.shield(reading)

    async def _look(self, run_id: str, after: int) -> Sequence[Step]:
        """None while the database is away, which a reader waits out."""
        try:
            return await read_steps(self._engine, run_id, after, PAGE)
        except UnavailableError:
            return ()

    async def _is_deleted(self, run_id: str) -> bool:
        try:
            async with transaction(self._engine) as session:
                return await find_run(session, run_id, None) is None
        except UnavailableError:
            return False

    def _forget(self, run_id: str, news: asyncio.Event) -> None:
        waiting = self._waiting.get(run_id, set())
        waiting.discard(news)
        if not waiting:
            self._waiting.pop(run_id, None)

    async def _listen_for_ever(self) -> None:
        while True:
            try:
                await self._listen()
            except OperationalError:
                log.warning("the listening connection is away; readers look by themselves")
            await asyncio.sleep(RECONNECT_SECONDS)

    async def _listen(self) -> None:
        connection = await AsyncConnection.connect(
            self._url, autocommit=True, connect_timeout=CONNECT_SECONDS
        )
        async with connection:
            await connection.execute(SQL("listen {}").format(Identifier(CHANNEL)))
            async for notification in connection.notifies():
                self._heard += 1
                for news in self._waiting.get(notification.payload, ()):
                    news.set()


async def _is_set_within(news: asyncio.Event, seconds: float) -> bool:
    try:
        await asyncio.wait_for(news.wait(), seconds)
    except TimeoutError:
        return False
    return True

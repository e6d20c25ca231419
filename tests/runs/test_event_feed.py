"""A reader of events always comes to an end, and misses nothing on the way."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.clock import read_utc
from backend.db.session import Engine, transaction
from backend.errors import UnavailableError
from backend.runs.log import event_feed
from backend.runs.log.event_feed import EventFeed
from backend.runs.log.queries import delete_run, insert_run
from backend.runs.log.run_log import append_step, read_steps
from backend.runs.log.steps import PoolBuilt, RunFinished, RunQueued, RunStarted, Step, StepPayload

pytestmark = pytest.mark.sql


@pytest.fixture
async def feed(database_url: str, engine: AsyncEngine) -> AsyncIterator[EventFeed]:
    async with transaction(engine) as session:
        row = {"id": "run_1", "tenant": "t", "status": "running", "executor": "queue"}
        rest = {"planner": "builtin", "locale": "en", "request": {}, "created_at": read_utc()}
        await insert_run(session, row | rest)
    async with EventFeed(database_url, engine).listening() as feed:
        yield feed


QUEUED, STARTED = RunQueued(planner="auto"), RunStarted()
BUILT = PoolBuilt(sha256="0", funnel={}, warnings=())
FINISHED = RunFinished(status="succeeded", error=None)


async def write(engine: AsyncEngine, *payloads: StepPayload, first: int = 1) -> None:
    for seq, payload in enumerate(payloads, first):
        async with transaction(engine) as session:
            await append_step(session, "run_1", Step(seq, payload, read_utc()))


async def read(feed: EventFeed, heard: list[Step | None], after: int = 0) -> None:
    async with aclosing(feed.follow("run_1", after, heartbeat=0.05)) as steps:
        async for step in steps:
            heard.append(step)


async def test_two_readers_hear_all_from_where_they_are(
    feed: EventFeed, engine: AsyncEngine
) -> None:
    await write(engine, QUEUED, STARTED)
    both: tuple[list[Step | None], list[Step | None]] = ([], [])
    readers = [asyncio.create_task(read(feed, heard, n)) for n, heard in enumerate(both)]
    await write(engine, BUILT, FINISHED, first=3)
    await asyncio.wait_for(asyncio.gather(*readers), 20)
    assert [[step.seq for step in heard if step] for heard in both] == [[1, 2, 3, 4], [2, 3, 4]]


async def test_a_deleted_run_lets_its_readers_go(feed: EventFeed, engine: AsyncEngine) -> None:
    reader = asyncio.create_task(read(feed, []))
    async with transaction(engine) as session:
        await delete_run(session, "run_1")
    await asyncio.wait_for(reader, 20)


async def test_a_closed_feed_lets_its_readers_go(feed: EventFeed, engine: AsyncEngine) -> None:
    await write(engine, QUEUED)
    heard: list[Step | None] = []
    reader = asyncio.create_task(read(feed, heard))
    while not heard:  # noqa: ASYNC110 - the reader tells nobody
        await asyncio.sleep(0.01)
    feed.close()
    await asyncio.wait_for(reader, 20)
    assert [step.seq for step in heard if step] == [1]


async def test_a_reader_waits_out_a_database_that_is_away(
    feed: EventFeed, engine: AsyncEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = 0

    async def read_or_fail(*arguments: Any) -> Any:
        nonlocal asked
        asked += 1
        if asked < 4:
            raise UnavailableError("away")
        return await read_steps(*arguments)

    def fail(_: Engine) -> Any:
        raise UnavailableError("away")

    monkeypatch.setattr(event_feed, "read_steps", read_or_fail)
    monkeypatch.setattr(event_feed, "transaction", fail)
    await write(engine, QUEUED, FINISHED)
    heard: list[Step | None] = []
    await asyncio.wait_for(read(feed, heard), 20)
    assert [step.seq for step in heard if step] == [1, 2]

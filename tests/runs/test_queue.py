"""Jobs of silent workers and runs without a job come back; nothing is done twice at a time."""

import asyncio
import datetime as dt
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
from procrastinate import App
from procrastinate.exceptions import ConnectorException
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from backend.clock import read_utc
from backend.db.session import transaction
from backend.runs.life.admission import (
    MAX_WAITING,
    QueueFullError,
    finish_verification,
    insert_verification,
)
from backend.runs.life.commands import cancel_run
from backend.runs.life.queue import JobQueue
from backend.runs.log.lifecycle import INLINE
from backend.runs.log.queries import hold_run, insert_run, list_unfinished, update_run

pytestmark = pytest.mark.sql


@pytest.fixture
async def queue(database_url: str, engine: AsyncEngine) -> AsyncIterator[JobQueue]:
    async with JobQueue(
        database_url, engine, heartbeat_seconds=0.1, stalled_after_seconds=0.5
    ) as queue:
        yield queue


async def make_run(
    engine: AsyncEngine,
    run_id: str,
    queue: JobQueue | None = None,
    *,
    status: str = "queued",
    executor: str = "queue",
    age: float = 0,
) -> None:
    """A run, with its job if a queue is given."""
    async with transaction(engine) as session:
        row = {"id": run_id, "tenant": "t", "status": status, "executor": executor}
        made = read_utc() - dt.timedelta(seconds=age)
        rest = {"planner": "builtin", "locale": "en", "request": {}, "created_at": made}
        admitted = {"admitted_at": made} if queue is not None else {}
        await insert_run(session, row | rest | admitted)
        if queue is not None:
            await queue.enqueue(session, run_id)


class Worker:
    """Advances runs by noting them."""

    def __init__(self, engine: AsyncEngine) -> None:
        self.engine = engine
        self.done: asyncio.Queue[str] = asyncio.Queue()

    async def advance(self, run_id: str) -> None:
        async with transaction(self.engine) as session:
            await update_run(session, run_id, status="succeeded")
        await self.done.put(run_id)

    async def expect(self, queue: JobQueue, count: int) -> list[str]:
        """Work until so many runs were advanced."""
        work = asyncio.create_task(queue.work(self.advance, 4))
        try:
            return [await asyncio.wait_for(self.done.get(), 20) for _ in range(count)]
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)


async def test_a_run_and_its_job_come_in_one_transaction(
    queue: JobQueue, engine: AsyncEngine
) -> None:
    async with engine.connect() as connection:
        async with AsyncSession(connection) as session:
            await queue.enqueue(session, "run_never")
        await connection.rollback()
    await make_run(engine, "run_1", queue)
    assert await Worker(engine).expect(queue, 1) == ["run_1"]


async def test_a_run_without_a_job_is_put_back(queue: JobQueue, engine: AsyncEngine) -> None:
    await make_run(engine, "run_lost")
    assert await Worker(engine).expect(queue, 1) == ["run_lost"]


async def test_a_verification_without_a_job_is_put_back(
    queue: JobQueue, engine: AsyncEngine
) -> None:
    await make_run(engine, "run_done", status="succeeded")
    async with transaction(engine) as session:
        await insert_verification(session, "ver_lost", "run_done", "t")
    done: asyncio.Queue[str] = asyncio.Queue()

    async def verify(verification_id: str) -> None:
        async with transaction(engine) as session:
            await finish_verification(session, verification_id, {})
        await done.put(verification_id)

    work = asyncio.create_task(queue.work(Worker(engine).advance, 4, verify=verify))
    try:
        assert await asyncio.wait_for(done.get(), 20) == "ver_lost"
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


async def test_of_one_tenant_only_so_many_verifications_wait(engine: AsyncEngine) -> None:
    await make_run(engine, "run_done", status="succeeded")
    async with transaction(engine) as session:
        for n in range(MAX_WAITING):
            await insert_verification(session, f"ver_{n}", "run_done", "t")
        with pytest.raises(QueueFullError):
            await insert_verification(session, "ver_more", "run_done", "t")
        await finish_verification(session, "ver_0", {})
        await insert_verification(session, "ver_more", "run_done", "t")
        await insert_verification(session, "ver_else", "run_done", "other")


async def test_a_silent_workers_job_is_taken_over(queue: JobQueue, engine: AsyncEngine) -> None:
    await make_run(engine, "run_held", queue)
    async with transaction(engine) as session:
        worker = (
            await session.execute(
                text(
                    "insert into procrastinate_workers (last_heartbeat)"
                    " values (now() - interval '1 minute') returning id"
                )
            )
        ).scalar_one()
        await session.execute(
            text("update procrastinate_jobs set status = 'doing', worker_id = :worker"),
            {"worker": worker},
        )
    assert await Worker(engine).expect(queue, 1) == ["run_held"]


async def test_a_silent_workers_job_does_not_block_a_second_one_of_its_run(
    queue: JobQueue, engine: AsyncEngine
) -> None:
    await make_run(engine, "run_twice", queue)
    async with transaction(engine) as session:
        silent = "update procrastinate_jobs set status = 'doing', worker_id = null"
        await session.execute(text(silent))
        await queue.enqueue(session, "run_twice")
    await make_run(engine, "run_other")
    done = await Worker(engine).expect(queue, 2)
    assert sorted(done) == ["run_other", "run_twice"]


async def test_a_killed_commands_run_is_taken_over_and_no_other(
    queue: JobQueue, engine: AsyncEngine
) -> None:
    await make_run(engine, "run_1_held", status="running", executor=INLINE, age=60)
    await make_run(engine, "run_2_left", status="running", executor=INLINE, age=60)
    await make_run(engine, "run_3_young", status="running", executor=INLINE)
    patient = JobQueue("", engine, heartbeat_seconds=5, stalled_after_seconds=20)
    async with hold_run(engine, "run_1_held"):
        async with transaction(engine) as session:
            await patient._adopt_abandoned(session)
            assert await list_unfinished(session, "queue") == ["run_2_left"]
        assert await Worker(engine).expect(queue, 1) == ["run_2_left"]


async def test_a_killed_commands_run_can_be_cancelled(engine: AsyncEngine) -> None:
    await make_run(engine, "run_left", status="running", executor=INLINE)
    async with hold_run(engine, "run_left"):
        assert (await cancel_run(engine, "run_left", None)).status == "running"
    assert (await cancel_run(engine, "run_left", None)).status == "cancelled"
    assert (await cancel_run(engine, "run_left", None)).status == "cancelled"


async def test_a_failing_advance_is_tried_again(queue: JobQueue, engine: AsyncEngine) -> None:
    worker, tries = Worker(engine), 0

    async def fail_once(run_id: str) -> None:
        nonlocal tries
        tries += 1
        if tries == 1:
            raise ConnectionError("the database went")
        await Worker.advance(worker, run_id)

    worker.advance = fail_once  # type: ignore[method-assign]
    await make_run(engine, "run_again", queue)
    assert await worker.expect(queue, 1) == ["run_again"]
    assert tries == 2


async def test_a_process_that_was_away_does_not_take_over_from_itself(
    queue: JobQueue, engine: AsyncEngine
) -> None:
    tries, may_end, begun = 0, asyncio.Event(), asyncio.Event()

    async def carry(run_id: str) -> None:
        nonlocal tries
        tries += 1
        begun.set()
        await may_end.wait()
        async with transaction(engine) as session:
            await update_run(session, run_id, status="succeeded")

    await make_run(engine, "run_held", queue)
    work = asyncio.create_task(queue.work(carry, 4))
    await asyncio.wait_for(begun.wait(), 20)
    async with transaction(engine) as session:  # as after a sleep: nobody has heard of it for long
        await session.execute(
            text("update procrastinate_workers set last_heartbeat = now() - interval '1 hour'")
        )
    await queue.rescue()
    may_end.set()
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)
    assert tries == 1


async def test_a_stop_lets_runs_know_before_it_cuts_them_off(
    queue: JobQueue, engine: AsyncEngine
) -> None:
    begun, seen = asyncio.Event(), []

    async def carry(_: str) -> None:
        begun.set()
        while not queue.is_stopping:  # noqa: ASYNC110 - as a run does at each of its steps
            await asyncio.sleep(0.01)
        seen.append("told")

    await make_run(engine, "run_told", queue)
    work = asyncio.create_task(queue.work(carry, 4))
    await asyncio.wait_for(begun.wait(), 20)
    work.cancel()
    await asyncio.gather(work, return_exceptions=True)
    assert seen == ["told"]


async def test_lost_connections_do_not_end_the_worker(queue: JobQueue, engine: AsyncEngine) -> None:
    worker = Worker(engine)
    work = asyncio.create_task(queue.work(worker.advance, 4))
    await make_run(engine, "run_before", queue)
    assert await asyncio.wait_for(worker.done.get(), 20) == "run_before"
    async with transaction(engine) as session:
        await session.execute(
            text(
                "select pg_terminate_backend(pid) from pg_stat_activity"
                " where datname = current_database() and pid <> pg_backend_pid()"
            )
        )
    await make_run(engine, "run_after")  # without a job: only the sweep finds it
    try:
        # A connection lost between a run's end and its job's brings that run back: at least once.
        while await asyncio.wait_for(worker.done.get(), 20) != "run_after":
            pass
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


async def test_a_worker_stops_that_cannot_sign_off(
    queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()

    async def work_without_database(*_: Any, **__: Any) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise ConnectorException  # as where the database went before the worker

    monkeypatch.setattr(App, "run_worker_async", work_without_database)
    work = asyncio.create_task(queue.work(Worker.advance, 4))  # type: ignore[arg-type]
    await asyncio.wait_for(begun.wait(), 20)
    work.cancel()
    done, _ = await asyncio.wait({work}, timeout=20)
    assert done == {work}


async def test_a_cancellation_that_gets_lost_does_not_keep_a_worker_from_its_end(
    queue: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = asyncio.Event()

    async def lose_it() -> None:
        asked.set()
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)

    monkeypatch.setattr(queue, "rescue", lose_it)
    working = asyncio.create_task(queue.work(Worker(queue._engine).advance, 1))
    await asyncio.wait_for(asked.wait(), 20)
    working.cancel()
    await asyncio.wait({working}, timeout=30)
    assert working.done()

"""One tenant's many runs do not stand before another's one."""

import datetime as dt
from collections.abc import AsyncIterator

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.audit.queries import Author
from backend.clock import read_utc
from backend.db.session import transaction
from backend.params.queries import write_param
from backend.params.registry import default_values
from backend.runs.life.admission import QueueFullError, check_room
from backend.runs.life.ending import end_overdue, read_counts
from backend.runs.life.queue import JobQueue
from backend.runs.log.queries import find_run, insert_run, update_run

pytestmark = pytest.mark.sql


@pytest.fixture
async def queue(database_url: str, engine: AsyncEngine) -> AsyncIterator[JobQueue]:
    async with JobQueue(
        database_url, engine, heartbeat_seconds=5, stalled_after_seconds=20
    ) as queue:
        yield queue


async def make_runs(engine: AsyncEngine, tenant: str, count: int, overdue: int = 0) -> None:
    async with transaction(engine) as session:
        for n in range(count):
            now = read_utc()
            late = now - dt.timedelta(seconds=1) if n < overdue else None
            row = {"id": f"run_{tenant}_{n:03}", "tenant": tenant, "status": "queued"}
            rest = {"planner": "builtin", "locale": "en", "request": {}, "created_at": now}
            await insert_run(session, {**row, **rest, "executor": "queue", "deadline_at": late})


async def list_jobs(engine: AsyncEngine) -> list[str]:
    """Runs with a job, in the order in which workers take them."""
    order = (
        "select args ->> 'run_id' from procrastinate_jobs where status = 'todo'"
        " order by priority desc, id"
    )
    async with transaction(engine) as session:
        return list((await session.scalars(text(order))).all())


async def set_param(engine: AsyncEngine, key: str, value: int) -> None:
    async with transaction(engine) as session:
        await write_param(session, key, value, Author(read_utc()))


async def test_another_tenants_one_run_goes_before_the_many(
    queue: JobQueue, engine: AsyncEngine
) -> None:
    await set_param(engine, "TENANT_MAX_RUNNING", 5)
    await make_runs(engine, "a", 40)
    await queue.admit_waiting()
    await make_runs(engine, "b", 1)
    await queue.admit_waiting()
    await queue.admit_waiting()
    jobs = await list_jobs(engine)
    assert jobs[:2] == ["run_a_000", "run_b_000"]
    assert jobs[2:] == [f"run_a_{n:03}" for n in range(1, 5)]


async def test_an_ended_run_makes_room_for_its_tenants_next(
    queue: JobQueue, engine: AsyncEngine
) -> None:
    await set_param(engine, "TENANT_MAX_RUNNING", 2)
    await make_runs(engine, "a", 4)
    await queue.admit_waiting()
    async with transaction(engine) as session:
        await update_run(session, "run_a_000", status="succeeded")
    await queue.admit_waiting(beside="run_of_nobody")
    assert len(await list_jobs(engine)) == 2
    await queue.admit_waiting(beside="run_a_000")
    assert await list_jobs(engine) == ["run_a_000", "run_a_001", "run_a_002"]
    await set_param(engine, "TENANT_MAX_RUNNING", 10)
    await queue.rescue()
    assert (await list_jobs(engine))[-1] == "run_a_003"


async def test_a_run_that_waits_for_its_turn_is_not_taken_for_lost(
    queue: JobQueue, engine: AsyncEngine
) -> None:
    await set_param(engine, "TENANT_MAX_RUNNING", 1)
    await make_runs(engine, "a", 3)
    for _ in range(2):
        await queue.rescue()
    assert await list_jobs(engine) == ["run_a_000"]


async def test_the_queue_of_a_tenant_is_bounded(engine: AsyncEngine) -> None:
    await make_runs(engine, "a", 3)
    params = default_values() | {"TENANT_MAX_QUEUED": 3}
    async with transaction(engine) as session:
        with pytest.raises(QueueFullError, match="3 runs"):
            await check_room(session, "a", params)
        await check_room(session, "a", params, beside="run_a_002")
        await check_room(session, "b", params)
        await update_run(session, "run_a_000", status="running")
        await check_room(session, "a", params)


async def test_a_queued_run_ends_at_its_deadline(engine: AsyncEngine) -> None:
    await make_runs(engine, "a", 3, overdue=2)
    for _ in range(2):
        await end_overdue(engine)
    async with transaction(engine) as session:
        runs = [await find_run(session, f"run_a_{n:03}", "a") for n in range(3)]
        counts = await read_counts(session)
    assert [run.status for run in runs if run] == ["failed", "failed", "queued"]
    assert counts["runs"] == [({"reason": "DEADLINE_EXCEEDED", "status": "failed"}, 2)]

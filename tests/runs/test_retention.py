"""What is kept, what goes when its time is over, and that nothing of it stays behind."""

import datetime as dt

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.clock import read_utc
from backend.db.session import transaction
from backend.errors import NotFoundError
from backend.runs.life.commands import claim_key, keep_run, remove_run
from backend.runs.life.open_runs import BATCH, prune_runs
from backend.runs.log.queries import insert_run
from backend.runs.log.run_log import append_step
from backend.runs.log.steps import PlannerFellBack, Step

pytestmark = pytest.mark.sql

NOW = dt.datetime(2026, 6, 1, tzinfo=dt.UTC)

CHILDREN = """
select conrelid::regclass::text, confdeltype from pg_constraint
where contype = 'f' and confrelid = 'agent_run'::regclass
"""


async def make_run(engine: AsyncEngine, run_id: str, days_ago: float | None) -> None:
    """A run that ended so long ago, or that is going on, with a large step."""
    ended = None if days_ago is None else NOW - dt.timedelta(days=days_ago)
    row = {"id": run_id, "tenant": "t", "status": "succeeded" if ended else "running"}
    rest = {"planner": "builtin", "locale": "en", "request": {}, "created_at": NOW}
    async with transaction(engine) as session:
        await insert_run(session, {**row, **rest, "executor": "queue", "finished_at": ended})
        for seq, size in enumerate((10, 40_000), 1):
            said = PlannerFellBack(planner="builtin", reason="x" * size)
            await append_step(session, run_id, Step(seq, said, NOW))


async def list_runs(engine: AsyncEngine) -> list[str]:
    async with transaction(engine) as session:
        return list((await session.scalars(text("select id from agent_run order by id"))).all())


async def test_old_runs_are_pruned_and_pinned_ones_stay(engine: AsyncEngine) -> None:
    for run_id, days in (
        ("run_old", 31),
        ("run_kept", 31),
        ("run_new", 29),
        ("run_going_on", None),
    ):
        await make_run(engine, run_id, days)
    pinned = await keep_run(engine, "run_kept", "t", is_pinned=True)
    assert pinned.pinned_at is not None
    assert await prune_runs(engine, NOW) == 1
    assert await list_runs(engine) == ["run_going_on", "run_kept", "run_new"]
    await keep_run(engine, "run_kept", None, is_pinned=False)
    assert await prune_runs(engine, NOW) == 1


async def test_another_tenants_run_cannot_be_pinned(engine: AsyncEngine) -> None:
    await make_run(engine, "run_1", 1)
    with pytest.raises(NotFoundError):
        await keep_run(engine, "run_1", "other", is_pinned=True)


async def test_more_than_a_batch_goes(engine: AsyncEngine) -> None:
    row = "insert into agent_run (id, tenant, status, executor, planner, locale, request, created_at, finished_at)"
    made = "select 'run_' || n, 't', 'failed', 'queue', 'auto', 'en', '{}', :at, :at"
    async with transaction(engine) as session:
        series = text(f"{row} {made} from generate_series(1, {BATCH + 5}) n")
        await session.execute(series, {"at": NOW - dt.timedelta(days=40)})
    assert await prune_runs(engine, NOW) == BATCH + 5


async def test_old_keys_are_forgotten(engine: AsyncEngine) -> None:
    await make_run(engine, "run_1", None)
    async with transaction(engine) as session:
        for key, hours in (("old", 25), ("new", 23)):
            at = NOW - dt.timedelta(hours=hours)
            await claim_key(session, "t", key, "hash", "run_1", at)
    await prune_runs(engine, NOW)
    async with transaction(engine) as session:
        assert list(await session.scalars(text("select key from idempotency_key"))) == ["new"]


async def test_deleting_a_run_deletes_all_of_it(engine: AsyncEngine) -> None:
    await make_run(engine, "run_1", 1)
    async with transaction(engine) as session:
        await claim_key(session, "t", "key", "hash", "run_1", read_utc())
        children = [(str(row[0]), row[1]) for row in await session.execute(text(CHILDREN))]
    # A run that came out of another outlives it.
    children = [(name, kind) for name, kind in children if name != "agent_run"]
    names = {name for name, _ in children}
    assert {"run_log", "run_payload", "idempotency_key", "stored_result"} <= names
    assert all(kind in {"c", b"c"} for _, kind in children)
    await remove_run(engine, "run_1", "t")
    async with transaction(engine) as session:
        for name in names:
            left = text(f"select count(*) from {name}")  # a name from the catalogue
            assert (await session.execute(left)).scalar_one() == 0, name

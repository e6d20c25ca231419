"""The search as a step of a run: once, and the result follows from the log."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.agent.builtin_planner import BuiltinPlanner
from backend.agent.llm import LlmClient
from backend.db.session import make_engine, transaction
from backend.pool.snapshot import Snapshot
from backend.runs.life.commands import start_run
from backend.runs.log.durable import RunWriter
from backend.runs.log.queries import find_run, read_result, read_snapshot_text
from backend.runs.log.run_log import read_stages, read_steps
from backend.runs.relaxing.outcome import read_sought, relax_once
from backend.runs.work.conclusion import conclude
from backend.runs.work.workflow import Planners, advance_run, open_means
from tests.flows.conftest import REQUEST

pytestmark = pytest.mark.sql


@pytest.fixture
async def seeded(seeded_url: str) -> AsyncIterator[AsyncEngine]:
    engine = make_engine(seeded_url)
    yield engine
    await engine.dispose()


@asynccontextmanager
async def open_builtin() -> AsyncIterator[LlmClient]:
    yield BuiltinPlanner()


async def test_the_result_of_an_impossible_request_follows_from_its_log(
    seeded: AsyncEngine,
) -> None:
    started = await start_run(seeded, None, "one", REQUEST | {"days": 1, "budget_total": 900})
    await advance_run(seeded, Planners(open_builtin, None), started.run_id)
    steps = await read_steps(seeded, started.run_id)
    async with transaction(seeded) as session:
        text = await read_snapshot_text(session, started.run_id)
        result = await read_result(session, started.run_id)
        run = await find_run(session, started.run_id, None)
    assert text is not None
    assert run is not None
    assert run.finished_at is not None
    assert run.status == "infeasible"
    assert result is not None
    assert result["relaxation"] is not None
    snapshot = Snapshot.model_validate_json(text)
    sought = read_sought(steps)
    again = conclude(snapshot, read_stages(steps), run.finished_at, None, sought)
    assert again.result == result
    without = conclude(snapshot, read_stages(steps), run.finished_at, None)
    assert without.verdict.status == "infeasible"
    assert without.result["relaxation"] is None
    async with open_means(seeded) as means:
        writer = RunWriter(seeded, means.statements, started.run_id, steps[-1].seq)
        steps = await read_steps(seeded, started.run_id)
        await relax_once(seeded, writer, steps, snapshot)
    kinds = [step.kind for step in await read_steps(seeded, started.run_id)]
    assert kinds.count("relaxation_sought") == 1

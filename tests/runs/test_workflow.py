"""A run's end and its log, whatever comes in between: a wish to cancel, a database away, a stop."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.agent.builtin_planner import BuiltinPlanner
from backend.agent.llm import LlmClient, Message, ModelReply
from backend.clock import read_utc
from backend.db.session import make_engine, transaction
from backend.errors import UnavailableError
from backend.runs import durable
from backend.runs.commands import start_run
from backend.runs.durable import RunWriter
from backend.runs.queries import find_run, update_run
from backend.runs.run_log import RunTakenOverError, Step, append_step, read_steps
from backend.runs.workflow import Planners, advance_run
from backend.tools.call import ToolSchema
from tests.flows.conftest import REQUEST

pytestmark = pytest.mark.sql


@pytest.fixture
async def seeded(seeded_url: str) -> AsyncIterator[AsyncEngine]:
    engine = make_engine(seeded_url)
    yield engine
    await engine.dispose()


class Interrupted:
    """The built-in planner, with something that happens while it is asked for its n-th reply."""

    def __init__(self, at: int, happen: Callable[[], Any]) -> None:
        self.at, self.happen, self.asked = at, happen, 0

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> ModelReply:
        self.asked += 1
        if self.asked == self.at:
            await self.happen()
        return await BuiltinPlanner().reply(messages, tools)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[LlmClient]:
        yield self


async def start(engine: AsyncEngine) -> str:
    return (await start_run(engine, None, "one", REQUEST)).run_id


async def read_end(engine: AsyncEngine, run_id: str) -> tuple[str, list[str]]:
    """The run's status and the kinds of its steps, which are numbered without gaps."""
    steps = await read_steps(engine, run_id)
    assert [step.seq for step in steps] == list(range(1, len(steps) + 1))
    async with transaction(engine) as session:
        run = await find_run(session, run_id, None)
    assert run is not None
    return run.status, [step.kind for step in steps]


@pytest.mark.parametrize("does_wait", [False, True])
async def test_a_run_that_was_to_be_cancelled_is_cancelled(
    seeded: AsyncEngine, does_wait: bool
) -> None:
    run_id = await start(seeded)

    async def cancel() -> None:
        async with transaction(seeded) as session:
            await update_run(session, run_id, cancel_requested_at=read_utc())
        if does_wait:  # then it is not the loop that sees the wish first
            await asyncio.sleep(60)

    planner = Interrupted(2, cancel)
    await advance_run(seeded, Planners(planner.open, None), run_id)
    status, kinds = await read_end(seeded, run_id)
    assert status == "cancelled"
    assert kinds.count("run_finished") == 1
    assert kinds[-1] == "run_finished"
    assert planner.asked == 2


async def test_a_stopping_worker_leaves_a_run_after_the_step_it_is_at(seeded: AsyncEngine) -> None:
    run_id, is_stopping = await start(seeded), False

    async def stop() -> None:
        nonlocal is_stopping
        is_stopping = True

    first = Interrupted(2, stop)
    await advance_run(seeded, Planners(first.open, None), run_id, lambda: is_stopping)
    status, kinds = await read_end(seeded, run_id)
    assert (status, kinds[-1]) == ("running", "model_replied")
    second = Interrupted(0, stop)
    await advance_run(seeded, Planners(second.open, None), run_id)
    status, kinds = await read_end(seeded, run_id)
    assert status == "succeeded"
    assert first.asked + second.asked == kinds.count("model_replied")


class Flaky:
    """A transaction that fails before or after its commit, a number of times."""

    def __init__(self, fails: int, *, is_committed: bool) -> None:
        self.fails, self.is_committed = fails, is_committed

    @asynccontextmanager
    async def open(self, engine: AsyncEngine) -> AsyncIterator[Any]:
        if self.fails and not self.is_committed:
            self.fails -= 1
            raise UnavailableError("away")
        async with transaction(engine) as session:
            yield session
        if self.fails:
            self.fails -= 1
            raise UnavailableError("away after the commit")


@pytest.mark.parametrize("is_committed", [False, True])
async def test_a_step_outlives_a_database_that_is_away(
    seeded: AsyncEngine, monkeypatch: pytest.MonkeyPatch, is_committed: bool
) -> None:
    monkeypatch.setattr(durable, "RETRY_SECONDS", 0.0)
    monkeypatch.setattr(durable, "transaction", Flaky(3, is_committed=is_committed).open)
    run_id = await start(seeded)
    writer = RunWriter(seeded, run_id, 1)
    await writer.append("planner_chosen", {"planner": "builtin"})
    await writer.append("planner_stopped", {"stop": "submitted", "error": None})
    _, kinds = await read_end(seeded, run_id)
    assert kinds == ["run_queued", "planner_chosen", "planner_stopped"]


async def test_a_step_that_another_worker_wrote_is_not_taken_for_ones_own(
    seeded: AsyncEngine,
) -> None:
    run_id = await start(seeded)
    async with transaction(seeded) as session:
        await append_step(session, run_id, Step(2, "run_started", {}, read_utc()))
    with pytest.raises(RunTakenOverError):
        await RunWriter(seeded, run_id, 1).append("run_started", {})


async def test_patience_ends(seeded: AsyncEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durable, "transaction", Flaky(9, is_committed=False).open)
    run_id = await start(seeded)
    with pytest.raises(UnavailableError):
        await RunWriter(seeded, run_id, 1, patience=0).append("run_started", {})

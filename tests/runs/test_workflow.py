"""A run's end and its log, whatever comes in between: a wish to cancel, a database away, a stop."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.agent.builtin_planner import BuiltinPlanner
from backend.agent.llm import LlmClient, Message, ModelReply
from backend.clock import read_utc
from backend.db.session import Statements, make_engine, open_statements, transaction
from backend.errors import OutOfBoundsError, UnavailableError
from backend.runs.life.commands import start_run
from backend.runs.life.ending import read_counts
from backend.runs.life.result import show_run
from backend.runs.log import durable
from backend.runs.log.durable import RunWriter
from backend.runs.log.queries import find_run, update_run
from backend.runs.log.run_log import RunTakenOverError, append_step, read_steps
from backend.runs.log.steps import (
    PlannerChosen,
    PlannerStopped,
    RunStarted,
    Step,
    ToolCalled,
    select_payloads,
)
from backend.runs.work.workflow import Planners, advance_run
from backend.tools.call import ToolCall, ToolOutcome, ToolSchema
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


END_OTHERS = (
    "select pg_terminate_backend(pid) from pg_stat_activity"
    " where datname = current_database() and pid <> pg_backend_pid()"
)


async def start(engine: AsyncEngine, **more: int) -> str:
    return (await start_run(engine, None, "one", REQUEST, **more)).run_id  # type: ignore[arg-type]


async def read_end(engine: AsyncEngine, run_id: str) -> tuple[str, list[str]]:
    """The run's status and the kinds of its steps, which are numbered without gaps."""
    steps = await read_steps(engine, run_id)
    assert [step.seq for step in steps] == list(range(1, len(steps) + 1))
    async with transaction(engine) as session:
        run = await find_run(session, run_id, None)
    assert run is not None
    return run.status, [step.kind for step in steps]


async def wait_long() -> None:
    """As a model does that takes its time."""
    await asyncio.sleep(60)


async def test_a_run_is_cancelled_while_the_model_is_answering(seeded: AsyncEngine) -> None:
    run_id = await start(seeded)

    async def cancel() -> None:
        async with transaction(seeded) as session:
            await update_run(session, run_id, cancel_requested_at=read_utc())
        await wait_long()

    planner = Interrupted(2, cancel)
    await advance_run(seeded, Planners(planner.open, None), run_id)
    status, kinds = await read_end(seeded, run_id)
    assert status == "cancelled"
    assert kinds.count("run_finished") == 1
    assert kinds[-1] == "run_finished"
    assert planner.asked == 2


async def test_a_run_that_was_to_be_cancelled_before_it_is_taken_up_asks_nobody(
    seeded: AsyncEngine,
) -> None:
    run_id = await start(seeded)
    async with transaction(seeded) as session:
        await update_run(session, run_id, status="running", cancel_requested_at=read_utc())
    planner = Interrupted(1, wait_long)
    await advance_run(seeded, Planners(planner.open, None), run_id)
    assert (await read_end(seeded, run_id))[0] == "cancelled"
    assert planner.asked == 0


async def test_a_run_ends_at_its_deadline_with_what_it_has(seeded: AsyncEngine) -> None:
    run_id = await start(seeded, deadline_seconds=2)
    planner = Interrupted(2, wait_long)
    await advance_run(seeded, Planners(planner.open, None), run_id)
    result = (await show_run(seeded, run_id, None)).as_json()
    assert result["status"] == "failed"
    assert result["error"]["code"] == "DEADLINE_EXCEEDED"
    assert len(result["itinerary"]["days"]) == 3
    async with transaction(seeded) as session:
        reasons = [labels["reason"] for labels, _ in (await read_counts(session))["runs"]]
    assert reasons == ["DEADLINE_EXCEEDED"]


async def test_a_deadline_beyond_the_longest_is_refused(seeded: AsyncEngine) -> None:
    with pytest.raises(OutOfBoundsError, match="86400"):
        await start(seeded, deadline_seconds=86_401)


async def test_what_a_run_took_is_counted_once(seeded: AsyncEngine) -> None:
    run_id = await start(seeded)
    for _ in range(2):
        await advance_run(seeded, Planners(Interrupted(0, wait_long).open, None), run_id)
    steps = await read_steps(seeded, run_id)
    async with transaction(seeded) as session:
        counts = await read_counts(session)
    assert counts["runs"] == [({"reason": "", "status": "succeeded"}, 1)]
    kinds = {labels["kind"]: value for labels, value in counts["steps"]}
    assert kinds["model_replied"] == sum(step.kind == "model_replied" for step in steps)
    calls = sum(value for _, value in counts["tool_calls"])
    assert calls == kinds["tool_called"] == sum(step.kind == "tool_called" for step in steps)
    every = [value for labels, value in counts["model_seconds_bucket"] if labels["le"] == "+Inf"]
    assert every == [kinds["model_replied"]]


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
    """Statements that fail before or after their commit, a number of times."""

    def __init__(self, statements: Statements, fails: int, *, is_committed: bool) -> None:
        self.statements, self.fails, self.is_committed = statements, fails, is_committed

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Any]:
        if self.fails and not self.is_committed:
            self.fails -= 1
            raise UnavailableError("away")
        async with self.statements.connection() as connection:
            yield connection
        if self.fails:
            self.fails -= 1
            raise UnavailableError("away after the commit")


@asynccontextmanager
async def make_writer(
    engine: AsyncEngine, run_id: str, fails: int = 0, *, is_committed: bool = False, **patience: int
) -> AsyncIterator[RunWriter]:
    async with open_statements(engine, 2) as statements:
        flaky: Any = Flaky(statements, fails, is_committed=is_committed)
        yield RunWriter(engine, flaky, run_id, 1, **patience)


@pytest.mark.parametrize("is_committed", [False, True])
async def test_a_step_outlives_a_database_that_is_away(
    seeded: AsyncEngine, monkeypatch: pytest.MonkeyPatch, is_committed: bool
) -> None:
    monkeypatch.setattr(durable, "RETRY_SECONDS", 0.0)
    run_id = await start(seeded)
    async with make_writer(seeded, run_id, 3, is_committed=is_committed) as writer:
        await writer.append(PlannerChosen(planner="builtin"))
        await writer.append(PlannerStopped(planner="builtin", stop="submitted"))
    _, kinds = await read_end(seeded, run_id)
    assert kinds == ["run_queued", "planner_chosen", "planner_stopped"]


async def test_a_step_that_another_worker_wrote_is_not_taken_for_ones_own(
    seeded: AsyncEngine,
) -> None:
    run_id = await start(seeded)
    async with transaction(seeded) as session:
        await append_step(session, run_id, Step(2, RunStarted(), read_utc()))
    async with make_writer(seeded, run_id) as writer:
        with pytest.raises(RunTakenOverError):
            await writer.append(RunStarted())


async def test_patience_ends(seeded: AsyncEngine) -> None:
    run_id = await start(seeded)
    async with make_writer(seeded, run_id, 9, patience=0) as writer:
        with pytest.raises(UnavailableError):
            await writer.append(RunStarted())


async def test_connections_that_broke_while_they_lay_idle_lose_no_step(seeded: AsyncEngine) -> None:
    run_id = await start(seeded)
    async with make_writer(seeded, run_id) as writer:
        await writer.append(RunStarted())
        async with transaction(seeded) as session:
            await session.execute(text(END_OTHERS))
        await writer.append(PlannerChosen(planner="builtin"))
    assert (await read_end(seeded, run_id))[1] == ["run_queued", "run_started", "planner_chosen"]


async def test_a_large_payload_stands_apart_and_reads_the_same(seeded: AsyncEngine) -> None:
    run_id = await start(seeded)
    call = ToolCall(id="call_1_0", name="list_pois", arguments="{}")
    content = {"text": "页" * 6000, "order": {"z": 1, "a": 2}}
    outcome = ToolOutcome(call_id=call.id, number=1, tool=call.name, content=content)
    large = ToolCalled(planner="builtin", turn=1, index=0, call=call, outcome=outcome)
    small = RunStarted()
    async with make_writer(seeded, run_id) as writer:
        await writer.append(large)
        await writer.append(small)
    steps = await read_steps(seeded, run_id, after=1)
    assert [step.payload for step in steps] == [large, small]
    read = next(select_payloads(steps, ToolCalled))
    assert list(read.outcome.content["order"]) == ["z", "a"]
    async with transaction(seeded) as session:
        sizes = text(
            "select seq, length(payload::text) from run_log where run_id = :run order by 1"
        )
        rows = (await session.execute(sizes, {"run": run_id})).all()
        apart = (await session.execute(text("select run_id, seq from run_payload"))).all()
    assert all(length < 100 for _, length in rows)
    assert apart == [(run_id, 2)]

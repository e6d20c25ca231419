"""Carries one run to its end, from wherever its log says it is.

Pool, planner, result: each is a step of the log, so this may be called again at any time and by
anybody. A model that fails or stops short hands over to the built-in planner where the request
leaves the choice.

What a process carries runs with: made once for all of them, or for one run by its command.

Wishes to cancel, watched for all runs of a process at once: one query however many they are.
"""

import asyncio
import datetime as dt
import logging
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from backend.agent.ledger import Ledger, StopReason
from backend.agent.llm import Hear, LlmClient, Message, ModelError, ModelReply
from backend.agent.loop import Watch, hand_over, run_agent
from backend.agent.models import Models
from backend.agent.replies import adopt_reply
from backend.agent.text_reader import ModelReading, list_unread, read_answer, write_question
from backend.clock import read_utc
from backend.db.session import Engine, Statements, open_statements, transaction
from backend.errors import UnavailableError, WaypoolError
from backend.params.queries import read_params
from backend.params.registry import get_number
from backend.pool.plan_request import PlanRequest
from backend.pool.service import CandidatePoolService
from backend.pool.snapshot import Snapshot
from backend.reading.reading import ReadingDocument, find_today
from backend.results.handle import Owner
from backend.results.run_results import RunResults
from backend.results.store import ResultStore
from backend.runs.life.admission import count_cost
from backend.runs.life.asking import find_locale, take_model_reading
from backend.runs.life.commands import describe_reading
from backend.runs.life.ending import End, end_run
from backend.runs.life.result import count_run_funnel
from backend.runs.life.verdict import EMPTY_PLAN, Cut, is_empty_plan
from backend.runs.log.durable import DurableRecorder, ProgressFeed, RunWriter, WorkerStoppingError
from backend.runs.log.lifecycle import is_final
from backend.runs.log.queries import (
    RunHead,
    find_run,
    list_ancestors,
    list_going_on,
    read_snapshot_text,
    update_run,
)
from backend.runs.log.run_log import (
    RunTakenOverError,
    Stage,
    describe_stop,
    read_stages,
    read_start,
    read_steps,
    read_steps_alone,
)
from backend.runs.log.steps import (
    Conditions,
    InputNeeded,
    PlannerChosen,
    PlannerFellBack,
    PoolBuilt,
    RevisionBegun,
    RunError,
    RunQueued,
    RunResumed,
    RunStarted,
    Step,
    TextRead,
    select_payloads,
)
from backend.runs.relaxing.outcome import read_sought, relax_once
from backend.runs.work.conclusion import conclude
from backend.runs.work.recording import RecordedTools, Recording, make_recording
from backend.runs.work.spans import TracedLlm, TracedTools, trace_agent
from backend.sources.store import SourceStore
from backend.telemetry import logged_as
from backend.tools.call import ToolSchema
from backend.tools.context import RunState
from backend.tools.queries import LimitReader
from backend.tools.runner import ToolRunner

POLL_SECONDS = 0.3

DONE = frozenset({StopReason.SUBMITTED, StopReason.CANCELLED})


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


CONNECTIONS = 5
"""A step is written in under a millisecond, so few serve many runs."""


@dataclass(frozen=True)
class Means:
    """Quick statements for what happens at every step, and one watch for wishes to cancel."""

    statements: Statements
    cancels: CancelWatch


@asynccontextmanager
async def open_means(engine: Engine) -> AsyncIterator[Means]:
    """Means on the database of `engine`."""
    async with open_statements(engine, CONNECTIONS) as statements:
        yield Means(statements, CancelWatch(statements))


READING_SECONDS = 60.0
"""A text that takes longer to read is planned as the rules have read it."""

MAX_RESUMES = 20
"""A run that has been taken up so often kills its workers: it ends as failed."""

log = logging.getLogger(__name__)

OpenPlanner = Callable[[], AbstractAsyncContextManager[LlmClient]]


@dataclass(frozen=True)
class Planners:
    """How to open each planner, where large results of their tools go, and third-party sources.

    `models` is None where no language model is configured. `reviser` stands in for the built-in
    planner where a finished plan is revised, which it would else go on with.
    """

    builtin: OpenPlanner
    models: Models | None
    results: ResultStore | None = None
    reviser: OpenPlanner | None = None
    sources: SourceStore | None = None

    @property
    def model_names(self) -> list[str]:
        """Of the language models that may be asked for."""
        return self.models.names if self.models else []


class NoModelError(WaypoolError):
    """The request wants a language model, and none is configured."""

    code = "NO_MODEL"


async def advance_run(
    engine: Engine,
    planners: Planners,
    run_id: str,
    is_stopping: Callable[[], bool] = lambda: False,
    means: Means | None = None,
) -> None:
    """Carry the run to its end; returns at once where it has ended or somebody else has it.

    It also returns, after the step that is being done, where this process `is_stopping`. Without
    `means` it opens its own.
    """
    if means is None:
        async with open_means(engine) as own:
            await advance_run(engine, planners, run_id, is_stopping, own)
        return
    async with transaction(engine) as session:
        run = await find_run(session, run_id, None)
        if run is None or is_final(run.status) or run.status == "needs_input":
            return
        await update_run(session, run_id, status="running", started_at=run.started_at or read_utc())
    steps = await read_steps_alone(means.statements, run_id)
    with logged_as(run.id, run.tenant):
        await _carry(_Carriage(engine, planners, means, is_stopping), run, steps)


@dataclass(frozen=True)
class _Carriage:
    """What a run is carried with."""

    engine: Engine
    planners: Planners
    means: Means
    is_stopping: Callable[[], bool]


async def _carry(carriage: _Carriage, run: RunHead, steps: list[Step]) -> None:
    log.info("taken up after step %d", steps[-1].seq if steps else 0)
    try:
        async with carriage.means.cancels.watching(run.id) as cancel:
            if run.cancel_requested_at is not None:
                cancel.set()
            await _Work(carriage, run, steps, cancel).carry()
    except (RunTakenOverError, WorkerStoppingError) as error:
        log.warning("left: %s", error.message)


class _Work:
    """One worker's hold on one run."""

    def __init__(
        self, carriage: _Carriage, run: RunHead, steps: list[Step], cancel: asyncio.Event
    ) -> None:
        self._engine, self._planners = carriage.engine, carriage.planners
        self._means, self._is_stopping = carriage.means, carriage.is_stopping
        self._cancel = cancel
        self._run, self._steps = run, steps
        last = steps[-1].seq if steps else 0
        self._writer = RunWriter(self._engine, self._means.statements, run.id, last)
        self._whole: PlanRequest | None = None

    @property
    def _request(self) -> PlanRequest:
        """The request; one that a model has still to read is not whole before that."""
        if self._whole is None:
            self._whole = PlanRequest.model_validate(self._run.request)
        return self._whole

    async def carry(self) -> None:
        """Everything to `run_finished`."""
        try:
            await self._begin()
            await self._read_text()
            if not await self._take_reading():
                return
            snapshot = await self._freeze_pool()
            cut = await self._plan_until_cut(snapshot)
            await self._conclude(snapshot, cut)
        except (RunTakenOverError, UnavailableError, WorkerStoppingError):
            raise  # the run goes on elsewhere, or later
        except WaypoolError as error:
            await self._fail(error.code, error.message)
        except Exception:
            log.exception("failed")
            await self._fail("INTERNAL", "an error of Waypool's own; it is in the worker's log")

    async def _begin(self) -> None:
        resumes = sum(isinstance(step.payload, RunResumed) for step in self._steps)
        if resumes >= MAX_RESUMES:
            raise WaypoolError(
                f"taken up {resumes} times and never ended", code="RUN_KEEPS_FAILING"
            )
        is_first = all(
            isinstance(s.payload, InputNeeded | RunQueued | RevisionBegun) for s in self._steps
        )
        await self._writer.append(RunStarted() if is_first else RunResumed())

    async def _read_text(self) -> None:
        """Let a language model read what the rules have left over, once; a failure costs nothing else."""
        done = (TextRead, PoolBuilt, RevisionBegun)
        models, kept = self._planners.models, self._run.reading
        if kept is None or kept["shown"] is None or kept.get("is_read") or models is None:
            return
        if any(isinstance(step.payload, done) for step in self._steps):
            return
        reading = ReadingDocument.model_validate(kept["shown"])
        if self._run.planner == "builtin" or not list_unread(reading):
            return
        model = models.find(self._run.model).name
        today = find_today(self._run.created_at)
        question = write_question(reading, kept["fields"], today, find_locale(kept["fields"]))
        began, reply, error = time.monotonic(), None, None
        try:
            reply = adopt_reply(await self._ask_reader(model, *question), 1)
        except ModelError as failure:
            error = failure.code
            log.warning("the text was not read by %s: %s", model, error)
        taken = read_answer(reply, reading) if reply else ModelReading()
        seconds = round(time.monotonic() - began, 3)
        step = TextRead(model=model, seconds=seconds, reply=reply, reading=taken, error=error)
        await self._writer.append(step)
        await self._read_log()

    async def _ask_reader(
        self, model: str, messages: Sequence[Message], tool: ToolSchema
    ) -> ModelReply:
        """The reply; a `ModelError` where it takes too long, or somebody cancels the run."""
        assert self._planners.models is not None
        async with self._planners.models.open(model) as llm:
            asking = asyncio.create_task(TracedLlm(llm, model).reply(messages, [tool]))
            waiting = asyncio.create_task(self._cancel.wait())
            left = self._seconds_left()
            limit = READING_SECONDS if left is None else min(left, READING_SECONDS)
            tasks: set[asyncio.Task[Any]] = {asking, waiting}
            try:
                await asyncio.wait(tasks, timeout=limit, return_when=asyncio.FIRST_COMPLETED)
                if asking.done():
                    return await asking
                raise ModelError("the model took too long to read", code="MODEL_TIMEOUT")
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)

    async def _take_reading(self) -> bool:
        """Make what a model has read a part of the request; False where questions are left.

        A request that a model was to read first is whole, or is asked about, only now.
        """
        kept = self._run.reading
        read = next(select_payloads(self._steps, TextRead), None)
        is_new = kept is not None and not kept.get("is_read") and read is not None
        if kept is None or not (is_new or kept["needs"]):
            return True
        async with transaction(self._engine) as session:
            params = await read_params(session)
            reading = read.reading if read is not None else ModelReading()
            taken = await take_model_reading(session, kept, reading, params)
            assert taken.reading is not None
            values = describe_reading({**kept, "is_read": True}, taken)
            if taken.request is None and self._cancel.is_set():
                steps = await self._read_log()
                await end_run(session, self._run, End("cancelled", steps=steps))
                return False
            if taken.request is None:
                hours = dt.timedelta(hours=get_number(params, "NEEDS_INPUT_HOURS"))
                values |= {"status": "needs_input", "deadline_at": read_utc() + hours}
                await update_run(session, self._run.id, **values, admitted_at=None)
                fields = tuple(need.field for need in taken.needs)
                await self._writer.append_in(session, InputNeeded(fields=fields))
                return False
            await update_run(session, self._run.id, **values)
        self._whole = taken.request
        return True

    async def _freeze_pool(self) -> Snapshot:
        async with transaction(self._engine) as session:
            text = await read_snapshot_text(session, self._run.id)
            if text is not None:
                snapshot = Snapshot.model_validate_json(text)
                if not any(
                    isinstance(s.payload, PoolBuilt) for s in self._steps
                ):  # it came with the run
                    await self._writer.append_in(session, _describe_pool(snapshot))
                return snapshot
            params = await read_params(session)
            pools, asked_at = CandidatePoolService(session), self._run.created_at
            snapshot = await pools.build(self._request, params, asked_at=asked_at)
            await update_run(
                session,
                self._run.id,
                input_snapshot=snapshot.as_text(),
                snapshot_sha256=snapshot.sha256,
                catalogue_version=snapshot.catalogue.version,
            )
            await self._writer.append_in(session, _describe_pool(snapshot))
        return snapshot

    async def _plan_until_cut(self, snapshot: Snapshot) -> Cut | None:
        """Plan, also where that takes until somebody cancels the run or its deadline passes."""
        planning = asyncio.create_task(self._plan(snapshot))
        waiting = asyncio.create_task(self._cancel.wait())
        tasks: set[asyncio.Task[Any]] = {planning, waiting}
        try:
            await asyncio.wait(
                tasks, timeout=self._seconds_left(), return_when=asyncio.FIRST_COMPLETED
            )
            if planning.done():
                return "cancelled" if await planning == StopReason.CANCELLED else None
            return "cancelled" if waiting.done() else "deadline"
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def _seconds_left(self) -> float | None:
        deadline = self._run.deadline_at
        return None if deadline is None else max(0.0, (deadline - read_utc()).total_seconds())

    async def _is_cancel_wanted(self) -> bool:
        return self._cancel.is_set()

    async def _plan(self, snapshot: Snapshot) -> str:
        stages = read_stages(self._steps) or [await self._choose_planner()]
        state, stop = read_start(self._steps), None
        for n, stage in enumerate(stages):
            start = hand_over(state) if n else state
            state, stop, error = await self._run_stage(snapshot, stage, start)
            is_last = n + 1 == len(stages)
            if is_last and self._may_fall_back(stage.planner, stop):
                fallen = PlannerFellBack(planner="builtin", reason=error or stop)
                await self._writer.append(fallen)
                stages.append(Stage("builtin", (), None, None))
        assert stop is not None
        if stop != StopReason.CANCELLED:
            steps, is_revision = await self._read_log(), self._run.revision is not None
            await relax_once(self._engine, self._writer, steps, snapshot, is_revision=is_revision)
        return stop

    def _may_fall_back(self, planner: str, stop: str) -> bool:
        return planner == "openai" and self._request.planner == "auto" and stop not in DONE

    async def _choose_planner(self) -> Stage:
        planner = self._request.planner
        if planner == "auto":
            planner = "openai" if self._planners.models else "builtin"
        if planner == "builtin":
            await self._writer.append(PlannerChosen(planner=planner))
            return Stage(planner, (), None, None)
        if self._planners.models is None:
            raise NoModelError("no language model is configured; set WAYPOOL_MODEL")
        model = self._planners.models.find(self._run.model).name
        await self._writer.append(PlannerChosen(planner=planner, model=model))
        return Stage(planner, (), None, None, model)

    async def _run_stage(
        self, snapshot: Snapshot, stage: Stage, start: RunState
    ) -> tuple[RunState, str, str | None]:
        if stage.stop is not None:
            return stage.fold(start), stage.stop, stage.error
        limits = LimitReader(self._means.statements, (self._run.overrides or {}).get("limits", {}))
        results = await self._open_results(snapshot)
        recording = await self._read_recording()
        sources = recording.sources if recording else self._planners.sources
        runner = ToolRunner(snapshot, limits.read, results, sources)
        tools = RecordedTools(runner, recording)

        def read_conditions() -> Conditions:
            return Conditions(limits.last, tools.mark, runner.take_new_sources())

        recorder = DurableRecorder(
            self._writer, stage.planner, stage.steps, self._is_stopping, read_conditions
        )
        ledger = Ledger() if stage.planner == "openai" else None
        watch = Watch(time.monotonic, self._is_cancel_wanted, ledger)
        hear = ProgressFeed(self._writer, stage.planner, lambda: recorder.turn)
        async with self._open_planner(stage, hear) as opened:
            llm = TracedLlm(opened, stage.model or "unknown") if ledger else opened
            with trace_agent(self._run, stage.planner):
                result = await run_agent(snapshot, llm, TracedTools(tools), recorder, watch, start)
        error = result.error.code if result.error else None
        is_refused = ledger is not None and result.was_refused and result.stop not in DONE
        if error is None and is_refused and is_empty_plan(snapshot, result.state.draft):
            error = EMPTY_PLAN
        log.info("planner %s stopped: %s", stage.planner, error or result.stop)
        await self._writer.append(describe_stop(stage.planner, result, error))
        return result.state, str(result.stop), error

    async def _read_recording(self) -> Recording | None:
        """What the original run's calls gave, where this one is its replay; of the whole line."""
        if self._run.parent_run_id is None or self._run.overrides is None:
            return None
        async with transaction(self._engine) as session:
            line = await list_ancestors(session, self._run.id)
        recording = None
        for run_id in sorted(line):  # ids sort by time: the nearest is asked first
            recording = make_recording(await read_steps(self._engine, run_id), recording)
        return recording

    def _open_planner(self, stage: Stage, hear: Hear) -> AbstractAsyncContextManager[LlmClient]:
        if stage.planner != "openai":
            is_revision = self._run.revision is not None
            opener = self._planners.reviser if is_revision else None
            return (opener or self._planners.builtin)()
        if self._planners.models is None:
            raise NoModelError("this run was begun with a language model, and none is configured")
        return self._planners.models.open(stage.model, hear)

    async def _open_results(self, snapshot: Snapshot) -> RunResults | None:
        """Where its large results go; those of the runs that it came out of it may read."""
        store = self._planners.results
        if store is None:
            return None
        ancestors: Sequence[str] = ()
        if self._run.parent_run_id is not None:
            async with transaction(self._engine) as session:
                ancestors = await list_ancestors(session, self._run.id)
        owner = Owner(self._run.tenant, self._run.id)
        return RunResults(store, owner, snapshot.request.locale, tuple(ancestors))

    async def _conclude(self, snapshot: Snapshot, cut: Cut | None) -> None:
        """Computed for the moment of the end: a replay computes it for the same."""
        steps = await self._read_log()
        now = read_utc()
        end = conclude(snapshot, read_stages(steps), now, cut, read_sought(steps))
        done = End(end.verdict.status, end.verdict.error, end.result, steps, now)
        await self._finish(replace(done, figures=end.figures))

    async def _read_log(self) -> list[Step]:
        """The whole log, of which only what was written since the last look is read."""
        last = self._steps[-1].seq if self._steps else 0
        written = await read_steps_alone(self._means.statements, self._run.id, last)
        self._steps = [*self._steps, *written]
        return self._steps

    async def _fail(self, code: str, message: str) -> None:
        error = RunError(code=code, message=message)
        steps = await self._read_log()
        await self._finish(End("failed", error, {"error": error.model_dump()}, steps))

    async def _finish(self, end: End) -> None:
        models = self._planners.models
        cost = count_cost(read_stages(end.steps), models)
        if cost is not None and models is not None:
            end = replace(end, cost=cost, currency=models.currency)
        async with transaction(self._engine) as session:
            await end_run(session, self._run, end)
        log.info("ended as %s", end.status)


def _describe_pool(snapshot: Snapshot) -> PoolBuilt:
    funnel = count_run_funnel(snapshot, RunState())
    return PoolBuilt(sha256=snapshot.sha256, funnel=funnel, warnings=snapshot.warnings)

"""Durability around the two seams of the agent: what is in the log is given back, the rest recorded.

A step is written before the next begins, so a worker that takes a run over asks no finished
question twice; a step that was cut off runs again.

Puts the progress of a streamed reply into the run log, seldom enough to keep the log small.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

from backend.agent.llm import ModelReply, Progress
from backend.clock import read_utc
from backend.db.session import Engine, Session, Statements
from backend.errors import UnavailableError, WaypoolError
from backend.runs.log.run_log import RunTakenOverError, append_step, append_step_alone, read_steps
from backend.runs.log.steps import (
    Conditions,
    ModelProgressed,
    ModelReplied,
    PlannerName,
    Step,
    StepPayload,
    ToolCalled,
)
from backend.tools.call import ToolCall, ToolOutcome

RecordedT = TypeVar("RecordedT", ModelReplied, ToolCalled)

PATIENCE_SECONDS = 60.0
"""How long a finished step is kept for a database that is away, before it is lost and done again."""

RETRY_SECONDS = 0.5


class LogMismatchError(WaypoolError):
    """The log holds another step than the run would take now: the code has changed under it."""

    code = "LOG_MISMATCH"


class WorkerStoppingError(WaypoolError):
    """This worker is asked to stop: the step just written is its last, another one goes on."""

    code = "WORKER_STOPPING"


class StepWriter(Protocol):
    """Takes the steps of a run, in order."""

    async def append(self, payload: StepPayload) -> None:
        """One more step."""
        ...


class RunWriter:
    """Appends steps to one run's log, in order."""

    def __init__(
        self,
        engine: Engine,
        statements: Statements,
        run_id: str,
        last_seq: int,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        """`last_seq` is the last step that stands in the log; see `append` for `patience`."""
        self._engine = engine
        self._statements = statements
        self._run_id = run_id
        self._last = last_seq
        self._patience = patience

    async def append(self, payload: StepPayload) -> None:
        """One step in a transaction of its own.

        What it records may have been paid for, so it waits `patience` seconds for a database that
        is away.
        """
        step = Step(self._last + 1, payload, read_utc())
        until = time.monotonic() + self._patience
        while not await self._is_written(  # noqa: ASYNC110 - the database tells nobody it is back
            step, is_last_try=time.monotonic() >= until
        ):
            await asyncio.sleep(RETRY_SECONDS)
        self._last = step.seq

    async def append_in(self, session: Session, payload: StepPayload) -> None:
        """One step in the caller's transaction."""
        self._last += 1
        await append_step(session, self._run_id, Step(self._last, payload, read_utc()))

    async def _is_written(self, step: Step, *, is_last_try: bool) -> bool:
        try:
            await append_step_alone(self._statements, self._run_id, step)
        except UnavailableError:
            if is_last_try:
                raise
            return False
        except RunTakenOverError:
            if await self._is_mine(step):  # the answer to the commit was lost, the commit was not
                return True
            raise
        return True

    async def _is_mine(self, step: Step) -> bool:
        return list(await read_steps(self._engine, self._run_id, step.seq - 1, 1)) == [step]


class DurableRecorder:
    """Gives recorded replies and outcomes back, in order, and records the ones that follow."""

    def __init__(
        self,
        writer: StepWriter,
        planner: PlannerName,
        recorded: Sequence[Step],
        is_stopping: Callable[[], bool] = lambda: False,
        read_conditions: Callable[[], Conditions] = Conditions,
    ) -> None:
        """`recorded` holds the replies and outcomes of this planner that stand in the log.

        Where `is_stopping`, the next step that is written ends this worker's part. `read_conditions`
        gives what held while a step was done, for its payload. `turn` is the one that is asked for.
        """
        self._read_conditions = read_conditions
        self._writer = writer
        self._is_stopping = is_stopping
        self._planner = planner
        self._recorded = list(recorded)
        self.turn = 0

    async def reply(self, turn: int, ask: Callable[[], Awaitable[ModelReply]]) -> ModelReply:
        """The model's reply of a turn."""
        self.turn = turn
        recorded = self._take(ModelReplied, f"turn {turn}", lambda taken: taken.turn == turn)
        if recorded is not None:
            return recorded.reply
        began = time.monotonic()
        reply = await ask()
        seconds, held = round(time.monotonic() - began, 4), self._read_conditions()
        await self._record(
            ModelReplied(
                planner=self._planner,
                turn=turn,
                seconds=seconds,
                reply=reply,
                limits=held.limits,
                replayed=held.replayed,
                sources=held.sources,
            )
        )
        return reply

    async def outcome(
        self, turn: int, index: int, call: ToolCall, run: Callable[[], Awaitable[ToolOutcome]]
    ) -> ToolOutcome:
        """The outcome of one call of a turn."""
        recorded = self._take(
            ToolCalled,
            f"call {index} of turn {turn}",
            lambda taken: (taken.turn, taken.index) == (turn, index),
        )
        if recorded is not None:
            return recorded.outcome
        outcome, held = await run(), self._read_conditions()
        await self._record(
            ToolCalled(
                planner=self._planner,
                turn=turn,
                index=index,
                call=call,
                outcome=outcome,
                limits=held.limits,
                replayed=held.replayed,
                sources=held.sources,
            )
        )
        return outcome

    async def _record(self, payload: ModelReplied | ToolCalled) -> None:
        await self._writer.append(payload)
        if self._is_stopping():
            raise WorkerStoppingError(f"stopped after a {payload.kind}")

    def _take(
        self, model: type[RecordedT], place: str, is_there: Callable[[RecordedT], bool]
    ) -> RecordedT | None:
        if not self._recorded:
            return None
        step = self._recorded.pop(0)
        if not isinstance(step.payload, model) or not is_there(step.payload):
            raise LogMismatchError(f"step {step.seq} is a {step.kind}, not the {place}")
        return step.payload


FIRST_PAUSE_SECONDS = 0.5
"""Quick replies show no progress; the pauses grow with the reply, to some 60 rows at most."""

_ROWS_OF_A_LONG_REPLY = 20


class ProgressFeed:
    """A `Hear` that writes `model_progressed`; `text` is what came since the row before.

    A new `attempt` (or `run_resumed`) begins the reply anew.
    """

    def __init__(
        self,
        writer: StepWriter,
        planner: PlannerName,
        read_turn: Callable[[], int],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._writer, self._planner, self._clock = writer, planner, clock
        self._read_turn = read_turn
        self._now = (0, 0)
        self._began = self._told_at = 0.0
        self._told = 0

    async def __call__(self, progress: Progress) -> None:
        """Tell, or leave it for later."""
        self._begin((self._read_turn(), progress.attempt))
        now = self._clock()
        pause = max(FIRST_PAUSE_SECONDS, (now - self._began) / _ROWS_OF_A_LONG_REPLY)
        if now - self._told_at < pause:
            return
        self._told_at = now
        payload = ModelProgressed(
            planner=self._planner,
            turn=self._now[0],
            attempt=progress.attempt,
            text=progress.text[self._told :],
            calls=progress.calls,
        )
        self._told = len(progress.text)
        await self._writer.append(payload)

    def _begin(self, now: tuple[int, int]) -> None:
        if now != self._now:
            self._now, self._told = now, 0
            self._began = self._told_at = self._clock()

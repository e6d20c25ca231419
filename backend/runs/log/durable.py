"""Durability around the two seams of the agent: what is in the log is given back, the rest recorded.

A step is written before the next begins, so a worker that takes a run over asks no finished
question twice; a step that was cut off runs again.

Puts the progress of a streamed reply into the run log, seldom enough to keep the log small.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from backend.agent.llm import ModelReply, Progress
from backend.clock import read_utc
from backend.db.session import Engine, Session
from backend.db.statements import Statements
from backend.errors import UnavailableError, WaypoolError
from backend.runs.log.run_log import (
    RunTakenOverError,
    Step,
    append_step,
    append_step_alone,
    read_steps,
)
from backend.tools.call import ToolCall, ToolOutcome

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

    async def append(self, kind: str, payload: dict[str, Any]) -> None:
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

    async def append(self, kind: str, payload: dict[str, Any]) -> None:
        """One step in a transaction of its own.

        What it records may have been paid for, so it waits `patience` seconds for a database that
        is away.
        """
        step = Step(self._last + 1, kind, payload, read_utc())
        until = time.monotonic() + self._patience
        while not await self._is_written(  # noqa: ASYNC110 - the database tells nobody it is back
            step, is_last_try=time.monotonic() >= until
        ):
            await asyncio.sleep(RETRY_SECONDS)
        self._last = step.seq

    async def append_in(self, session: Session, kind: str, payload: dict[str, Any]) -> None:
        """One step in the caller's transaction."""
        self._last += 1
        await append_step(session, self._run_id, Step(self._last, kind, payload, read_utc()))

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
        planner: str,
        recorded: Sequence[Step],
        is_stopping: Callable[[], bool] = lambda: False,
        describe: Callable[[], dict[str, Any]] = dict,
    ) -> None:
        """`recorded` holds the replies and outcomes of this planner that stand in the log.

        Where `is_stopping`, the next step that is written ends this worker's part. `describe` gives
        what held while a step was done, for its payload. `turn` is the one that is asked for.
        """
        self._describe = describe
        self._writer = writer
        self._is_stopping = is_stopping
        self._planner = planner
        self._recorded = list(recorded)
        self.turn = 0

    async def reply(self, turn: int, ask: Callable[[], Awaitable[ModelReply]]) -> ModelReply:
        """The model's reply of a turn."""
        self.turn = turn
        payload = self._take("model_replied", {"turn": turn})
        if payload is not None:
            return ModelReply.model_validate(payload["reply"])
        began = time.monotonic()
        reply = await ask()
        recorded = {
            "planner": self._planner,
            "turn": turn,
            "seconds": round(time.monotonic() - began, 4),
            "reply": reply.model_dump(mode="json"),
        }
        await self._record("model_replied", recorded)
        return reply

    async def outcome(
        self, turn: int, index: int, call: ToolCall, run: Callable[[], Awaitable[ToolOutcome]]
    ) -> ToolOutcome:
        """The outcome of one call of a turn."""
        payload = self._take("tool_called", {"turn": turn, "index": index})
        if payload is not None:
            return ToolOutcome.model_validate(payload["outcome"])
        outcome = await run()
        recorded = {
            "planner": self._planner,
            "turn": turn,
            "index": index,
            "call": call.model_dump(mode="json"),
            "outcome": outcome.model_dump(mode="json"),
        }
        await self._record("tool_called", recorded)
        return outcome

    async def _record(self, kind: str, payload: dict[str, Any]) -> None:
        await self._writer.append(kind, {**payload, **self._describe()})
        if self._is_stopping():
            raise WorkerStoppingError(f"stopped after a {kind}")

    def _take(self, kind: str, position: dict[str, int]) -> dict[str, Any] | None:
        if not self._recorded:
            return None
        step = self._recorded.pop(0)
        if step.kind != kind or any(step.payload[name] != n for name, n in position.items()):
            raise LogMismatchError(f"step {step.seq} is a {step.kind}, not {kind} {position}")
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
        writer: RunWriter,
        planner: str,
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
        payload = {
            "planner": self._planner,
            "turn": self._now[0],
            "attempt": progress.attempt,
            "text": progress.text[self._told :],
            "calls": [call.model_dump() for call in progress.calls],
        }
        self._told = len(progress.text)
        await self._writer.append("model_progressed", payload)

    def _begin(self, now: tuple[int, int]) -> None:
        if now != self._now:
            self._now, self._told = now, 0
            self._began = self._told_at = self._clock()

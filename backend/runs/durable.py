"""Durability around the two seams of the agent: what is in the log is given back, the rest recorded.

A step is written before the next begins, so a worker that takes a run over asks no finished
question twice; a step that was cut off runs again.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from backend.agent.llm import ModelReply
from backend.clock import read_utc
from backend.db.session import Engine, Session, transaction
from backend.errors import WaypoolError
from backend.runs.run_log import Step, append_step
from backend.tools.call import ToolCall, ToolOutcome


class LogMismatchError(WaypoolError):
    """The log holds another step than the run would take now: the code has changed under it."""

    code = "LOG_MISMATCH"


class RunWriter:
    """Appends steps to one run's log, in order."""

    def __init__(self, engine: Engine, run_id: str, last_seq: int) -> None:
        """`last_seq` is the last step that stands in the log."""
        self._engine = engine
        self._run_id = run_id
        self._last = last_seq

    async def append(self, kind: str, payload: dict[str, Any]) -> None:
        """One step in a transaction of its own."""
        async with transaction(self._engine) as session:
            await self.append_in(session, kind, payload)

    async def append_in(self, session: Session, kind: str, payload: dict[str, Any]) -> None:
        """One step in the caller's transaction."""
        self._last += 1
        await append_step(session, self._run_id, Step(self._last, kind, payload, read_utc()))


class DurableRecorder:
    """Gives recorded replies and outcomes back, in order, and records the ones that follow."""

    def __init__(self, writer: RunWriter, planner: str, recorded: Sequence[Step]) -> None:
        """`recorded` holds the replies and outcomes of this planner that stand in the log."""
        self._writer = writer
        self._planner = planner
        self._recorded = list(recorded)

    async def reply(self, turn: int, ask: Callable[[], Awaitable[ModelReply]]) -> ModelReply:
        """The model's reply of a turn."""
        payload = self._take("model_replied", {"turn": turn})
        if payload is not None:
            return ModelReply.model_validate(payload["reply"])
        reply = await ask()
        recorded = {"planner": self._planner, "turn": turn, "reply": reply.model_dump(mode="json")}
        await self._writer.append("model_replied", recorded)
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
        await self._writer.append("tool_called", recorded)
        return outcome

    def _take(self, kind: str, position: dict[str, int]) -> dict[str, Any] | None:
        if not self._recorded:
            return None
        step = self._recorded.pop(0)
        if step.kind != kind or any(step.payload[name] != n for name, n in position.items()):
            raise LogMismatchError(f"step {step.seq} is a {step.kind}, not {kind} {position}")
        return step.payload

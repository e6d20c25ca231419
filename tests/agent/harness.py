"""Runs an agent over a snapshot with the real tools, in memory."""

import dataclasses
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from backend.agent.llm import LlmClient, Message
from backend.agent.loop import AgentResult, Watch, run_agent
from backend.agent.replies import MemoryRecorder
from backend.planner.check.validator import validate
from backend.planner.days.timeline import build_itinerary
from backend.planner.plan.itinerary import Violation
from backend.pool.snapshot import Snapshot
from backend.tools.call import ToolCall, ToolOutcome
from backend.tools.context import RunState, ToolLimit
from backend.tools.runner import ToolRunner

Limits = Mapping[str, ToolLimit]

OFF = ToolLimit(enabled=False)


class Clock:
    """Stands still until it is told to go on."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def read(self) -> float:
        return self.now


@dataclasses.dataclass
class Trial:
    """One run: its end, what was recorded, and what the model was told."""

    snapshot: Snapshot
    result: AgentResult
    recorder: MemoryRecorder

    @property
    def calls(self) -> list[tuple[ToolCall, ToolOutcome]]:
        """All calls that were answered, in order."""
        return [
            (self.recorder.replies[turn].calls[index], outcome)
            for (turn, index), outcome in sorted(self.recorder.outcomes.items())
        ]

    @property
    def names(self) -> list[str]:
        return [call.name for call, _ in self.calls]

    @property
    def errors(self) -> list[str]:
        """Codes of what the final plan breaks."""
        return [v.code for v in self.violations if v.severity == "error"]

    @property
    def violations(self) -> list[Violation]:
        draft = self.result.state.draft
        return validate(self.snapshot, draft, build_itinerary(self.snapshot, draft))


def with_params(snapshot: Snapshot, **params: int) -> Snapshot:
    return snapshot.model_copy(update={"params": {**snapshot.params, **params}}).sealed()


async def run_trial(
    snapshot: Snapshot,
    llm: LlmClient,
    *,
    limits: Limits | Callable[[], Limits] = MappingProxyType({}),
    start: RunState | None = None,
    recorder: MemoryRecorder | None = None,
    clock: Clock | None = None,
    stop_after: int | None = None,
) -> Trial:
    """A run to its end; `stop_after` cancels it after that many looks at the wish to stop."""
    recorder = recorder or MemoryRecorder()
    looks = 0

    async def read_limits() -> Limits:
        return limits() if callable(limits) else limits

    async def should_stop() -> bool:
        nonlocal looks
        looks += 1
        return stop_after is not None and looks > stop_after

    watch = Watch((clock or Clock()).read, should_stop)
    tools = ToolRunner(snapshot, read_limits)
    result = await run_agent(snapshot, llm, tools, recorder, watch, start)
    return Trial(snapshot, result, recorder)


def check_history(messages: tuple[Message, ...]) -> None:
    """What every provider demands: each call has one answer, right after its message, in order."""
    waiting: list[str] = []
    for message in messages:
        if message.role == "tool":
            assert message.call_id == waiting.pop(0)
            continue
        assert not waiting
        assert message.content or message.calls
        waiting = [call.id for call in message.calls]
    assert not waiting


def codes(trial: Trial) -> list[Any]:
    """The error codes of the calls, None where a call went well."""
    return [outcome.content.get("error", {}).get("code") for _, outcome in trial.calls]

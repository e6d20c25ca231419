"""The seam that makes a run durable: each reply and each outcome goes through it, one at a time."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from backend.agent.llm import ModelReply
from backend.tools.call import ToolCall, ToolOutcome


class Recorder(Protocol):
    """Records a step before the next one begins, or gives back what was recorded of it.

    Turns count from 1, calls of a turn from 0. `ask` and `run` do the thing itself; they are not
    awaited where the step is on record.
    """

    async def reply(self, turn: int, ask: Callable[[], Awaitable[ModelReply]]) -> ModelReply:
        """The reply of this turn."""
        ...

    async def outcome(
        self, turn: int, index: int, call: ToolCall, run: Callable[[], Awaitable[ToolOutcome]]
    ) -> ToolOutcome:
        """The outcome of one call of this turn."""
        ...


@dataclass
class MemoryRecorder:
    """Keeps the steps of a run in memory; one that holds steps already gives those back."""

    replies: dict[int, ModelReply] = field(default_factory=dict)
    outcomes: dict[tuple[int, int], ToolOutcome] = field(default_factory=dict)

    async def reply(self, turn: int, ask: Callable[[], Awaitable[ModelReply]]) -> ModelReply:
        """The kept reply, else a new one."""
        if turn not in self.replies:
            self.replies[turn] = await ask()
        return self.replies[turn]

    async def outcome(
        self,
        turn: int,
        index: int,
        call: ToolCall,
        run: Callable[[], Awaitable[ToolOutcome]],
    ) -> ToolOutcome:
        """The kept outcome, else a new one."""
        if (turn, index) not in self.outcomes:
            self.outcomes[turn, index] = await run()
        return self.outcomes[turn, index]

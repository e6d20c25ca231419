"""What the log says of a run's planners: the state, the tokens and the end of each one's stage."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from backend.agent.llm import ModelReply, Usage
from backend.agent.loop import hand_over
from backend.runs.log.run_log import Step
from backend.tools.call import ToolOutcome
from backend.tools.context import RunState

STAGE_KINDS = ("model_replied", "tool_called")


@dataclass(frozen=True)
class Stage:
    """One planner's work on a run; `stop` is None while it goes on, `model` with the built-in one.

    `start` is what the first one begins with: nothing but in a revision.
    """

    planner: str
    steps: tuple[Step, ...]
    stop: str | None
    error: str | None
    model: str | None = None
    start: RunState = field(default_factory=RunState)

    @property
    def usage(self) -> Usage:
        """Tokens of its replies."""
        replies = (s.payload["reply"] for s in self.steps if s.kind == "model_replied")
        return sum((ModelReply.model_validate(reply).usage for reply in replies), Usage())

    @property
    def turns(self) -> int:
        """Its replies."""
        return sum(step.kind == "model_replied" for step in self.steps)

    @property
    def tool_calls(self) -> int:
        """Its calls."""
        return sum(step.kind == "tool_called" for step in self.steps)

    def fold(self, start: RunState) -> RunState:
        """The state after its recorded calls."""
        state = start
        for step in self.steps:
            if step.kind == "tool_called":
                state = state.after(ToolOutcome.model_validate(step.payload["outcome"]))
        return state


def read_stages(steps: Sequence[Step]) -> list[Stage]:
    """Stages in order: each begins with `planner_chosen` or `planner_fell_back`."""
    stages: list[Stage] = []
    start = read_start(steps)
    for step in steps:
        if step.kind in {"planner_chosen", "planner_fell_back"}:
            model = step.payload.get("model")
            stages.append(Stage(step.payload["planner"], (), None, None, model, start))
        elif stages and step.kind in STAGE_KINDS:
            last = stages[-1]
            stages[-1] = replace(last, steps=(*last.steps, step))
        elif stages and step.kind == "planner_stopped":
            stop, error = step.payload["stop"], step.payload["error"]
            stages[-1] = replace(stages[-1], stop=stop, error=error)
    return stages


def read_start(steps: Sequence[Step]) -> RunState:
    """What a run begins with: the plan that it revises, or nothing."""
    for step in steps:
        if step.kind == "revision_begun":
            keys = ("draft", "locks", "wish", "gone")
            begun = {key: step.payload[key] for key in keys if key in step.payload}
            return RunState.model_validate(begun)
    return RunState()


def fold_state(stages: Sequence[Stage]) -> RunState:
    """The state after all recorded calls of all stages."""
    state = stages[0].start if stages else RunState()
    for n, stage in enumerate(stages):
        state = stage.fold(hand_over(state) if n else state)
    return state

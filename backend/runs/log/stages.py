"""What the log says of a run's planners: the state, the tokens and the end of each one's stage."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from backend.agent.llm import Usage
from backend.agent.loop import AgentResult, hand_over
from backend.runs.log.steps import (
    ModelReplied,
    PlannerChosen,
    PlannerFellBack,
    PlannerName,
    PlannerStopped,
    RevisionBegun,
    Step,
    ToolCalled,
    select_payloads,
)
from backend.tools.context import RunState


@dataclass(frozen=True)
class Stage:
    """One planner's work on a run; `stop` is None while it goes on, `model` with the built-in one.

    `start` is what the first one begins with: nothing but in a revision.
    """

    planner: PlannerName
    steps: tuple[Step, ...]
    stop: str | None
    error: str | None
    model: str | None = None
    start: RunState = field(default_factory=RunState)

    @property
    def usage(self) -> Usage:
        """Tokens of its replies."""
        replies = select_payloads(self.steps, ModelReplied)
        return sum((replied.reply.usage for replied in replies), Usage())

    @property
    def turns(self) -> int:
        """How many replies it has had."""
        return sum(isinstance(step.payload, ModelReplied) for step in self.steps)

    @property
    def tool_calls(self) -> int:
        """How many calls it has made."""
        return len(self.calls)

    @property
    def calls(self) -> tuple[ToolCalled, ...]:
        """Its calls with their outcomes, in order."""
        return tuple(select_payloads(self.steps, ToolCalled))

    def fold(self, start: RunState) -> RunState:
        """The state after its recorded calls."""
        state = start
        for called in self.calls:
            state = state.after(called.outcome)
        return state


def read_stages(steps: Sequence[Step]) -> list[Stage]:
    """Stages in order: each begins with `planner_chosen` or `planner_fell_back`."""
    stages: list[Stage] = []
    start = read_start(steps)
    for step in steps:
        found = step.payload
        if isinstance(found, PlannerChosen | PlannerFellBack):
            model = found.model if isinstance(found, PlannerChosen) else None
            stages.append(Stage(found.planner, (), None, None, model, start))
        elif stages and isinstance(found, ModelReplied | ToolCalled):
            last = stages[-1]
            stages[-1] = replace(last, steps=(*last.steps, step))
        elif stages and isinstance(found, PlannerStopped):
            stages[-1] = replace(stages[-1], stop=found.stop, error=found.error)
    return stages


def read_start(steps: Sequence[Step]) -> RunState:
    """What a run begins with: the plan that it revises, or nothing."""
    begun = next(select_payloads(steps, RevisionBegun), None)
    if begun is None:
        return RunState()
    return RunState(draft=begun.draft, locks=begun.locks, wish=begun.wish, gone=begun.gone)


def describe_stop(planner: PlannerName, result: AgentResult) -> PlannerStopped:
    """The step that ends a planner's stage."""
    error = result.error
    return PlannerStopped(
        planner=planner,
        stop=str(result.stop),
        error=error.code if error else None,
        message=error.message if error else None,
        context=dict(result.context),
    )


def fold_state(stages: Sequence[Stage]) -> RunState:
    """The state after all recorded calls of all stages."""
    state = stages[0].start if stages else RunState()
    for n, stage in enumerate(stages):
        state = stage.fold(hand_over(state) if n else state)
    return state

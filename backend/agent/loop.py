"""The turn loop: ask the model, run its calls, append what they gave, until a reason to stop.

It does not know whether it runs live, resumed or from a recording: that is the recorder's, and
everything that decides the way (own call ids, elapsed time) is part of what is recorded.

Tells a conversation that gets somewhere from one that turns in circles.

A turn is useful if it led to a draft that was not there before, or to an answer that was not
given before. Repeats, cycles of writes, and calls that always fail are all the same thing here.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from backend.agent.ledger import Ledger, StopLimits, StopReason, read_stop_limits
from backend.agent.llm import LlmClient, Message, ModelError, ModelReply, Size, Usage
from backend.agent.prompt import NUDGE, SHORTER, write_opening
from backend.agent.replies import (
    Recorder,
    adopt_reply,
    dump_json,
    is_cut,
    list_calls,
    remember_outcome,
    remember_reply,
)
from backend.planner.plan.draft import Draft
from backend.pool.snapshot import Snapshot
from backend.tools.call import ToolCall, ToolOutcome, ToolSchema
from backend.tools.context import RunState

MAX_USELESS_TURNS = 5
"""A model gets this many turns in a row to find out of errors and repeats."""

MAX_CUT_TURNS = 3
"""An answer that ended at the token limit is asked for again, shorter, as often but once."""


@dataclass(frozen=True)
class Progress:
    """What was seen so far; `useless` counts turns in a row, `is_nudged` since the last useful.

    `cuts` counts answers in a row that ended at the token limit.
    """

    seen: frozenset[str]
    useless: int = 0
    cuts: int = 0
    is_nudged: bool = False

    @property
    def is_stuck(self) -> bool:
        """Whether the conversation has had its chances."""
        return self.useless >= MAX_USELESS_TURNS

    @property
    def is_cut_off(self) -> bool:
        """Whether no answer will ever be short enough."""
        return self.cuts >= MAX_CUT_TURNS

    def after_calls(self, outcomes: Sequence[ToolOutcome]) -> "Progress":
        """After a turn with these outcomes."""
        new = frozenset(map(_describe, filter(_may_help, outcomes))) - self.seen
        if new:
            return Progress(self.seen | new)
        return replace(self, useless=self.useless + 1, cuts=0)

    def after_talk(self) -> "Progress":
        """After a turn without a call: the first is answered with a nudge, the second is the end."""
        if self.is_nudged:
            return replace(self, useless=MAX_USELESS_TURNS)
        return replace(self, useless=self.useless + 1, cuts=0, is_nudged=True)

    def after_cut(self) -> "Progress":
        """After an answer that the token limit cut off: nobody was talking, nothing was called."""
        return replace(self, cuts=self.cuts + 1)


def start_progress(draft: Draft) -> Progress:
    """Nothing seen but the draft that a run starts from."""
    return Progress(frozenset([_describe_draft(draft)]))


def _may_help(outcome: ToolOutcome) -> bool:
    return not outcome.is_error and "repeat_of" not in outcome.content


def _describe(outcome: ToolOutcome) -> str:
    if outcome.draft is not None:
        return _describe_draft(outcome.draft)
    return f"{outcome.tool} {dump_json(outcome.content)}"


def _describe_draft(draft: Draft) -> str:
    return "draft " + json.dumps(draft.model_dump(mode="json"), sort_keys=True)


class Tools(Protocol):
    """What the loop needs of `tools.runner.ToolRunner`."""

    async def offered(self) -> list[ToolSchema]:
        """Schemas of the tools that are switched on now."""
        ...

    async def run(self, call: ToolCall, state: RunState) -> ToolOutcome:
        """The call's outcome; what the model can mend is an outcome too."""
        ...


@dataclass(frozen=True)
class Watch:
    """What looks on: a clock in seconds, whether somebody wants the run ended, and its ledger.

    With a ledger each request is measured, and one that would exceed the budget is not made.
    """

    clock: Callable[[], float]
    should_stop: Callable[[], Awaitable[bool]]
    ledger: Ledger | None = None


@dataclass(frozen=True)
class AgentResult:
    """How an agent's work ended; `state.draft` is the plan, whatever the reason to stop.

    `error` stands with `StopReason.MODEL_FAILED`; `was_refused`: it was handed in, and was not sound.
    `context` is the conversation at the end by part, empty where nobody kept a ledger.
    """

    state: RunState
    stop: StopReason
    usage: Usage
    turns: int
    error: ModelError | None = None
    was_refused: bool = False
    context: Mapping[str, Size] = field(default_factory=dict)


class _StopError(Exception):
    """A reason to stop that showed while the model was to be asked."""

    def __init__(self, stop: StopReason) -> None:
        super().__init__(stop)
        self.stop = stop


async def run_agent(
    snapshot: Snapshot,
    llm: LlmClient,
    tools: Tools,
    recorder: Recorder,
    watch: Watch,
    start: RunState | None = None,
) -> AgentResult:
    """Let `llm` plan until it submits or a stop limit holds; limits are the snapshot's parameters.

    `start` is the state that another planner has left, see `hand_over`.
    """
    run = _Run(snapshot, llm, tools, recorder, watch, start or RunState())
    while True:
        try:
            stop = await run.find_stop() or await run.take_turn()
        except _StopError as reason:
            stop = reason.stop
        except ModelError as error:
            return run.end(StopReason.MODEL_FAILED, error)
        if stop is not None:
            return run.end(stop)


def hand_over(state: RunState) -> RunState:
    """The state for a planner that goes on from another's draft: it has read nothing yet itself."""
    return state.model_copy(update={"first_calls": {}, "seen": {}, "is_submitted": False})


class _Run:
    """The conversation and its counts; everything in it follows from what is recorded."""

    def __init__(
        self,
        snapshot: Snapshot,
        llm: LlmClient,
        tools: Tools,
        recorder: Recorder,
        watch: Watch,
        start: RunState,
    ) -> None:
        self._llm, self._tools, self._recorder, self._watch = llm, tools, recorder, watch
        self._locale = snapshot.request.locale
        self._limits: StopLimits = read_stop_limits(snapshot.params)
        self._messages = write_opening(snapshot, start.draft, start.wish, start.locks)
        self._progress: Progress = start_progress(start.draft)
        self._state = start
        self._calls_before = start.calls
        self._usage = Usage()
        self._turns = 0
        self._was_refused = False
        self._began = watch.clock()
        self._ledger = watch.ledger

    async def find_stop(self) -> StopReason | None:
        """A reason not to ask again, in the order in which it would be told."""
        if self._progress.is_stuck:
            return StopReason.NO_PROGRESS
        if self._progress.is_cut_off:
            return StopReason.ANSWER_CUT
        if self._turns >= self._limits.turns:
            return StopReason.MAX_TURNS
        if self._usage.input_tokens + self._usage.output_tokens >= self._limits.tokens:
            return StopReason.MAX_TOKENS
        if self._may_not_call():
            return StopReason.MAX_TOOL_CALLS
        if self._elapsed() >= self._limits.seconds:
            return StopReason.MAX_SECONDS
        return await self._find_cancel()

    async def take_turn(self) -> StopReason | None:
        """One reply and the answers to its calls, in order."""
        turn = self._turns + 1
        reply = await self._recorder.reply(turn, lambda: self._ask(turn))
        self._turns = turn
        self._usage += reply.usage
        self._began = self._watch.clock() - reply.elapsed
        if self._ledger is not None:
            self._ledger.add_messages(self._messages)
            self._ledger.note_reply(reply)
        calls = list_calls(reply)
        self._messages.append(remember_reply(reply, calls))
        if not calls:
            self._ask_for_calls(was_cut=is_cut(reply, calls))
            return None
        return await self._run_calls(turn, calls)

    def end(self, stop: StopReason, error: ModelError | None = None) -> AgentResult:
        """The result as things stand."""
        context: Mapping[str, Size] = {}
        if self._ledger is not None:
            self._ledger.add_messages(self._messages)
            context = self._ledger.parts
        return AgentResult(
            state=self._state,
            stop=stop,
            usage=self._usage,
            turns=self._turns,
            error=error,
            was_refused=self._was_refused,
            context=context,
        )

    async def _ask(self, turn: int) -> ModelReply:
        left = self._limits.seconds - self._elapsed()
        offered = await self._tools.offered()
        sent = self._ledger.open_request(self._messages, offered) if self._ledger else None
        if self._ledger and self._ledger.expected_tokens > self._limits.context:
            raise _StopError(StopReason.CONTEXT_BUDGET)
        try:
            async with asyncio.timeout(left):
                reply = await self._llm.reply(tuple(self._messages), offered)
        except TimeoutError:
            raise _StopError(StopReason.MAX_SECONDS) from None
        own = {"elapsed": self._elapsed(), "sent": sent}
        return adopt_reply(reply, turn).model_copy(update=own)

    async def _run_calls(self, turn: int, calls: tuple[ToolCall, ...]) -> StopReason | None:
        outcomes = []
        for index, call in enumerate(calls):
            stop = StopReason.MAX_TOOL_CALLS if self._may_not_call() else await self._find_cancel()
            if stop is not None:
                return stop
            outcome = await self._run_call(turn, index, call)
            outcomes.append(outcome)
            self._was_refused |= outcome.tool == "submit_itinerary" and outcome.is_error
            self._state = self._state.after(outcome)
            self._messages.append(remember_outcome(outcome))
        self._progress = self._progress.after_calls(outcomes)
        return StopReason.SUBMITTED if self._state.is_submitted else None

    async def _run_call(self, turn: int, index: int, call: ToolCall) -> ToolOutcome:
        state = self._state
        return await self._recorder.outcome(turn, index, call, lambda: self._tools.run(call, state))

    def _ask_for_calls(self, *, was_cut: bool) -> None:
        """What the model is told after a turn without a call."""
        text = SHORTER if was_cut else NUDGE
        self._messages.append(Message(role="user", content=text[self._locale]))
        self._progress = self._progress.after_cut() if was_cut else self._progress.after_talk()

    def _may_not_call(self) -> bool:
        return self._state.calls - self._calls_before >= self._limits.tool_calls

    async def _find_cancel(self) -> StopReason | None:
        return StopReason.CANCELLED if await self._watch.should_stop() else None

    def _elapsed(self) -> float:
        """Seconds of this agent's own time: while no worker carried the run, none passed."""
        return self._watch.clock() - self._began

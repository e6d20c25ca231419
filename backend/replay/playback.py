"""Drives the real loop and the real tools with recorded replies, and looks at what comes out.

The turn loop does not know: its recorder gives the recorded replies and compares each outcome.

What the model saw, turn by turn: the messages as sent, the tools offered, and what they cost.
"""

import itertools
import json
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from backend.agent.ledger import Ledger
from backend.agent.llm import Message, ModelReply, Sent, add_sizes
from backend.agent.loop import Watch, hand_over, run_agent
from backend.agent.replies import dump_json
from backend.errors import WaypoolError
from backend.planner.search.tours import without_clock
from backend.pool.snapshot import Snapshot
from backend.replay.export import RunExport
from backend.replay.json_tree import Difference, find_difference
from backend.replay.memory_run import STATES, MemoryResults
from backend.runs.log.run_log import Stage
from backend.runs.log.steps import ModelReplied, PlannerStopped, Step, ToolCalled
from backend.runs.work.recording import is_computable
from backend.tools.call import ToolCall, ToolOutcome, ToolSchema
from backend.tools.context import RunState, ToolLimit
from backend.tools.runner import ToolRunner
from backend.tools.source_tools import ToldSources

RecordedT = TypeVar("RecordedT", ModelReplied, ToolCalled)

_FROM_OUTSIDE = frozenset({"cancelled", "max_seconds", "model_failed", "context_budget"})
"""Reasons to stop that no recording can bring about again."""


class DifferenceError(WaypoolError):
    """The replay came to something else than the recording."""

    code = "REPLAY_DIFFERS"

    def __init__(self, difference: Difference) -> None:
        super().__init__(str(difference))
        self.difference = difference


class RecordingEndedError(Exception):
    """The loop wants to go on, and nothing more was recorded."""


@dataclass(frozen=True)
class Turn:
    """What a planner saw at one turn, in full, what it said to it, and which step that is."""

    seq: int
    planner: str
    turn: int
    messages: tuple[Message, ...]
    tools: tuple[ToolSchema, ...]
    reply: ModelReply


@dataclass
class Seen:
    """What a playback has met: turns, outcomes that were computed, and those taken as they were.

    `outcomes` are those that came out, by the number of the step; `differences` are those of
    outcomes where the recorded ones were taken.
    """

    turns: list[Turn] = field(default_factory=list)
    computed: int = 0
    recorded: int = 0
    outcomes: dict[int, ToolOutcome] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)


@dataclass(frozen=True)
class Wanted:
    """How far to play, to the step of a number, and whether outcomes must be the recorded ones.

    `takes_recorded`: where an outcome differs, the recorded one is taken, and the play goes on.
    """

    until: int | None = None
    is_compared: bool = True
    takes_recorded: bool = False


class _Listener:
    """Plays the language model: hears the messages, says what was recorded."""

    def __init__(self) -> None:
        self.heard: tuple[tuple[Message, ...], tuple[ToolSchema, ...]] = ((), ())
        self.says = ModelReply()

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> ModelReply:
        self.heard = (tuple(messages), tuple(tools))
        return self.says


class _Playback:
    """A recorder that compares; one for each stage."""

    def __init__(
        self, export: RunExport, stage: Stage, results: MemoryResults, seen: Seen, wanted: Wanted
    ) -> None:
        self.listener = _Listener()
        self.limits: Mapping[str, ToolLimit] = {}
        self.sources = ToldSources()
        self._export, self._stage, self._results, self._seen = export, stage, results, seen
        self._left = [s for s in stage.steps if wanted.until is None or s.seq <= wanted.until]
        self._wanted = wanted

    @property
    def is_over(self) -> bool:
        """Whether nothing more was recorded."""
        return not self._left

    async def read_limits(self) -> Mapping[str, ToolLimit]:
        """The limits that held at the step that is being done."""
        return self.limits

    async def reply(self, turn: int, ask: Callable[[], Awaitable[ModelReply]]) -> ModelReply:
        """The recorded reply; the loop speaks to the listener all the same."""
        step, replied = self._take(ModelReplied)
        recorded = replied.reply
        self.listener.says = recorded
        await ask()
        messages, tools = self.listener.heard
        planner = self._stage.planner
        self._seen.turns.append(Turn(step.seq, planner, turn, messages, tools, recorded))
        return recorded

    async def outcome(
        self, turn: int, index: int, call: ToolCall, run: Callable[[], Awaitable[ToolOutcome]]
    ) -> ToolOutcome:
        """What the call gives now, which must be what was recorded."""
        step, called = self._take(ToolCalled)
        place, raw = f"{self._export.place_of(step)}/payload", self._export.raw_payload(step)
        self._is_same(f"{place}/call", raw["call"], call.model_dump(mode="json"))
        recorded = called.outcome
        if not self._may_compute(call, recorded):
            self._seen.recorded += 1
            self._seen.outcomes[step.seq] = recorded
            return recorded
        found = await run()
        self._seen.computed += 1
        if self._is_same(f"{place}/outcome", raw["outcome"], _as_json(found)):
            recorded = found
        self._seen.outcomes[step.seq] = recorded
        return recorded

    def _is_same(self, path: str, expected: Any, found: Any) -> bool:
        """Whether to go on with what was found; a `DifferenceError` where it must be the same."""
        difference = find_difference(expected, found) if self._wanted.is_compared else None
        if difference is None:
            return True
        if not self._wanted.takes_recorded:
            raise DifferenceError(difference.below(path))
        self._seen.differences.append(difference.below(path))
        return False

    def _may_compute(self, call: ToolCall, recorded: ToolOutcome) -> bool:
        """Prepare the results for the question; False where its answer lies outside the export."""
        code = recorded.content.get("error", {}).get("code") if recorded.is_error else None
        self._results.met = STATES.get(code or "")
        if recorded.content.get("deadline_hit"):  # how far the search came, only that clock knows
            return False
        if call.name == "result_query" and self._results.met is None and not recorded.is_error:
            return self._results.has(_read_handle(call))
        return is_computable(call, recorded)

    def _take(self, model: type[RecordedT]) -> tuple[Step, RecordedT]:
        if not self._left:
            raise RecordingEndedError
        step = self._left.pop(0)
        found = step.payload
        if not isinstance(found, model):
            place = f"{self._export.place_of(step)}/kind"
            raise DifferenceError(Difference(place, step.kind, model.model_fields["kind"].default))
        self.limits = found.limits or {}
        if found.sources is not None:
            self.sources.told = found.sources
        return step, found


async def play_back(
    export: RunExport,
    *,
    until: int | None = None,
    is_compared: bool = True,
    takes_recorded: bool = False,
    seen: Seen | None = None,
) -> Seen:
    """Play the recorded replies to the real tools; a `DifferenceError` at the first that differs.

    `until` ends it after the step of that number; not `is_compared`, new outcomes are taken on;
    `takes_recorded`, the recorded ones are where they differ.
    `seen` takes what was met, also of a playback that differs.
    """
    wanted = Wanted(until, is_compared, takes_recorded)
    seen = Seen() if seen is None else seen
    state = export.stages[0].start if export.stages else RunState()
    results = MemoryResults(export.results, export.snapshot.request.locale)
    for n, stage in enumerate(export.stages):
        start = hand_over(state) if n else state
        playback = _Playback(export, stage, results, seen, wanted)
        try:
            stop = await _play_stage(export.snapshot, playback, results, start, stage)
        except RecordingEndedError:
            stop = None
        if until is None and is_compared:
            _check_stop(export, stage, stop)
        state = _fold(stage, start, seen)
    return seen


def _fold(stage: Stage, start: RunState, seen: Seen) -> RunState:
    """The state after the stage's calls as they came out."""
    state = start
    for step in stage.steps:
        if step.seq in seen.outcomes:
            state = state.after(seen.outcomes[step.seq])
    return state


async def _play_stage(
    snapshot: Snapshot,
    playback: _Playback,
    results: MemoryResults,
    start: RunState,
    stage: Stage,
) -> str:
    async def should_stop() -> bool:
        """Somebody cancelled between two calls, or a worker's last step was the last of all."""
        return playback.is_over and stage.stop in {None, "cancelled"}

    tools = ToolRunner(snapshot, playback.read_limits, results, playback.sources)
    watch = Watch(lambda: 0.0, should_stop)
    with without_clock():
        result = await run_agent(snapshot, playback.listener, tools, playback, watch, start)
    return str(result.stop)


def _check_stop(export: RunExport, stage: Stage, stop: str | None) -> None:
    """The loop must end where the recording ends, and for the same reason."""
    if stop == stage.stop or (stop in {None, "cancelled"} and stage.stop is None):
        return
    if stop is None and stage.stop in _FROM_OUTSIDE:
        return
    stops = [s for s in export.steps if isinstance(s.payload, PlannerStopped)]
    place = export.stages.index(stage)
    path = f"{export.place_of(stops[place])}/payload/stop" if place < len(stops) else "/steps"
    found = "it goes on" if stop is None else stop
    raise DifferenceError(Difference(path, stage.stop, found))


def _as_json(outcome: ToolOutcome) -> Any:
    return json.loads(dump_json(outcome.model_dump(mode="json")))


def _read_handle(call: ToolCall) -> str:
    try:
        handle = json.loads(call.arguments).get("handle")
    except (ValueError, AttributeError):
        return ""
    return handle.strip() if isinstance(handle, str) else ""


def show_turns(seen: Seen) -> Iterator[dict[str, Any]]:
    """Each turn with what is new in it; a request holds `earlier_messages` before those.

    Each stage is a conversation of its own, with an account of its own. `outcomes` are those of the
    turn's calls, by step, as far as was played.
    """
    before, planner, ledger = 0, "", Ledger()
    ends = [turn.seq for turn in seen.turns[1:]]
    for turn, end in itertools.zip_longest(seen.turns, ends, fillvalue=sys.maxsize):
        assert isinstance(turn, Turn)
        if turn.planner != planner:
            before, planner, ledger = 0, turn.planner, Ledger()
        sent = ledger.open_request(turn.messages, turn.tools)
        yield {
            "step": turn.seq,
            "planner": turn.planner,
            "turn": turn.turn,
            "earlier_messages": before,
            "messages": [m.model_dump(mode="json") for m in turn.messages[before:]],
            "tools": [tool.name for tool in turn.tools],
            "reply": turn.reply.model_dump(mode="json", include={"text", "calls"}),
            "outcomes": [
                {"step": seq, "tool": outcome.tool, "content": outcome.content}
                for seq, outcome in seen.outcomes.items()
                if turn.seq < seq < end
            ],
            "ledger": _show_ledger(sent),
        }
        before = len(turn.messages)


def _show_ledger(sent: Sent) -> dict[str, Any]:
    """The whole request by part, as `GET /v1/runs/{id}/ledger` has it, and what is new in it."""
    return {
        "parts": {part: size.model_dump() for part, size in sorted(sent.parts.items())},
        "total": sent.total.model_dump(),
        "new": add_sizes(sent.fresh.values()).model_dump(),
    }


def write_turn(shown: dict[str, Any], *, is_last: bool = False) -> str:
    """A turn for people; of all but the last, the outcomes stand among the next one's messages."""
    ledger = shown["ledger"]
    parts = ", ".join(f"{part} {size['tokens']}" for part, size in ledger["parts"].items())
    head = (
        f"── step {shown['step']} · turn {shown['turn']} of {shown['planner']} ·"
        f" {ledger['total']['tokens']} tokens, {ledger['new']['tokens']} of them new: {parts}"
    )
    lines = [head, f"   tools: {', '.join(shown['tools'])}"]
    if shown["earlier_messages"]:
        lines.append(f"   {shown['earlier_messages']} messages as before, then:")
    for message in shown["messages"]:
        lines.append(f"[{message['role']}] {message['content']}")
        lines.extend(f"  → {call['name']} {call['arguments']}" for call in message["calls"])
    lines.append(f"   it says: {shown['reply']['text']}".rstrip())
    lines.extend(f"  → {call['name']} {call['arguments']}" for call in shown["reply"]["calls"])
    if is_last:
        outcomes = ((o["step"], o["tool"], dump_json(o["content"])) for o in shown["outcomes"])
        lines.extend(f"[step {step}: {tool}] {content}" for step, tool, content in outcomes)
    return "\n".join(lines)

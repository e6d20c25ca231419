"""Recorded outcomes for a run that is made again, paired by tool and canonical arguments.

Never by order alone: an answer to another question would pass for the right one.
"""

import json
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence

from backend.canonical import dump_canonical
from backend.runs.log.steps import Mark, ModelReplied, Step, ToolCalled, select_payloads
from backend.tools.call import ToldSource, ToolCall, ToolOutcome, ToolSchema
from backend.tools.context import RunState
from backend.tools.registry import find_tool
from backend.tools.runner import ToolRunner
from backend.tools.source_tools import NotRecordedError, ToldSources

_MADE_UP = "UNKNOWN_TOOL"


class Recording:
    """What the calls of a run gave; the same question asked again gets its answers in turn.

    `sources` are those that it was offered. `before` is the recording of the run that it replays:
    it knows what was asked there alone.
    """

    def __init__(
        self,
        pairs: Iterable[tuple[ToolCall, ToolOutcome]],
        told: Iterable[ToldSource] = (),
        before: "Recording | None" = None,
    ) -> None:
        self._before = before
        self.sources = ToldSources([*told, *_list_others(told, before)])
        self._answers: dict[str, deque[ToolOutcome]] = defaultdict(deque)
        self._sources: set[str] = set()
        for call, outcome in pairs:
            self._answers[make_pair_key(call)].append(outcome)
            if not is_computable(call, outcome):
                self._sources.add(call.name)

    def take(self, call: ToolCall) -> ToolOutcome | None:
        """The next answer to this question, the last one for ever; None where it was never asked."""
        answers = self._answers.get(make_pair_key(call))
        if not answers:
            return self._before.take(call) if self._before else None
        return answers.popleft() if len(answers) > 1 else answers[0]

    def is_source(self, name: str) -> bool:
        """Whether a tool of that name answered from outside."""
        return name in self._sources or (self._before is not None and self._before.is_source(name))


def read_pairs(steps: Iterable[Step]) -> Iterable[tuple[ToolCall, ToolOutcome]]:
    """The calls of a log with their outcomes."""
    for called in select_payloads(steps, ToolCalled):
        yield called.call, called.outcome


def make_pair_key(call: ToolCall) -> str:
    """Tool and arguments in one spelling, whatever the order of keys and the white space."""
    try:
        arguments = dump_canonical(json.loads(call.arguments or "{}")).decode()
    except (ValueError, RecursionError):  # no JSON, or numbers that canonical JSON has not
        arguments = call.arguments
    return f"{call.name} {arguments}"


def is_computable(call: ToolCall, outcome: ToolOutcome) -> bool:
    """Whether the snapshot alone decides what a call gives.

    A tool that is none of Waypool's own is a source: what it answers is not in the snapshot. A name
    that a model has made up is no source either, and is refused again.
    """
    if find_tool(call.name) is not None:
        return True
    return outcome.is_error and outcome.content.get("error", {}).get("code") == _MADE_UP


class RecordedTools:
    """The tools of a replay: the snapshot's are computed anew, sources answer as they did.

    `mark` says of the last outcome whether the original run had the same, or it is new. Without a
    recording they are the tools as they are.
    """

    def __init__(self, runner: ToolRunner, recording: Recording | None) -> None:
        self._runner, self._recording = runner, recording
        self.mark: Mark | None = None

    async def offered(self) -> list[ToolSchema]:
        """As ever; no outcome comes of it."""
        self.mark = None
        return await self._runner.offered()

    async def run(self, call: ToolCall, state: RunState) -> ToolOutcome:
        """The outcome; a `NotRecordedError` for a source that was not asked this."""
        if self._recording is None:
            return await self._runner.run(call, state)
        recorded = self._recording.take(call)
        if recorded is not None and not is_computable(call, recorded):
            self.mark = "recorded"
            return recorded.model_copy(update={"call_id": call.id, "number": state.calls + 1})
        if recorded is None and self._recording.is_source(call.name):
            raise NotRecordedError(f"{call.name} was not asked this: {call.arguments[:200]}")
        outcome = await self._runner.run(call, state)
        is_same = recorded is not None and recorded.content == outcome.content
        self.mark = "recorded" if is_same else "computed"
        return outcome


def make_recording(steps: Sequence[Step], before: Recording | None = None) -> Recording:
    """The recording of a log, and of that of the run `before` it."""
    return Recording(read_pairs(steps), read_told(steps), before)


def read_told(steps: Iterable[Step]) -> list[ToldSource]:
    """Every source that a log's planners were told of, as they were told last."""
    told: dict[str, ToldSource] = {}
    for step in steps:
        if isinstance(step.payload, ModelReplied | ToolCalled):
            for source in step.payload.sources or ():
                was_on = told.get(source.name, source).enabled
                is_on = was_on or source.enabled
                told[source.name] = source.model_copy(update={"enabled": is_on})
    return list(told.values())


def _list_others(told: Iterable[ToldSource], before: Recording | None) -> Iterable[ToldSource]:
    known = {source.name for source in told}
    return [s for s in before.sources.told if s.name not in known] if before else []

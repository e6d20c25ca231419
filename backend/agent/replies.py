"""Makes what a model sent safe to keep and to send back: own ids, valid JSON, storable text.

Providers answer every later request with a 400 once the history holds a broken call, and the
database refuses NUL and lone surrogates: both are mended here, before anything is kept.

The seam that makes a run durable: each reply and each outcome goes through it, one at a time.

A language model that says what a script says, for tests and demonstrations without a model.
"""

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from backend.agent.llm import Message, ModelError, ModelReply, Usage
from backend.tools.arguments import MAX_BYTES
from backend.tools.call import ToolCall, ToolOutcome, ToolSchema

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_HIDDEN = re.compile(r"\\u(0000|[dD][89a-fA-F])")
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")
_LONGEST_NAME = 64
_LONGEST_KEPT = 256 * 1024
"""Characters of a text or of a call's arguments that the record holds; no sound one is as long."""

_CUT = frozenset({"length", "max_tokens", "max_output_tokens"})
"""What services call an end at the token limit."""

_CUT_TEXT_KEPT = 300
"""Characters of an answer without calls that was cut off: what it rambled on about helps nobody."""

_SILENCE = "…"


def dump_json(value: object) -> str:
    """Compact JSON, byte-stable for equal values built in one order; texts stay readable."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def make_call(name: str, /, **arguments: Any) -> ToolCall:
    """One call as a model would write it; the loop gives it its id."""
    return ToolCall(id="", name=name, arguments=dump_json(arguments))


def clean_text(text: str) -> str:
    """The text without what neither UTF-8 nor the database can hold."""
    return _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)


def adopt_reply(reply: ModelReply, turn: int) -> ModelReply:
    """The reply as it is recorded: call ids of our own making, nothing that cannot be stored."""
    calls = tuple(
        ToolCall(
            id=f"call_{turn}_{index}",
            name=clean_text(call.name[:_LONGEST_KEPT]),
            arguments=_clean_arguments(call.arguments),
        )
        for index, call in enumerate(reply.calls)
    )
    reasoning = None if reply.reasoning is None else clean_text(reply.reasoning[:_LONGEST_KEPT])
    text = clean_text(reply.text[:_LONGEST_KEPT])
    return reply.model_copy(update={"calls": calls, "text": text, "reasoning": reasoning})


def list_calls(reply: ModelReply) -> tuple[ToolCall, ...]:
    """The calls to run: all of them but one that the token limit cut off, which is no call."""
    if _is_at_limit(reply) and reply.calls and not _is_object(reply.calls[-1].arguments):
        return reply.calls[:-1]
    return reply.calls


def is_cut(reply: ModelReply, calls: tuple[ToolCall, ...]) -> bool:
    """Whether the token limit ended the reply before a call was whole: neither talk nor a call."""
    return _is_at_limit(reply) and not calls


def _is_at_limit(reply: ModelReply) -> bool:
    return (reply.finish_reason or "").lower() in _CUT


def remember_reply(reply: ModelReply, calls: tuple[ToolCall, ...]) -> Message:
    """The reply as the history keeps it: every call with a sendable name and a JSON object.

    An assistant's message with neither text nor calls is refused, so silence is written down.
    """
    text = reply.text[:_CUT_TEXT_KEPT] if is_cut(reply, calls) else reply.text
    return Message(
        role="assistant",
        content=text if text or calls else _SILENCE,
        calls=tuple(_make_sendable(call) for call in calls),
        reasoning=reply.reasoning,
    )


def remember_outcome(outcome: ToolOutcome) -> Message:
    """The answer to one call as the history keeps it."""
    return Message(
        role="tool", content=clean_text(dump_json(outcome.content)), call_id=outcome.call_id
    )


def _make_sendable(call: ToolCall) -> ToolCall:
    is_kept = len(call.arguments) <= MAX_BYTES and _is_object(call.arguments)
    arguments = call.arguments if is_kept else "{}"
    name = _NOT_IN_NAMES.sub("_", call.name)[:_LONGEST_NAME] or "unnamed"
    return ToolCall(id=call.id, name=name, arguments=arguments)


def _clean_arguments(raw: str) -> str:
    """The raw text, cut where it is endless; blank is `{}`; escapes that would parse to unstorable text are replaced."""
    text = clean_text(raw[:_LONGEST_KEPT])
    if not text.strip():
        return "{}"
    if not _HIDDEN.search(text):
        return text
    value = _parse(text)
    return text if value is None else dump_json(_clean_value(value))


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        return {clean_text(key): _clean_value(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_clean_value(inner) for inner in value]
    return value


def _is_object(text: str) -> bool:
    return isinstance(_parse(text), dict)


def _parse(text: str) -> Any:
    """The JSON value, None where the text is none (or one too deep or long to be meant)."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None


def _refuse_constant(name: str) -> None:
    """NaN and the infinities are Python's, not JSON's."""
    raise ValueError(name)


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


def calls(name: str, /, **arguments: Any) -> ModelReply:
    """A reply that asks for one call: `calls("list_pois", city="beijing")`."""
    return several(make_call(name, **arguments))


def raw_call(name: str, arguments: str) -> ModelReply:
    """A reply whose one call has these arguments, valid JSON or not."""
    return several(ToolCall(id="", name=name, arguments=arguments))


def several(*wanted: ToolCall) -> ModelReply:
    """A reply that asks for several calls in one turn."""
    return ModelReply(calls=wanted, usage=Usage(input_tokens=100, output_tokens=10))


def says(text: str) -> ModelReply:
    """A reply that only talks."""
    return ModelReply(text=text, usage=Usage(input_tokens=100, output_tokens=10))


@dataclass
class ScriptedLlm:
    """Plays its script, one entry a turn; an error in it is raised.

    The turn is counted from the conversation, not by the object, so that a resumed run goes on
    where it was. `heard` keeps what it was asked, for assertions. After the last entry it says
    nothing, like a model that has given up.
    """

    script: Iterable[ModelReply | ModelError]
    heard: list[tuple[Message, ...]] = field(default_factory=list)
    offered: list[tuple[str, ...]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.script = tuple(self.script)

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> ModelReply:
        """The entry for this turn of the conversation."""
        self.heard.append(tuple(messages))
        self.offered.append(tuple(tool.name for tool in tools))
        turn = sum(message.role == "assistant" for message in messages)
        entries = tuple(self.script)
        entry = entries[turn] if turn < len(entries) else says("")
        if isinstance(entry, ModelError):
            raise entry
        return entry

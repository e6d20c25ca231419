"""Measures what is sent to a model, part by part, with a real tokenizer.

A message is measured once, when it is first sent: nothing that was sent is ever changed.

Why a run's agent stops, and the stop limits that its snapshot's parameters set.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from backend.agent.llm import Message, ModelReply, Sent, Size, Usage, add_sizes
from backend.agent.replies import dump_json
from backend.params.registry import ParamValue, default_values
from backend.results.values import count_tokens
from backend.tools.call import ToolSchema

TOKENIZER = "o200k_base"
_KNOWN_MODELS = ("gpt-4o", "gpt-4.1", "gpt-4.5", "gpt-5", "chatgpt", "o1", "o3", "o4")


def measure(text: str) -> Size:
    """The sizes of a text."""
    return Size(bytes=len(text.encode()), characters=len(text), tokens=count_tokens(text))


def is_estimate(model: str) -> bool:
    """Whether the model has another tokenizer than ours, or one that nobody knows."""
    return not model.lower().rsplit("/", 1)[-1].startswith(_KNOWN_MODELS)


class Ledger:
    """The account of one conversation; requests are told to it in order."""

    def __init__(self) -> None:
        self._parts: dict[str, Size] = {}
        self._tools = ""
        self._counted = 0
        self._names: dict[str, str] = {}
        self._reported = Usage()
        self._at_report = 0

    def open_request(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> Sent:
        """The request that is about to be made: all messages so far, and the tools offered."""
        before = dict(self._parts)
        offered = dump_json([tool.model_dump() for tool in tools])
        if offered != self._tools:
            self._tools, self._parts["tools"] = offered, measure(offered)
        self.add_messages(messages)
        return Sent(parts=dict(self._parts), fresh=_subtract(self._parts, before))

    def add_messages(self, messages: Sequence[Message]) -> None:
        """Count those that were not counted before; the conversation only grows."""
        for message in messages[self._counted :]:
            part = self._name_part(message)
            self._parts[part] = self._parts.get(part, Size()) + measure(_write(message))
        self._counted = len(messages)

    def note_reply(self, reply: ModelReply) -> None:
        """What the service said that the last request took; a recorded reply tells of its tools."""
        if reply.sent is not None:
            self._parts.setdefault("tools", reply.sent.parts.get("tools", Size()))
        self._reported, self._at_report = reply.usage, self.total.tokens

    @property
    def total(self) -> Size:
        """The context as it stands."""
        return add_sizes(self._parts.values())

    @property
    def parts(self) -> dict[str, Size]:
        """The context as it stands, by part."""
        return dict(self._parts)

    @property
    def expected_tokens(self) -> int:
        """What the next request will take: by the service's count of the last one where it gave one.

        A tokenizer that is not ours shows in that count.
        """
        own = self.total.tokens
        if not self._reported.input_tokens:
            return own
        return max(own, self._reported.input_tokens + own - self._at_report)

    def _name_part(self, message: Message) -> str:
        if message.role == "system":
            return "system"
        if message.role == "user":
            return "request" if "request" not in self._parts else "nudge"
        if message.role == "tool":
            return f"tool:{self._names.get(message.call_id or '', 'unknown')}"
        self._names |= {call.id: call.name for call in message.calls}
        return "model"


def _write(message: Message) -> str:
    calls = "".join(f"{call.name}{call.arguments}" for call in message.calls)
    return f"{message.content}{calls}"


def _subtract(after: dict[str, Size], before: dict[str, Size]) -> dict[str, Size]:
    fresh = {}
    for part, size in after.items():
        old = before.get(part, Size())
        if size != old:
            fresh[part] = Size(
                bytes=max(0, size.bytes - old.bytes),
                characters=max(0, size.characters - old.characters),
                tokens=max(0, size.tokens - old.tokens),
            )
    return fresh


class StopReason(StrEnum):
    """One word for each way in which the turn loop ends."""

    SUBMITTED = "submitted"
    MAX_TURNS = "max_turns"
    MAX_TOKENS = "max_tokens"
    MAX_TOOL_CALLS = "max_tool_calls"
    MAX_SECONDS = "max_seconds"
    CONTEXT_BUDGET = "context_budget"
    NO_PROGRESS = "no_progress"
    ANSWER_CUT = "answer_cut"
    MODEL_FAILED = "model_failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True)
class StopLimits:
    """How much one run may use: model replies, calls, tokens in and out, seconds of wall time.

    `context` bounds the tokens of a single request.
    """

    turns: int
    tool_calls: int
    tokens: int
    seconds: int
    context: int


def read_stop_limits(params: Mapping[str, ParamValue]) -> StopLimits:
    """The stop limits of a snapshot's parameters; one it lacks has its default."""
    values = {**default_values(), **params}

    def read(key: str) -> int:
        value = values[key]
        assert isinstance(value, int)
        return value

    return StopLimits(
        turns=read("AGENT_MAX_TURNS"),
        tool_calls=read("AGENT_MAX_TOOL_CALLS"),
        tokens=read("AGENT_MAX_TOKENS"),
        seconds=read("AGENT_MAX_SECONDS"),
        context=read("CONTEXT_TOKEN_BUDGET"),
    )

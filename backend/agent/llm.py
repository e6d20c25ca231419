"""The seam to a language model, or to whatever plays its part: messages and schemas in, a reply out."""

import json
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import cached_property
from typing import Any, Literal, Protocol

from pydantic import BaseModel, ConfigDict

from backend.errors import WaypoolError
from backend.tools.call import ToolCall, ToolSchema


class Spoken(BaseModel):
    """A frozen value of a conversation."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Message(Spoken):
    """One message: `calls` stand with role assistant, `call_id` with role tool."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    calls: tuple[ToolCall, ...] = ()
    call_id: str | None = None
    reasoning: str | None = None

    @cached_property
    def value(self) -> Any:
        """The content of a message that is JSON, parsed once: a conversation is read every turn."""
        return json.loads(self.content)


class Usage(Spoken):
    """Tokens that a reply cost; `cached_tokens` are part of `input_tokens`."""

    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        """Totals of both."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
        )


class Size(Spoken):
    """How long a text is, in UTF-8 bytes, characters and tokens."""

    bytes: int = 0
    characters: int = 0
    tokens: int = 0

    def __add__(self, other: "Size") -> "Size":
        """Both together."""
        return Size(
            bytes=self.bytes + other.bytes,
            characters=self.characters + other.characters,
            tokens=self.tokens + other.tokens,
        )


class Sent(Spoken):
    """One request by parts: `system`, `tools`, `request`, `model`, `nudge`, and `tool:NAME` each.

    `fresh` is what no request before it held.
    """

    parts: dict[str, Size]
    fresh: dict[str, Size]

    @property
    def total(self) -> Size:
        """The whole request."""
        return add_sizes(self.parts.values())


def add_sizes(sizes: Iterable[Size]) -> Size:
    """All together."""
    return sum(sizes, Size())


class ModelReply(Spoken):
    """What came back: text, calls, or both; `finish_reason` is the provider's word, not trusted.

    The loop fills in `elapsed`, seconds of the agent's time at which the reply was there, and
    `sent`, what the request held.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    finish_reason: str | None = None
    reasoning: str | None = None
    elapsed: float = 0.0
    sent: Sent | None = None


class ToolProgress(Spoken):
    """A call that is being written: its tool, and how much of its arguments is there."""

    tool: str
    characters: int


class Progress(Spoken):
    """How far a reply is while it comes; a new `attempt` begins the reply anew."""

    text: str = ""
    calls: tuple[ToolProgress, ...] = ()
    attempt: int = 1


Hear = Callable[[Progress], Awaitable[None]]
"""Somebody who wants to know how a reply comes along; called often, so it decides what to tell."""


class ModelError(WaypoolError):
    """The model gave no usable reply; `code` says why (MODEL_TIMEOUT, MODEL_QUOTA, …)."""

    code = "MODEL_FAILED"


class LlmClient(Protocol):
    """Asks a model; raises `ModelError` where it gives no usable reply."""

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> ModelReply:
        """One reply to the conversation so far."""
        ...

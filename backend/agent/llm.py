"""The seam to a language model, or to whatever plays its part: messages and schemas in, a reply out.

Which failed requests are tried again, and after how long; the longest wait is bounded.
"""

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
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


LONGEST_WAIT_SECONDS = 30.0
"""A service that asks for more has a worker wait for nothing; the caller may come back later."""


PATIENCE_SECONDS = 150.0
"""No attempt begins later than this after the first: the step would hold its worker for too long."""


@dataclass
class AttemptError(Exception):
    """One request failed; `may_pass` says that the same one may succeed after `wait` seconds.

    Without `wait` the service named no time.
    """

    error: ModelError
    may_pass: bool = False
    wait: float | None = None


@dataclass(frozen=True)
class Retries:
    """How often and how patiently; the delay doubles, and half of it is chance (jitter)."""

    attempts: int = 4
    first_delay: float = 0.5
    longest_delay: float = 8.0
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    draw: Callable[[], float] = random.random
    patience: float = PATIENCE_SECONDS
    clock: Callable[[], float] = time.monotonic

    async def run(self, attempt: Callable[[int], Awaitable[ModelReply]]) -> ModelReply:
        """The first reply that comes; the last error where none does. Attempts count from 1."""
        began = self.clock()
        for number in range(1, self.attempts):
            try:
                return await attempt(number)
            except AttemptError as failure:
                delay = self._choose_delay(number - 1, failure)
                if delay is None or self.clock() + delay > began + self.patience:
                    raise failure.error from failure
            await self.pause(delay)
        try:
            return await attempt(self.attempts)
        except AttemptError as failure:
            raise failure.error from failure

    def _choose_delay(self, number: int, failure: AttemptError) -> float | None:
        """Seconds before the next attempt, None where there should be none.

        A time that the service names is a lower bound: jitter only adds to it.
        """
        if not failure.may_pass or (failure.wait or 0) > LONGEST_WAIT_SECONDS:
            return None
        delay = min(self.longest_delay, self.first_delay * (1 << number))
        jittered = delay / 2 * (1 + self.draw())
        return jittered if failure.wait is None else failure.wait + jittered / 2

"""The seam to a language model, or to whatever plays its part: messages and schemas in, a reply out."""

from collections.abc import Sequence
from typing import Literal, Protocol

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


class ModelReply(Spoken):
    """What came back: text, calls, or both; `finish_reason` is the provider's word, not trusted.

    `elapsed` is filled in by the loop: seconds of the agent's time at which the reply was there.
    """

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    usage: Usage = Usage()
    finish_reason: str | None = None
    reasoning: str | None = None
    elapsed: float = 0.0


class ModelError(WaypoolError):
    """The model gave no usable reply; `code` says why (MODEL_TIMEOUT, MODEL_QUOTA, …)."""

    code = "MODEL_FAILED"


class LlmClient(Protocol):
    """Asks a model; raises `ModelError` where it gives no usable reply."""

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> ModelReply:
        """One reply to the conversation so far."""
        ...

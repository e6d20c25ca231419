"""A language model that says what a script says, for tests and demonstrations without a model."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from backend.agent.llm import Message, ModelError, ModelReply, Usage
from backend.agent.replies import make_call
from backend.tools.call import ToolCall, ToolSchema


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

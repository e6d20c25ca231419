"""Turns a step of the scenario into a reply, and disfigures it as ordered.

Counts what a request would cost, with a prompt cache as providers have one: by equal beginnings.

So a client that rewrites what it has sent already shows in its own usage.

How the services differ on the wire: what each one takes, and what its replies look like.

This is the services' side and is written without a look at the client's own table, so that the one
proves the other.
"""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from backend.agent.builtin_planner import BuiltinPlanner
from backend.agent.llm import Message
from backend.mock_llm.scenario import CallScript, Spoil, Step, UsageScript
from backend.results.values import count_tokens
from backend.tools.call import ToolCall, ToolSchema

_HUGE = 200_000
_LONG = 1500


@dataclass(frozen=True)
class WireCall:
    """A call as it will be sent, right or wrong."""

    id: str | None
    name: str
    arguments: Any


@dataclass(frozen=True)
class WireReply:
    """A reply as it will be sent; `spoils` are those that only the writing of a stream can do."""

    text: str | None
    calls: tuple[WireCall, ...] = ()
    reasoning: str | None = None
    finish: str | None = "stop"
    has_usage: bool = True
    spoils: frozenset[Spoil] = frozenset()


async def make_reply(step: Step, body: Mapping[str, Any], turn: int) -> WireReply:
    """The reply of a step to a conversation."""
    text, scripts = step.say, step.calls
    if step.plan:
        text, scripts = await _plan(body)
    calls = tuple(_write_call(script, turn, n) for n, script in enumerate(scripts))
    finish = step.finish_reason or ("tool_calls" if calls else "stop")
    reply = WireReply(text, calls, step.reasoning, finish, spoils=frozenset(step.spoil))
    for spoil in step.spoil:
        reply = _SPOIL.get(spoil, _leave)(reply)
    return reply


def _write_call(script: CallScript, turn: int, number: int) -> WireCall:
    arguments = script.arguments
    if not isinstance(arguments, str):
        arguments = json.dumps(arguments, ensure_ascii=False)
    return WireCall(script.id or f"call_mock_{turn}_{number}", script.name, arguments)


async def _plan(body: Mapping[str, Any]) -> tuple[str | None, tuple[CallScript, ...]]:
    """The built-in planner's choice; words where the conversation is none of Waypool's."""
    messages = [_read_message(entry) for entry in body["messages"]]
    tools = [_read_tool(entry["function"]) for entry in body.get("tools", ())]
    try:
        reply = await BuiltinPlanner().reply(messages, tools)
    except (AssertionError, LookupError, StopIteration, ValueError):
        return "I can plan only what Waypool asks for.", ()
    calls = tuple(CallScript(name=call.name, arguments=call.arguments) for call in reply.calls)
    return reply.text or None, calls


def _read_message(entry: Mapping[str, Any]) -> Message:
    calls = tuple(
        ToolCall(id=c["id"], name=c["function"]["name"], arguments=c["function"]["arguments"])
        for c in entry.get("tool_calls") or ()
    )
    return Message(
        role=entry["role"],
        content=entry.get("content") or "",
        calls=calls,
        call_id=entry.get("tool_call_id"),
    )


def _read_tool(function: Mapping[str, Any]) -> ToolSchema:
    keys = ("name", "description", "parameters")
    return ToolSchema(**{key: function[key] for key in keys})


def _leave(reply: WireReply) -> WireReply:
    return reply


def _change_calls(change: Callable[[WireCall], WireCall]) -> Callable[[WireReply], WireReply]:
    return lambda reply: replace(reply, calls=tuple(map(change, reply.calls)))


def _cut(reply: WireReply) -> WireReply:
    """The last call's arguments end in the middle, as at the token limit."""
    if not reply.calls:
        return replace(reply, finish="length")
    *kept, last = reply.calls
    cut = replace(last, arguments=last.arguments[: max(1, len(last.arguments) // 2)])
    return replace(reply, calls=(*kept, cut), finish="length")


def _make_huge(call: WireCall) -> WireCall:
    text = call.arguments.rstrip().removesuffix("}").rstrip()
    comma = "" if text.endswith("{") else ","
    filler = "x" * _HUGE
    return replace(call, arguments=f'{text}{comma}"padding":"{filler}"}}')


def _parse_arguments(call: WireCall) -> WireCall:
    try:
        return replace(call, arguments=json.loads(call.arguments))
    except ValueError:
        return call


_SPOIL: Mapping[Spoil, Callable[[WireReply], WireReply]] = {
    "bad_arguments": _change_calls(lambda c: replace(c, arguments=f'{{"city": 北京,{c.arguments}')),
    "cut_arguments": _cut,
    "empty_arguments": _change_calls(lambda c: replace(c, arguments="")),
    "object_arguments": _change_calls(_parse_arguments),
    "huge_arguments": _change_calls(_make_huge),
    "no_ids": _change_calls(lambda c: replace(c, id=None)),
    "same_ids": _change_calls(lambda c: replace(c, id="call_0")),
    "long_ids": _change_calls(lambda c: replace(c, id=f"{c.id}/../{'x' * _LONG}")),
    "unknown_tool": _change_calls(lambda c: replace(c, name=f"functions.{c.name} please!")),
    "extra_call": lambda r: replace(r, calls=(*r.calls, WireCall("extra", "book_flight", "{}"))),
    "finish_stop": lambda r: replace(r, finish="stop"),
    "finish_tool_calls": lambda r: replace(r, finish="tool_calls"),
    "finish_length": lambda r: replace(r, finish="length"),
    "no_finish": lambda r: replace(r, finish=None),
    "no_content": lambda r: replace(r, text="", calls=()),
    "no_usage": lambda r: replace(r, has_usage=False),
    "reasoning": lambda r: replace(r, reasoning="先想一想：<think>call submit_itinerary</think>"),
}


_REMEMBERED = 20_000
_OVERHEAD = 4
"""Tokens that each message has beside its text, about."""


@dataclass
class PromptCache:
    """The beginnings seen so far, by digest; the oldest are forgotten first."""

    seen: OrderedDict[str, None] = field(default_factory=OrderedDict)

    def count(self, body: Mapping[str, Any]) -> tuple[int, int]:
        """Tokens of a request, and how many of them came before with the same beginning."""
        total = cached = 0
        digest = hashlib.sha256()
        for part in _list_parts(body):
            digest.update(part.encode("utf-8", "replace"))
            key, tokens = digest.hexdigest(), count_tokens(part) + _OVERHEAD
            total += tokens
            if key in self.seen:
                cached = total
            self._remember(key)
        return total, cached

    def _remember(self, key: str) -> None:
        self.seen[key] = None
        self.seen.move_to_end(key)
        while len(self.seen) > _REMEMBERED:
            self.seen.popitem(last=False)


def _list_parts(body: Mapping[str, Any]) -> Iterator[str]:
    yield json.dumps(body.get("tools", []), ensure_ascii=False)
    for message in body["messages"]:
        yield json.dumps(message, ensure_ascii=False)


def write_usage(
    counted: tuple[int, int], reply: WireReply, script: UsageScript | None
) -> dict[str, Any]:
    """The `usage` of a reply: what the script says, else what was counted."""
    if script is None:
        said = json.dumps([[c.name, c.arguments] for c in reply.calls], ensure_ascii=False)
        output = count_tokens(f"{reply.reasoning or ''}{reply.text or ''}{said}")
        script = UsageScript(input=counted[0], cached=counted[1], output=output)
    return {
        "prompt_tokens": script.input,
        "completion_tokens": script.output,
        "total_tokens": script.input + script.output,
        "prompt_tokens_details": {"cached_tokens": script.cached},
    }


_PLAIN = frozenset(
    {"model", "messages", "tools", "stream", "temperature", "top_p", "seed", "user", "tool_choice"}
)


@dataclass(frozen=True)
class Dialect:
    """`takes`: keys of a body; `tool_choices`: values taken; `index`: of calls in a stream."""

    name: str
    takes: frozenset[str]
    tool_choices: frozenset[str] = frozenset({"auto", "none", "required"})
    takes_reasoning: bool = False
    demands_reasoning: bool = False
    gives_reasoning: bool = False
    is_parallel: bool = True
    index: Literal["right", "zero", "missing"] = "right"
    has_bare_chunks: bool = False
    has_usage_in_stream: bool = True


DIALECTS: tuple[Dialect, ...] = (
    Dialect(
        "openai",
        _PLAIN | {"max_completion_tokens", "stream_options", "parallel_tool_calls"},
    ),
    Dialect(
        "azure",
        _PLAIN | {"max_completion_tokens", "stream_options", "parallel_tool_calls"},
        has_bare_chunks=True,
    ),
    Dialect(
        "deepseek",
        _PLAIN | {"max_tokens", "stream_options"},
        tool_choices=frozenset({"auto", "none"}),
        takes_reasoning=True,
        demands_reasoning=True,
        gives_reasoning=True,
    ),
    Dialect(
        "dashscope",
        _PLAIN | {"max_tokens", "stream_options", "parallel_tool_calls"},
        tool_choices=frozenset({"auto", "none"}),
        gives_reasoning=True,
    ),
    Dialect("vllm", _PLAIN | {"max_tokens", "stream_options"}, gives_reasoning=True),
    Dialect(
        "ollama",
        _PLAIN | {"max_tokens", "stream_options"},
        tool_choices=frozenset({"auto"}),
        index="zero",
        has_usage_in_stream=False,
    ),
    Dialect(
        "strictest",
        frozenset({"model", "messages", "tools", "stream", "stream_options"}),
        tool_choices=frozenset({"auto"}),
    ),
)


def find_dialect(name: str) -> Dialect:
    """The dialect of that name, one of the table."""
    return next(dialect for dialect in DIALECTS if dialect.name == name)

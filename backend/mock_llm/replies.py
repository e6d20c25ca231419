"""Turns a step of the scenario into a reply, and disfigures it as ordered."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from backend.agent.builtin_planner import BuiltinPlanner
from backend.agent.llm import Message
from backend.mock_llm.scenario import CallScript, Spoil, Step
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

"""Checks a request as the strictest of the OpenAI-compatible servers would, and names every fault."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from backend.mock_llm.replies import Dialect

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_LONGEST_ID = 40
_KEYS: Mapping[str, frozenset[str]] = {
    "system": frozenset({"role", "content"}),
    "user": frozenset({"role", "content"}),
    "assistant": frozenset({"role", "content", "tool_calls"}),
    "tool": frozenset({"role", "content", "tool_call_id"}),
}
_MAY_FOLLOW: Mapping[str, frozenset[str]] = {
    "": frozenset({"system", "user"}),
    "system": frozenset({"user"}),
    "user": frozenset({"assistant"}),
    "assistant": frozenset({"user", "tool"}),
    "tool": frozenset({"tool", "assistant", "user"}),
}


def check_request(body: Any, dialect: Dialect) -> list[str]:
    """All faults, in words; none where every server would take it."""
    if not isinstance(body, Mapping):
        return ["the body is no JSON object"]
    messages = body.get("messages")
    faults = list(_check_head(body, dialect))
    if not isinstance(messages, list) or not messages:
        return [*faults, "messages: a list with at least one is needed"]
    return [*faults, *_check_messages(messages, dialect), *_check_tools(body)]


def _check_head(body: Mapping[str, Any], dialect: Dialect) -> Iterator[str]:
    if not isinstance(body.get("model"), str) or not body["model"]:
        yield "model: a name is needed"
    for key in body:
        if key not in dialect.takes:
            yield f"{key}: not taken by {dialect.name}"
    if "stream_options" in body and body.get("stream") is not True:
        yield "stream_options: only with stream"
    if "tool_choice" in body and not body.get("tools"):
        yield "tool_choice: only with tools"
    if body.get("tool_choice", "auto") not in dialect.tool_choices:
        yield f"tool_choice: {body['tool_choice']!r} is not taken by {dialect.name}"


def _check_messages(messages: Sequence[Any], dialect: Dialect) -> Iterator[str]:
    before, waiting, used = "", list[str](), set[str]()
    for number, message in enumerate(messages):
        where = f"messages[{number}]"
        if not isinstance(message, Mapping) or message.get("role") not in _KEYS:
            yield f"{where}: no message with a known role"
            return
        role = message["role"]
        yield from _check_message(where, message, dialect)
        if role == "tool":
            yield from _check_answer(where, message, waiting)
        else:
            yield from (f"{where}: call {call!r} has no answer" for call in waiting)
            waiting = []
        if role not in _MAY_FOLLOW[before] and role != "tool":
            yield f"{where}: {role} may not follow {before or 'nothing'}"
        if role == "assistant":
            waiting = [*_list_ids(message)]
            yield from _check_ids(where, waiting, used)
        before = role
    yield from (f"the end: call {call!r} has no answer" for call in waiting)
    if before not in {"user", "tool"}:
        yield f"the last message is of role {before}: nothing is asked"


def _check_message(where: str, message: Mapping[str, Any], dialect: Dialect) -> Iterator[str]:
    role, content = message["role"], message.get("content")
    known = _KEYS[role] | ({"reasoning_content"} if dialect.takes_reasoning else frozenset())
    yield from (f"{where}.{key}: unknown" for key in message if key not in known)
    calls = message.get("tool_calls")
    if not isinstance(content, str) and not (content is None and role == "assistant" and calls):
        yield f"{where}.content: a text is needed"
    elif not content and not calls:
        yield f"{where}.content: empty"
    if isinstance(content, str) and not _is_sound(content):
        yield f"{where}.content: holds NUL or half a surrogate pair"
    if role == "assistant" and "tool_calls" in message:
        yield from _check_calls(where, message, dialect)


def _check_calls(where: str, message: Mapping[str, Any], dialect: Dialect) -> Iterator[str]:
    calls = message["tool_calls"]
    if not isinstance(calls, list) or not calls:
        yield f"{where}.tool_calls: a list with at least one, or no such key"
        return
    if dialect.demands_reasoning and not isinstance(message.get("reasoning_content"), str):
        yield f"{where}.reasoning_content: has to come back with the calls"
    if len(calls) > 1 and not dialect.is_parallel:
        yield f"{where}.tool_calls: more than one"
    for number, call in enumerate(calls):
        place = f"{where}.tool_calls[{number}]"
        function = call.get("function") if isinstance(call, Mapping) else None
        if not isinstance(function, Mapping) or call.get("type") != "function":
            yield f"{place}: no call of a function"
        elif set(call) != {"id", "type", "function"} or set(function) != {"name", "arguments"}:
            yield f"{place}: keys beside id, type, function.name and function.arguments"
        else:
            yield from _check_function(place, function)


def _check_function(place: str, function: Mapping[str, Any]) -> Iterator[str]:
    if not isinstance(function["name"], str) or not _NAME.fullmatch(function["name"]):
        yield f"{place}.name: letters, digits, _ and -, at most 64"
    if not _is_object(function["arguments"]):
        yield f"{place}.arguments: no text that holds a JSON object"


def _check_answer(where: str, message: Mapping[str, Any], waiting: list[str]) -> Iterator[str]:
    """The answer to the call that waits longest; it is taken off `waiting`."""
    call = message.get("tool_call_id")
    if call not in waiting:
        yield f"{where}: answers no open call ({call!r})"
        return
    if waiting[0] != call:
        yield f"{where}: answers {call!r} before {waiting[0]!r}"
    waiting.remove(str(call))


def _list_ids(message: Mapping[str, Any]) -> Iterator[str]:
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        yield str(call.get("id") or "") if isinstance(call, Mapping) else ""


def _check_ids(where: str, ids: Sequence[str], used: set[str]) -> Iterator[str]:
    for call in ids:
        if not call or len(call) > _LONGEST_ID:
            yield f"{where}: an id has 1 to {_LONGEST_ID} characters, not {call[:60]!r}"
        if call in used:
            yield f"{where}: id {call!r} comes twice"
        used.add(call)


def _check_tools(body: Mapping[str, Any]) -> Iterator[str]:
    if "tools" not in body:
        return
    tools = body["tools"]
    if not isinstance(tools, list) or not tools:
        yield "tools: a list with at least one, or no such key"
        return
    names = set[str]()
    for number, tool in enumerate(tools):
        function = tool.get("function") if isinstance(tool, Mapping) else None
        if not isinstance(function, Mapping):
            yield f"tools[{number}]: no function"
            continue
        name = str(function.get("name"))
        if not _NAME.fullmatch(name) or name in names:
            yield f"tools[{number}]: a name of its own is needed, not {name!r}"
        names.add(name)
        yield from _check_schema(f"tools[{number}]", function)


def _check_schema(where: str, function: Mapping[str, Any]) -> Iterator[str]:
    schema = function.get("parameters")
    if not isinstance(schema, Mapping) or schema.get("type") != "object":
        yield f"{where}.parameters: a schema of an object is needed"
        return
    properties = schema.get("properties", {})
    required = set(schema.get("required", ()))
    if not required <= set(properties):
        yield f"{where}.parameters: requires what is no property"
    if function.get("strict") and (
        required != set(properties) or schema.get("additionalProperties") is not False
    ):
        yield f"{where}.parameters: strict wants a closed object with all properties required"


def _is_object(text: Any) -> bool:
    try:
        return isinstance(text, str) and isinstance(
            json.loads(text, parse_constant=_refuse_constant), dict
        )
    except (ValueError, RecursionError):
        return False


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _is_sound(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= c <= "\udfff" for c in text)

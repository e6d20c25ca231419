"""Conversations as chat-completions JSON, and replies out of it, whatever a provider left out.

Gathers a stream's events into the document that the service would have sent without a stream.

Calls are told apart by id first: services leave `index` out, or send 0 for each of them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backend.agent.llm import Message, ModelError, ModelReply, Progress, ToolProgress, Usage
from backend.agent.provider_profile import ProviderProfile
from backend.agent.replies import dump_json
from backend.tools.call import ToolCall, ToolSchema


def write_request(
    model: str,
    messages: Sequence[Message],
    tools: Sequence[ToolSchema],
    profile: ProviderProfile,
    max_tokens: int | None = None,
) -> dict[str, Any]:
    """The body of one request; without tools there is no `tools` key, an empty list is refused."""
    body: dict[str, Any] = {
        "model": model,
        "messages": [_write_message(message, profile) for message in messages],
    }
    if tools:
        body["tools"] = [_write_tool(tool, profile) for tool in tools]
    if tools and profile.tool_choice is not None:
        body["tool_choice"] = profile.tool_choice
    if tools and profile.parallel_calls is not None:
        body["parallel_tool_calls"] = profile.parallel_calls
    if max_tokens is not None:
        body[profile.max_tokens_key] = max_tokens
    if profile.streams:
        body["stream"] = True
    if profile.streams and profile.asks_stream_usage:
        body["stream_options"] = {"include_usage": True}
    return body


def read_reply(document: object) -> ModelReply:
    """The first choice; a `ModelError` MODEL_BAD_REPLY where there is none."""
    choice = _first_choice(document)
    message = _mapping(choice.get("message"))
    reasoning = message.get("reasoning_content", message.get("reasoning"))
    finish = choice.get("finish_reason")
    return ModelReply(
        text=_read_text(message.get("content")),
        calls=tuple(_read_call(call) for call in _listed(message.get("tool_calls"))),
        usage=_read_usage(_mapping(document).get("usage")),
        finish_reason=finish if isinstance(finish, str) else None,
        reasoning=reasoning if isinstance(reasoning, str) else None,
    )


def _write_message(message: Message, profile: ProviderProfile) -> dict[str, Any]:
    written: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.calls:
        written["tool_calls"] = [_write_call(call) for call in message.calls]
        if profile.echoes_reasoning and message.reasoning is not None:
            written["reasoning_content"] = message.reasoning
    if message.call_id is not None:
        written["tool_call_id"] = message.call_id
    return written


def _write_call(call: ToolCall) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": call.id, "type": "function", "function": function}


def _write_tool(tool: ToolSchema, profile: ProviderProfile) -> dict[str, Any]:
    function = tool.model_dump()
    if profile.is_strict:
        function |= {"strict": True, "parameters": _require_all(function["parameters"])}
    return {"type": "function", "function": function}


def _require_all(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A strict schema: what is optional is required and may be null, which counts as left out."""
    required = set(schema["required"])
    properties = {
        name: field if name in required else {"anyOf": [field, {"type": "null"}]}
        for name, field in schema["properties"].items()
    }
    return {**schema, "properties": properties, "required": list(properties)}


def _first_choice(document: object) -> Mapping[str, Any]:
    choices = _listed(_mapping(document).get("choices"))
    if not choices or not isinstance(choices[0], Mapping):
        raise ModelError("the model's service sent no choice", code="MODEL_BAD_REPLY")
    return choices[0]


def _read_text(content: object) -> str:
    """Text as a string or as parts with a `text` each."""
    if isinstance(content, str):
        return content
    parts = (_mapping(part).get("text") for part in _listed(content))
    return "".join(part for part in parts if isinstance(part, str))


def _read_call(raw: object) -> ToolCall:
    """A call as it came; its id is replaced later, so a missing or repeated one does no harm."""
    function = _mapping(_mapping(raw).get("function"))
    name, arguments = function.get("name"), function.get("arguments")
    if arguments is None:
        arguments = ""
    elif not isinstance(arguments, str):
        arguments = dump_json(arguments)
    return ToolCall(id="", name=name if isinstance(name, str) else "", arguments=arguments)


def _read_usage(raw: object) -> Usage:
    usage = _mapping(raw)
    details = _mapping(usage.get("prompt_tokens_details"))
    cached = details.get("cached_tokens", usage.get("prompt_cache_hit_tokens"))
    return Usage(
        input_tokens=_count(usage.get("prompt_tokens")),
        cached_tokens=_count(cached),
        output_tokens=_count(usage.get("completion_tokens")),
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _listed(value: object) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


DONE = "[DONE]"


@dataclass
class SseLines:
    """Takes the lines of a server-sent stream, gives the data of each event."""

    data: list[str] = field(default_factory=list)

    def take(self, line: str) -> str | None:
        """The data of the event that this line ends, else None."""
        if line.startswith("data:"):
            self.data.append(line.removeprefix("data:").removeprefix(" "))
            return None
        if line or not self.data:
            return None
        text = "\n".join(self.data)
        self.data.clear()
        return text


@dataclass
class _GatheredCall:
    id: str | None
    index: int | None
    name: str = ""
    arguments: list[str] = field(default_factory=list)

    def add(self, function: Mapping[str, Any]) -> None:
        name, arguments = function.get("name"), function.get("arguments")
        if isinstance(name, str) and not self.name:
            self.name = name
        if isinstance(arguments, str):
            self.arguments.append(arguments)
        elif arguments is not None:
            self.arguments.append(json.dumps(arguments, ensure_ascii=False))


@dataclass
class Gathering:
    """What of a reply has come so far."""

    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    calls: list[_GatheredCall] = field(default_factory=list)
    finish: str | None = None
    usage: Any = None
    has_choices: bool = False
    is_done: bool = False

    def add(self, event: object) -> None:
        """One event; what is missing or of another shape in it is passed over."""
        if not isinstance(event, Mapping):
            return
        if event.get("usage"):
            self.usage = event["usage"]
        choices = event.get("choices")
        choice = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(choice, Mapping):
            return
        self.has_choices = True
        if isinstance(choice.get("finish_reason"), str):
            self.finish = choice["finish_reason"]
        delta = choice.get("delta") or choice.get("message")
        if isinstance(delta, Mapping):
            self._add_delta(delta)

    def show_progress(self) -> Progress:
        """How far the reply is."""
        calls = (
            ToolProgress(tool=c.name, characters=sum(map(len, c.arguments))) for c in self.calls
        )
        return Progress(text="".join(self.text), calls=tuple(calls))

    def finish_document(self) -> dict[str, Any]:
        """The whole reply; a `ModelError` where nothing came, or where it was cut off."""
        if not self.has_choices:
            raise ModelError("the model's service sent no choice", code="MODEL_BAD_REPLY")
        if not self.is_done and self.finish is None:
            raise ModelError("the model's answer broke off", code="MODEL_BAD_REPLY")
        message: dict[str, Any] = {"role": "assistant", "content": "".join(self.text)}
        if self.reasoning:
            message["reasoning_content"] = "".join(self.reasoning)
        message["tool_calls"] = [
            {"function": {"name": call.name, "arguments": "".join(call.arguments)}}
            for call in self.calls
        ]
        choice = {"message": message, "finish_reason": self.finish}
        return {"choices": [choice], "usage": self.usage}

    def _add_delta(self, delta: Mapping[str, Any]) -> None:
        if isinstance(delta.get("content"), str):
            self.text.append(delta["content"])
        reasoning = delta.get("reasoning_content", delta.get("reasoning"))
        if isinstance(reasoning, str):
            self.reasoning.append(reasoning)
        for raw in _list_calls(delta.get("tool_calls")):
            function = raw.get("function")
            self._find_call(raw).add(function if isinstance(function, Mapping) else {})

    def _find_call(self, raw: Mapping[str, Any]) -> _GatheredCall:
        """The call that a piece goes on with, else a new one."""
        call_id = raw.get("id") if isinstance(raw.get("id"), str) and raw.get("id") else None
        index = raw.get("index") if isinstance(raw.get("index"), int) else None
        function = raw.get("function")
        is_named = isinstance(function, Mapping) and bool(function.get("name"))
        found = self._find_known(call_id, index, is_named=is_named)
        if found is None:
            found = _GatheredCall(call_id, index)
            self.calls.append(found)
        return found

    def _find_known(
        self, call_id: str | None, index: int | None, *, is_named: bool
    ) -> _GatheredCall | None:
        """By id and index, where a piece that names its tool begins a new call unless both agree."""
        last = self.calls[-1] if self.calls else None
        if last is None:
            return None
        if is_named:
            same = [c for c in self.calls if call_id and c.id == call_id and c.index == index]
            is_repeated = bool(same) and not _is_whole(same[-1])
            return same[-1] if is_repeated else None
        if call_id is not None:
            return next((call for call in self.calls if call.id == call_id), None)
        if index is not None:
            return next((call for call in reversed(self.calls) if call.index == index), last)
        return last


def _is_whole(call: _GatheredCall) -> bool:
    """Whether the arguments are there: then another piece with the same id is another call."""
    try:
        json.loads("".join(call.arguments))
    except ValueError:
        return False
    return True


def _list_calls(raw: object) -> Iterator[Mapping[str, Any]]:
    for call in raw if isinstance(raw, list) else ():
        if isinstance(call, Mapping):
            yield call

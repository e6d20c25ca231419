"""Conversations as chat-completions JSON, and replies out of it, whatever a provider left out."""

from collections.abc import Mapping, Sequence
from typing import Any

from backend.agent.llm import Message, ModelError, ModelReply, Usage
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

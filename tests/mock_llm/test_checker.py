"""The strict check accepts a sound conversation and names each rule that one breaks."""

import copy
import re
from collections.abc import Callable
from typing import Any

import pytest

from backend.mock_llm.checker import check_request
from backend.mock_llm.replies import DIALECTS, find_dialect

STRICTEST = find_dialect("strictest")

Body = dict[str, Any]


def make_call(call_id: str, arguments: Any = "{}", name: str = "list_pois") -> Body:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def make_body() -> Body:
    schema = {"type": "object", "properties": {"a": {}}, "required": ["a"]}
    return {
        "model": "m",
        "messages": [
            {"role": "system", "content": "plan"},
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": "", "tool_calls": [make_call("1"), make_call("2")]},
            {"role": "tool", "content": "{}", "tool_call_id": "1"},
            {"role": "tool", "content": "{}", "tool_call_id": "2"},
            {"role": "assistant", "content": "hm"},
            {"role": "user", "content": "go on"},
        ],
        "tools": [{"type": "function", "function": {"name": "list_pois", "parameters": schema}}],
    }


def test_a_sound_conversation_is_accepted_by_all() -> None:
    for dialect in DIALECTS:
        body = make_body()
        if dialect.demands_reasoning:
            body["messages"][2]["reasoning_content"] = ""
        assert check_request(body, dialect) == []


def change(path: str, value: Any) -> Callable[[Body], None]:
    """Sets what `messages.2.content` leads to."""

    def apply(body: Body) -> None:
        *parts, last = (int(part) if part.isdecimal() else part for part in path.split("."))
        place: Any = body
        for part in parts:
            place = place[part]
        place[last] = value

    return apply


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (change("model", ""), "model: a name"),
        (change("messages", []), "at least one is needed"),
        (change("strict", True), "strict: not taken"),
        (change("tool_choice", "required"), "tool_choice: 'required' is not taken"),
        (change("stream_options", {}), "only with stream"),
        (change("messages.0.role", "poet"), "known role"),
        (change("messages.0.name", "x"), "name: unknown"),
        (change("messages.2.content", None), ""),
        (change("messages.5.content", ""), "content: empty"),
        (change("messages.5.content", "\ud800"), "half a surrogate"),
        (change("messages.5.content", None), "a text is needed"),
        (change("messages.5.role", "user"), "user may not follow tool|user may not follow user"),
        (change("messages.1.role", "assistant"), "assistant may not follow system"),
        (change("messages.2.tool_calls", []), "tool_calls: a list"),
        (change("messages.2.reasoning_content", "x"), "reasoning_content: unknown"),
        (change("messages.2.tool_calls.0.id", ""), "1 to 40 characters"),
        (change("messages.2.tool_calls.0.id", "x" * 41), "1 to 40 characters"),
        (change("messages.2.tool_calls.0.id", "2"), "comes twice"),
        (change("messages.2.tool_calls.0.index", 0), "keys beside"),
        (change("messages.2.tool_calls.0.function.arguments", '{"a": '), "JSON object"),
        (change("messages.2.tool_calls.0.function.arguments", "NaN"), "JSON object"),
        (change("messages.2.tool_calls.0.function.arguments", {}), "JSON object"),
        (change("messages.2.tool_calls.0.function.name", "a b"), "letters, digits"),
        (change("messages.3.tool_call_id", "2"), "answers '2' before '1'"),
        (change("messages.4.tool_call_id", "1"), "answers no open call"),
        (change("messages.4", {"role": "user", "content": "x"}), "'2' has no answer"),
        (change("messages.6", {"role": "assistant", "content": "x"}), "nothing is asked"),
        (change("tools", []), "tools: a list"),
        (change("tools.0.function.name", "a b"), "a name of its own"),
        (change("tools.0.function.parameters", {"type": "array"}), "schema of an object"),
        (change("tools.0.function.parameters.required", ["b"]), "no property"),
        (change("tools.0.function.strict", True), "strict wants"),
    ],
)
def test_each_broken_rule_is_named(spoil: Callable[[Body], None], said: str) -> None:
    body = copy.deepcopy(make_body())
    spoil(body)
    faults = check_request(body, STRICTEST)
    assert bool(faults) is bool(said)
    assert re.search(said, "; ".join(faults)), faults


def test_what_only_some_services_demand() -> None:
    faults = check_request(make_body(), find_dialect("deepseek"))
    assert faults == ["messages[2].reasoning_content: has to come back with the calls"]
    body = make_body() | {"max_tokens": 5}
    assert check_request(body, find_dialect("azure")) == ["max_tokens: not taken by azure"]
    assert check_request(body, find_dialect("vllm")) == []
    assert check_request([], STRICTEST) == ["the body is no JSON object"]

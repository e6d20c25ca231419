"""Whatever a model sends, what is kept and sent back is valid."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.agent.llm import ModelReply
from backend.agent.replies import adopt_reply, list_calls, remember_outcome, remember_reply
from backend.tools.call import ToolCall, ToolOutcome

RAW = st.text(alphabet=st.characters(exclude_categories=())) | st.sampled_from(
    ['{"city":"北京"}', "", " ", "[1]", "null", '{"a":NaN}', '{"a":"\\ud800"}', '{"a":"\\u0000"}']
)


def reply_with(*raw: str, finish: str | None = None) -> ModelReply:
    calls = tuple(ToolCall(id="same", name="list_pois", arguments=text) for text in raw)
    return adopt_reply(ModelReply(calls=calls, finish_reason=finish), turn=3)


def list_texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from (key, *list_texts(inner))
    elif isinstance(value, list):
        for inner in value:
            yield from list_texts(inner)


@given(st.lists(RAW, max_size=4), st.text(alphabet=st.characters(exclude_categories=())))
def test_history_is_always_valid(raw: list[str], name: str) -> None:
    sent = tuple(ToolCall(id="", name=name, arguments=text) for text in raw)
    reply = adopt_reply(ModelReply(text=name, calls=sent, reasoning=name), turn=1)
    message = remember_reply(reply, list_calls(reply))
    assert len({call.id for call in message.calls}) == len(raw)
    for call in message.calls:
        assert isinstance(json.loads(call.arguments), dict)
        assert call.name.isascii()
        assert 1 <= len(call.name) <= 64
    for kept in (reply, message):
        assert type(kept).model_validate_json(kept.model_dump_json()) == kept
    assert "\x00" not in f"{reply.text}{reply.reasoning}{message.content}"
    for call in (*reply.calls, *message.calls):
        assert "\x00" not in f"{call.name}{call.arguments}"
    for call in message.calls:
        assert not any("\x00" in text for text in list_texts(json.loads(call.arguments)))


@pytest.mark.parametrize(
    ("raw", "kept", "remembered"),
    [
        ("", "{}", "{}"),
        ('{"city": "bei', '{"city": "bei', "{}"),
        ('["beijing"]', '["beijing"]', "{}"),
        ('{"limit": NaN}', '{"limit": NaN}', "{}"),
        ('{"q": "\\ud83d\\ude00"}', '{"q":"😀"}', '{"q":"😀"}'),
        ('{"q": "\\ud83d"}', '{"q":"�"}', '{"q":"�"}'),
    ],
)
def test_raw_arguments_are_recorded_and_the_history_gets_json(
    raw: str, kept: str, remembered: str
) -> None:
    reply = reply_with(raw)
    assert reply.calls[0].arguments == kept
    assert remember_reply(reply, reply.calls).calls[0].arguments == remembered


@pytest.mark.parametrize(
    ("raw", "finish", "count"),
    [
        (("{}", '{"city": "bei'), "length", 1),
        (("{}", "{}"), "length", 2),
        (('{"city": "bei',), "tool_calls", 1),
    ],
)
def test_a_call_cut_by_the_token_limit_is_none(
    raw: tuple[str, ...], finish: str, count: int
) -> None:
    assert len(list_calls(reply_with(*raw, finish=finish))) == count


def test_outcomes_are_written_compactly_and_readably() -> None:
    content: dict[str, Any] = {"rows": [{"name": "故宫\ud800"}], "total": 1}
    outcome = ToolOutcome(call_id="call_1_0", number=1, tool="list_pois", content=content)
    assert remember_outcome(outcome).content == '{"rows":[{"name":"故宫�"}],"total":1}'

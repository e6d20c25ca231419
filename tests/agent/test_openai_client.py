"""The client against a real server: what providers do wrong ends in a reply or in a typed error."""

import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from backend.agent.llm import Message, ModelError, ModelReply, Usage
from backend.agent.openai_client import OpenAiClient
from backend.agent.retrying import Retries
from backend.tools.call import ToolCall, ToolSchema
from tests.agent.model_double import Answer, ModelDouble, call_json, complete, serve_answers

TOOL = ToolSchema(name="list_pois", description="Lists places.", parameters={"type": "object"})
ASK = (Message(role="system", content="plan"), Message(role="user", content="去北京"))
GOOD = complete({"content": "好"})


@dataclass
class Asked:
    """A client, the server it talks to, and the pauses it made."""

    client: OpenAiClient
    double: ModelDouble
    pauses: list[float] = field(default_factory=list)

    async def reply(self, *messages: Message) -> ModelReply:
        return await self.client.reply(messages or ASK, [TOOL])

    async def fail(self) -> ModelError:
        with pytest.raises(ModelError) as caught:
            await self.reply()
        return caught.value


@contextlib.asynccontextmanager
async def ask(*answers: Answer, model: str = "gpt-x", seconds: float = 20) -> AsyncIterator[Asked]:
    """A client whose pauses are noted instead of waited for."""
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    retries = Retries(pause=pause, draw=lambda: 0.5)
    async with (
        serve_answers(answers) as double,
        OpenAiClient(model, double.url, "sk-test", seconds, retries) as client,
    ):
        yield Asked(client, double, pauses)


async def test_sends_the_conversation_and_reads_reply_and_usage() -> None:
    call = call_json('{"city":"beijing"}', id="chatcmpl-tool-1")
    usage = {
        "prompt_tokens": 1200,
        "completion_tokens": 34,
        "prompt_tokens_details": {"cached_tokens": 1024},
    }
    async with ask(complete({"content": None, "tool_calls": [call]}, usage=usage)) as asked:
        reply = await asked.reply(
            *ASK,
            Message(
                role="assistant",
                content="",
                calls=(ToolCall(id="call_1_0", name="list_pois", arguments="{}"),),
                reasoning="secret",
            ),
            Message(role="tool", content='{"total":1}', call_id="call_1_0"),
        )
    assert [(c.name, c.arguments) for c in reply.calls] == [("list_pois", '{"city":"beijing"}')]
    assert reply.usage == Usage(input_tokens=1200, cached_tokens=1024, output_tokens=34)
    assert reply.text == ""
    sent = asked.double.asked[0]
    assert set(sent) == {"model", "messages", "tools"}
    assert sent["messages"][1] == {"role": "user", "content": "去北京"}
    assert sent["messages"][2]["tool_calls"][0]["id"] == "call_1_0"
    assert "reasoning_content" not in sent["messages"][2]
    assert sent["messages"][3]["tool_call_id"] == "call_1_0"
    assert sent["tools"][0]["function"]["name"] == "list_pois"
    assert "authorization: bearer sk-test" in asked.double.heads[0].lower()


@pytest.mark.parametrize(
    ("model", "echoed"), [("deepseek-chat", True), ("vendor/Kimi-K2", True), ("gpt-x", False)]
)
async def test_reasoning_is_kept_and_echoed_where_the_provider_wants_it(
    model: str, echoed: bool
) -> None:
    message = {"content": "", "reasoning_content": "", "tool_calls": [call_json("{}")]}
    async with ask(complete(message), model=model) as asked:
        first = await asked.reply()
        assert first.reasoning == ""
        said = Message(role="assistant", content="", calls=first.calls, reasoning=first.reasoning)
        await asked.reply(*ASK, said)
    assert ("reasoning_content" in asked.double.asked[1]["messages"][2]) is echoed


@pytest.mark.parametrize(
    ("call", "name", "arguments"),
    [
        (call_json('{"city": "bei'), "list_pois", '{"city": "bei'),
        (call_json(""), "list_pois", ""),
        (call_json(None), "list_pois", ""),
        (call_json({"city": "北京"}), "list_pois", '{"city":"北京"}'),
        (call_json("{}", name=None), "", "{}"),
        ({"function": None}, "", ""),
        ("nonsense", "", ""),
    ],
)
async def test_odd_calls_are_read_as_they_came(call: Any, name: str, arguments: str) -> None:
    async with ask(complete({"tool_calls": [call]})) as asked:
        reply = await asked.reply()
    assert [(c.name, c.arguments) for c in reply.calls] == [(name, arguments)]


async def test_content_in_parts_is_joined_and_missing_usage_counts_nothing() -> None:
    parts = [{"type": "text", "text": "一"}, {"type": "image"}, {"type": "text", "text": "二"}]
    async with ask(complete({"content": parts}, usage=None)) as asked:
        reply = await asked.reply()
    assert (reply.text, reply.usage) == ("一二", Usage())


async def test_rate_limit_waits_as_long_as_the_service_says() -> None:
    limited = Answer({"error": {"message": "slow down"}}, 429, (("retry-after", "7"),))
    async with ask(limited, GOOD) as asked:
        assert (await asked.reply()).text == "好"
    assert len(asked.pauses) == 1
    assert 7 < asked.pauses[0] < 8


@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ((("retry-after", "172800"),), "MODEL_QUOTA"),
        ((("retry-after", "Wed, 21 Oct 2093 07:28:00 GMT"),), "MODEL_QUOTA"),
        ((("retry-after", "90"),), "MODEL_RATE_LIMITED"),
    ],
)
async def test_long_waits_are_not_waited_for(headers: Any, code: str) -> None:
    async with ask(Answer({"error": {"message": "later"}}, 429, headers), GOOD) as asked:
        assert (await asked.fail()).code == code
    assert asked.pauses == []


@pytest.mark.parametrize(
    ("status", "error", "code"),
    [
        (429, {"code": "insufficient_quota", "message": "pay"}, "MODEL_QUOTA"),
        (402, {"message": "Insufficient Balance"}, "MODEL_QUOTA"),
        (401, {"message": "no such key"}, "MODEL_AUTH"),
        (403, {"message": "not yours"}, "MODEL_AUTH"),
        (400, {"message": "bad schema"}, "MODEL_BAD_REQUEST"),
        (404, {"message": "no such model"}, "MODEL_BAD_REQUEST"),
    ],
)
async def test_what_cannot_succeed_is_asked_once(
    status: int, error: dict[str, str], code: str
) -> None:
    async with ask(Answer({"error": error}, status), GOOD) as asked:
        failed = await asked.fail()
    assert failed.code == code
    assert error["message"] in failed.message
    assert len(asked.double.asked) == 1


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (Answer({"error": {"message": "overloaded"}}, 503), "MODEL_UNAVAILABLE"),
        (Answer("<html>bad gateway</html>", 502), "MODEL_UNAVAILABLE"),
        (Answer(hangs_up=True), "MODEL_UNAVAILABLE"),
        (Answer({"choices": []}), "MODEL_BAD_REPLY"),
        (Answer({"choices": None}), "MODEL_BAD_REPLY"),
        (Answer("[1, 2"), "MODEL_BAD_REPLY"),
        (Answer(json.dumps("text")), "MODEL_BAD_REPLY"),
        (Answer({"error": {"message": "x"}}, 429), "MODEL_RATE_LIMITED"),
    ],
)
async def test_what_may_pass_is_tried_again_a_bounded_number_of_times(
    bad: Answer, code: str
) -> None:
    async with ask(bad, GOOD) as asked:
        assert (await asked.reply()).text == "好"
    async with ask(bad) as asked:
        assert (await asked.fail()).code == code
    assert len(asked.double.asked) == 4
    assert asked.pauses == sorted(asked.pauses)
    assert sum(asked.pauses) < 10


async def test_a_hanging_service_is_a_timeout() -> None:
    async with ask(Answer(hangs=True), seconds=0.2) as asked:
        assert (await asked.fail()).code == "MODEL_TIMEOUT"
    assert len(asked.double.asked) == 1


async def test_an_unreachable_service_is_unavailable() -> None:
    async with serve_answers([GOOD]) as double:
        url = double.url
    retries = Retries(attempts=1)
    async with OpenAiClient("gpt-x", url, None, 5, retries) as client:
        with pytest.raises(ModelError) as caught:
            await client.reply(ASK, [])
    assert caught.value.code == "MODEL_UNAVAILABLE"

"""The client against a real server: what providers do wrong ends in a reply or in a typed error."""

import contextlib
import itertools
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from backend.agent.llm import (
    AttemptError,
    Message,
    ModelError,
    ModelReply,
    Progress,
    Retries,
    Usage,
)
from backend.agent.openai_client import OpenAiClient
from backend.agent.provider_profile import Endpoint, ProviderProfile, Timeouts, find_profile
from backend.mock_llm.scenario import CallScript, Fault, Scenario, Spoil, Step
from backend.mock_llm.server import MockLlm, serve_mock
from backend.tools.call import ToolCall, ToolSchema
from tests.agent.model_scripts import call_json, complete, fail_then

TOOL = ToolSchema(name="list_pois", description="Lists places.", parameters={"type": "object"})
ASK = (Message(role="system", content="plan"), Message(role="user", content="去北京"))
GOOD = complete({"content": "好"})


@dataclass
class Asked:
    """A client, the server it talks to, and the pauses it made."""

    client: OpenAiClient
    double: MockLlm
    pauses: list[float] = field(default_factory=list)
    heard: list[Progress] = field(default_factory=list)

    async def reply(self, *messages: Message) -> ModelReply:
        return await self.client.reply(messages or ASK, [TOOL])

    async def fail(self) -> ModelError:
        with pytest.raises(ModelError) as caught:
            await self.reply()
        return caught.value


PATIENT = Timeouts(answer=20)
STREAMED = find_profile("gpt-x", name="openai")


def endpoint(
    model: str, url: str, timeouts: Timeouts, profile: ProviderProfile | None = None
) -> Endpoint:
    """The double as the service of a model; nothing is known of it unless a profile is given."""
    return Endpoint(model, profile or find_profile(model, url), url, "sk-test", timeouts)


@contextlib.asynccontextmanager
async def ask(
    script: Step | Scenario,
    model: str = "gpt-x",
    timeouts: Timeouts = PATIENT,
    profile: ProviderProfile | None = None,
) -> AsyncIterator[Asked]:
    """A client whose pauses are noted instead of waited for."""
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    heard: list[Progress] = []

    async def hear(progress: Progress) -> None:
        heard.append(progress)

    retries = Retries(pause=pause, draw=lambda: 0.5)
    if isinstance(script, Step):
        script = Scenario(dialect="deepseek" if model != "gpt-x" else "openai", then=(script,))
    async with (
        serve_mock(script) as double,
        OpenAiClient(endpoint(model, double.url, timeouts, profile), retries, hear) as client,
    ):
        yield Asked(client, double, pauses, heard)


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
    sent = asked.double.seen[0].body
    assert asked.double.faults == []
    assert set(sent) == {"model", "messages", "tools"}
    assert sent["messages"][1] == {"role": "user", "content": "去北京"}
    assert sent["messages"][2]["tool_calls"][0]["id"] == "call_1_0"
    assert "reasoning_content" not in sent["messages"][2]
    assert sent["messages"][3]["tool_call_id"] == "call_1_0"
    assert sent["tools"][0]["function"]["name"] == "list_pois"
    assert asked.double.seen[0].headers["authorization"] == "Bearer sk-test"


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
        calls = tuple(call.model_copy(update={"id": "call_1_0"}) for call in first.calls)
        said = Message(role="assistant", content="", calls=calls, reasoning=first.reasoning)
        await asked.reply(*ASK, said, Message(role="tool", content="{}", call_id="call_1_0"))
    assert ("reasoning_content" in asked.double.seen[1].body["messages"][2]) is echoed
    assert asked.double.faults == []


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
    limited = Fault(kind="rate_limited", retry_after=7)
    async with ask(fail_then(limited, then=GOOD)) as asked:
        assert (await asked.reply()).text == "好"
    assert len(asked.pauses) == 1
    assert 7 < asked.pauses[0] < 8


@pytest.mark.parametrize(
    ("wait", "as_date", "code"),
    [
        (172_800, False, "MODEL_QUOTA"),
        (172_800, True, "MODEL_QUOTA"),
        (90, False, "MODEL_RATE_LIMITED"),
        (90, True, "MODEL_RATE_LIMITED"),
    ],
)
async def test_long_waits_are_not_waited_for(wait: float, as_date: bool, code: str) -> None:
    limited = Fault(kind="rate_limited", retry_after=wait, as_date=as_date)
    async with ask(fail_then(limited, then=GOOD)) as asked:
        assert (await asked.fail()).code == code
    assert asked.pauses == []


@pytest.mark.parametrize(
    ("fault", "code"),
    [
        (Fault(kind="quota", message="pay"), "MODEL_QUOTA"),
        (Fault(kind="quota", status=402, code="x", message="Insufficient Balance"), "MODEL_QUOTA"),
        (Fault(kind="unauthorized", message="no such key"), "MODEL_AUTH"),
        (Fault(kind="forbidden", message="not yours"), "MODEL_AUTH"),
        (Fault(kind="bad_request", message="bad schema"), "MODEL_BAD_REQUEST"),
        (Fault(kind="bad_request", status=404, message="no such model"), "MODEL_BAD_REQUEST"),
    ],
)
async def test_what_cannot_succeed_is_asked_once(fault: Fault, code: str) -> None:
    async with ask(fail_then(fault, then=GOOD)) as asked:
        failed = await asked.fail()
    assert failed.code == code
    assert fault.message in failed.message
    assert len(asked.double.seen) == 1


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        (Fault(kind="server_error"), "MODEL_UNAVAILABLE"),
        (Fault(kind="server_error", status=502), "MODEL_UNAVAILABLE"),
        (Fault(kind="reset"), "MODEL_UNAVAILABLE"),
        (Fault(kind="reset_midway"), "MODEL_UNAVAILABLE"),
        (Fault(kind="no_choices"), "MODEL_BAD_REPLY"),
        (Fault(kind="not_json"), "MODEL_BAD_REPLY"),
        (Fault(kind="cut_json"), "MODEL_BAD_REPLY"),
        (Fault(kind="rate_limited"), "MODEL_RATE_LIMITED"),
    ],
)
@pytest.mark.parametrize("profile", [None, STREAMED])
async def test_what_may_pass_is_tried_again_a_bounded_number_of_times(
    bad: Fault, code: str, profile: ProviderProfile | None
) -> None:
    async with ask(fail_then(bad, then=Step(say="好")), profile=profile) as asked:
        assert (await asked.reply()).text == "好"
    async with ask(Step(fail=bad), profile=profile) as asked:
        assert (await asked.fail()).code == code
    assert len(asked.double.seen) == 4
    assert asked.pauses == sorted(asked.pauses)
    assert sum(asked.pauses) < 10


@pytest.mark.parametrize("body", [{"choices": None}, "[1, 2", json.dumps("text")])
async def test_an_answer_without_a_choice_is_a_bad_reply(body: Any) -> None:
    async with ask(Step(raw=body)) as asked:
        assert (await asked.fail()).code == "MODEL_BAD_REPLY"


async def test_a_hanging_service_is_a_timeout() -> None:
    async with ask(Step(fail=Fault(kind="hang")), timeouts=Timeouts(answer=0.2)) as asked:
        assert (await asked.fail()).code == "MODEL_TIMEOUT"
        assert asked.pauses == []


async def test_an_unreachable_service_is_unavailable() -> None:
    async with serve_mock(Scenario()) as double:
        url = double.url
    retries = Retries(attempts=1)
    async with OpenAiClient(endpoint("gpt-x", url, Timeouts(connect=5)), retries) as client:
        with pytest.raises(ModelError) as caught:
            await client.reply(ASK, [])
    assert caught.value.code == "MODEL_UNAVAILABLE"


CALL = CallScript(name="list_pois", arguments={"city": "北京", "q": "博物馆" * 20})
TWO = Step(say="我来查一下。" * 9, calls=(CALL, CALL), reasoning="先想想")
SPOILS: list[Spoil] = ["no_index", "zero_index", "bare_chunks", "no_stream", "no_finish"]
SPOILS += ["finish_stop", "finish_length", "no_ids", "long_ids", "object_arguments"]


@pytest.mark.parametrize("spoil", [None, *SPOILS])
async def test_a_stream_is_read_whatever_its_pieces_lack(spoil: Spoil | None) -> None:
    step = TWO.model_copy(update={"spoil": (spoil,) if spoil else ()})
    async with ask(step, profile=STREAMED) as asked:
        reply = await asked.reply()
    assert asked.double.seen[0].body["stream"] is True
    assert [call.name for call in reply.calls] == ["list_pois"] * 2
    assert [json.loads(call.arguments) for call in reply.calls] == [CALL.arguments] * 2
    assert (reply.text, reply.reasoning) == (TWO.say, "先想想")
    assert reply.usage.output_tokens > 50
    assert asked.double.faults == []


async def test_who_listens_hears_a_stream_grow() -> None:
    async with ask(TWO, profile=STREAMED) as asked:
        await asked.reply()
    texts = [progress.text for progress in asked.heard]
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(texts))
    assert texts[-1] == TWO.say
    assert [call.tool for call in asked.heard[-1].calls] == ["list_pois"] * 2
    assert asked.heard[-1].calls[0].characters == len(
        json.dumps(CALL.arguments, ensure_ascii=False)
    )
    assert len(asked.heard) > 10


async def test_a_second_attempt_is_told_as_one() -> None:
    script = fail_then(Fault(kind="reset_midway"), then=Step(say="好"))
    async with ask(script, profile=STREAMED) as asked:
        await asked.reply()
    assert [progress.attempt for progress in asked.heard][-1] == 2


async def test_a_stream_that_does_not_begin_is_a_timeout_at_once() -> None:
    times = Timeouts(first_byte=0.2)
    async with ask(Step(fail=Fault(kind="hang")), timeouts=times, profile=STREAMED) as asked:
        failed = await asked.fail()
        assert (failed.code, asked.pauses) == ("MODEL_TIMEOUT", [])
        assert "begin" in failed.message


async def test_a_stream_that_falls_silent_is_tried_again() -> None:
    times = Timeouts(silence=0.5)
    script = fail_then(Fault(kind="hang_midway"), then=Step(say="好"))
    async with ask(script, timeouts=times, profile=STREAMED) as asked:
        assert (await asked.reply()).text == "好"
    async with ask(Step(fail=Fault(kind="hang_midway")), timeouts=times, profile=STREAMED) as asked:
        failed = await asked.fail()
        assert failed.code == "MODEL_TIMEOUT"
        assert "silent" in failed.message


async def test_a_slow_stream_may_take_longer_than_any_silence() -> None:
    times = Timeouts(first_byte=20, silence=2)
    step = Step(say="好" * 600, piece_delay_ms=100)
    async with ask(step, timeouts=times, profile=STREAMED) as asked:
        assert (await asked.reply()).text == "好" * 600
    async with ask(step, timeouts=Timeouts(answer=0.3), profile=STREAMED) as asked:
        assert (await asked.fail()).code == "MODEL_TIMEOUT"


@pytest.mark.parametrize(
    ("error", "code", "asked_times"),
    [
        ({"message": "overloaded"}, "MODEL_UNAVAILABLE", 4),
        ({"message": "pay", "code": "insufficient_quota"}, "MODEL_QUOTA", 1),
        ("down", "MODEL_UNAVAILABLE", 4),
    ],
)
async def test_an_error_in_mid_stream(error: Any, code: str, asked_times: int) -> None:
    begin = {"choices": [{"delta": {"content": "好"}}]}
    async with ask(Step(raw=[begin, {"error": error}]), profile=STREAMED) as asked:
        assert (await asked.fail()).code == code
    assert len(asked.double.seen) == asked_times


@pytest.mark.parametrize(
    "events",
    [
        [],
        ["[1, 2"],
        [{"choices": []}],
        [{"choices": [None]}, {"choices": {}}],
        ["null", {"usage": {"prompt_tokens": 1}}],
    ],
)
async def test_a_stream_without_a_choice_is_a_bad_reply(events: list[Any]) -> None:
    async with ask(Step(raw=events), profile=STREAMED) as asked:
        assert (await asked.fail()).code == "MODEL_BAD_REPLY"


async def test_pieces_of_several_calls_may_be_mixed() -> None:
    def piece(index: int, text: str, **head: Any) -> dict[str, Any]:
        function = {"arguments": text, **({"name": head.pop("name")} if "name" in head else {})}
        call = {"index": index, "function": function, **head}
        return {"choices": [{"delta": {"tool_calls": [call]}}]}

    events = [
        piece(0, "", id="a", name="one"),
        piece(1, "", id="b", name="two"),
        piece(0, '{"x":'),
        piece(1, '{"y":', id="b"),
        piece(0, "1}", id=""),
        piece(1, "2}"),
    ]
    async with ask(Step(raw=events), profile=STREAMED) as asked:
        reply = await asked.reply()
    assert [(c.name, c.arguments) for c in reply.calls] == [("one", '{"x":1}'), ("two", '{"y":2}')]


async def test_retries_end_when_patience_does() -> None:
    clock = iter([0.0, 1.0, 200.0, 200.0])
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    async def attempt(number: int) -> ModelReply:
        raise AttemptError(ModelError(str(number)), may_pass=True)

    retries = Retries(pause=pause, clock=lambda: next(clock), patience=100)
    with pytest.raises(ModelError, match="2"):
        await retries.run(attempt)
    assert len(pauses) == 1

"""The double over real HTTP: turns, attempts, faults, streams, and the report of what it saw."""

import asyncio
import email.utils
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from backend.clock import read_utc
from backend.errors import ConfigurationError
from backend.mock_llm.scenario import (
    SCENARIOS,
    CallScript,
    Chance,
    Fault,
    Scenario,
    Step,
    read_scenario,
)
from backend.mock_llm.server import MockLlm, serve_mock

ASK = {"model": "m", "messages": [{"role": "user", "content": "去北京"}]}
CALL = CallScript(name="list_pois", arguments={"city": "北京", "q": "博物馆" * 20})


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(timeout=20) as client:
        yield client


async def ask(client: httpx.AsyncClient, mock: MockLlm, **body: Any) -> httpx.Response:
    return await client.post(f"{mock.url}/chat/completions", json=ASK | body)


def continue_talk(*said: str) -> list[dict[str, str]]:
    """A conversation in which the model has talked so often."""
    messages = list(ASK["messages"])
    for text in said:
        messages += [{"role": "assistant", "content": text}, {"role": "user", "content": "go on"}]
    return messages  # type: ignore[return-value]


def read_events(text: str) -> list[Any]:
    lines = [line.removeprefix("data: ") for line in text.split("\n\n") if line]
    assert lines.pop() == "[DONE]"
    return [json.loads(line) for line in lines]


async def test_turns_are_counted_from_the_conversation_and_then_goes_round(
    client: httpx.AsyncClient,
) -> None:
    steps = Step(say="one"), Step(say="two"), Step(say="three")
    async with serve_mock(Scenario(turns=steps[:1], then=steps[1:])) as mock:
        texts = []
        for turn in (3, 0, 1, 2, 0):
            body = await ask(client, mock, messages=continue_talk(*"x" * turn))
            texts.append(body.json()["choices"][0]["message"]["content"])
    assert texts == ["two", "one", "two", "three", "one"]


async def test_attempts_are_counted_for_each_conversation(client: httpx.AsyncClient) -> None:
    first = (Fault(kind="rate_limited", retry_after=3), Fault(kind="server_error"))
    async with serve_mock(Scenario(then=(Step(say="well", first=first),))) as mock:
        answers = [await ask(client, mock) for _ in range(4)]
        other = await ask(client, mock, messages=continue_talk("x"))
    assert [answer.status_code for answer in answers] == [429, 503, 200, 200]
    assert answers[0].headers["retry-after"] == "3"
    assert other.status_code == 429


async def test_a_retry_after_may_be_a_date(client: httpx.AsyncClient) -> None:
    fault = Fault(kind="rate_limited", retry_after=86_400, as_date=True)
    async with serve_mock(Scenario(then=(Step(fail=fault),))) as mock:
        answer = await ask(client, mock)
    then = email.utils.parsedate_to_datetime(answer.headers["retry-after"])
    assert 80_000 < (then - read_utc()).total_seconds() <= 86_400


async def test_a_stream_adds_up_to_the_document(client: httpx.AsyncClient) -> None:
    step = Step(say="我来查一下地点。" * 9, calls=(CALL, CALL), reasoning="先想想" * 20)
    async with serve_mock(Scenario(dialect="openai", then=(step,))) as mock:
        whole = (await ask(client, mock)).json()
        events = read_events(
            (await ask(client, mock, stream=True, stream_options={"include_usage": True})).text
        )
    message = whole["choices"][0]["message"]
    deltas = [event["choices"][0]["delta"] for event in events if event["choices"]]
    for key in ("content", "reasoning_content"):
        assert "".join(delta.get(key, "") for delta in deltas) == message[key]
    arguments = ["", ""]
    for delta in deltas:
        for call in delta.get("tool_calls", ()):
            arguments[call["index"]] += call["function"]["arguments"]
    assert arguments == [call["function"]["arguments"] for call in message["tool_calls"]]
    assert json.loads(arguments[0])["city"] == "北京"
    usage = events[-1]["usage"]
    assert usage["completion_tokens"] == whole["usage"]["completion_tokens"] > 50
    assert usage["prompt_tokens_details"]["cached_tokens"] == usage["prompt_tokens"]
    assert len(deltas) > 10


@pytest.mark.parametrize("kind", ["reset", "reset_midway", "hang", "hang_midway"])
@pytest.mark.parametrize("stream", [False, True])
async def test_broken_answers_break(client: httpx.AsyncClient, kind: Any, stream: bool) -> None:
    async with serve_mock(Scenario(then=(Step(fail=Fault(kind=kind)),))) as mock:
        asking = asyncio.create_task(
            client.post(f"{mock.url}/chat/completions", json=ASK | {"stream": stream}, timeout=60)
        )
        if kind.startswith("hang"):
            while not mock.seen:  # noqa: ASYNC110 - the double tells nobody
                await asyncio.sleep(0.01)
            await asyncio.wait({asking}, timeout=0.2)
            assert not asking.done()
            asking.cancel()
        with pytest.raises((httpx.ReadError, httpx.RemoteProtocolError, asyncio.CancelledError)):
            await asking
    assert [seen.outcome for seen in mock.seen] == [kind]


async def test_a_request_that_breaks_a_rule_is_refused_and_reported(
    client: httpx.AsyncClient,
) -> None:
    async with serve_mock(Scenario()) as mock:
        refused = await ask(client, mock, messages=continue_talk(""))
        broken = await client.post(f"{mock.url}/chat/completions", content=b"[1, 2")
        report = (await client.get(mock.url.removesuffix("/v1") + "/report")).json()
    assert refused.status_code == broken.status_code == 400
    assert "messages[1].content: empty" in refused.json()["error"]["message"]
    assert (report["requests"], report["accepted"]) == (2, 0)
    assert report["outcomes"] == {"refused": 2}
    async with serve_mock(Scenario(is_strict=False, then=(Step(say="ok"),))) as mock:
        assert (await ask(client, mock, messages=continue_talk(""))).status_code == 200
        assert mock.report()["accepted"] == 0


async def test_a_prompt_cache_counts_equal_beginnings(client: httpx.AsyncClient) -> None:
    async with serve_mock(Scenario(then=(Step(say="ok"),))) as mock:
        first = (await ask(client, mock)).json()["usage"]
        longer = (await ask(client, mock, messages=continue_talk("ok"))).json()["usage"]
        changed = [{"role": "user", "content": "去上海"}, *continue_talk("ok")[1:]]
        other = (await ask(client, mock, messages=changed)).json()["usage"]
    assert first["prompt_tokens_details"]["cached_tokens"] == 0
    assert longer["prompt_tokens_details"]["cached_tokens"] == first["prompt_tokens"]
    assert other["prompt_tokens_details"]["cached_tokens"] < first["prompt_tokens"]


async def test_chance_is_the_same_each_time(client: httpx.AsyncClient) -> None:
    chance = Chance(rate=0.3, fault=Fault(kind="server_error"))
    scenario = Scenario(then=(Step(say="ok"),), sometimes=(chance,))
    runs = []
    for _ in range(2):
        async with serve_mock(scenario) as mock:
            answers = [
                await ask(client, mock, messages=[{"role": "user", "content": f"trip {n}"}])
                for n in range(40)
            ]
            runs.append([answer.status_code for answer in answers])
    assert runs[0] == runs[1]
    assert 2 < runs[0].count(503) < 30


async def test_other_paths(client: httpx.AsyncClient) -> None:
    async with serve_mock(Scenario()) as mock:
        assert (await client.get(f"{mock.url}/models")).json()["data"][0]["id"] == "mock"
        assert (await client.get(f"{mock.url}/nowhere")).status_code == 404
        said = (await ask(client, mock)).json()["choices"][0]["message"]["content"]
    assert "only what Waypool asks" in said


def test_a_scenario_file_is_checked_and_its_faults_named() -> None:
    for scenario in SCENARIOS:
        document = json.loads(scenario.model_dump_json(exclude_defaults=True))
        assert read_scenario(document, "x") == scenario
    bad = {"then": [{"plan": True, "say": "x"}, {"spoil": ["typo"]}], "turn": []}
    with pytest.raises(ConfigurationError) as caught:
        read_scenario(bad, "file.json")
    assert len(caught.value.details) >= 3
    assert any("/then/1/spoil" in line for line in caught.value.details)

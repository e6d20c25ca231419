"""Third-party sources in a replay: offered as they were, answered from the recording, never asked."""

from typing import Any

import pytest
from pydantic import JsonValue

from backend.agent.replies import calls
from backend.replay.live import Change, run_live
from backend.replay.playback import play_back, show_turns
from backend.replay.verify import verify
from backend.runs.log.steps import ModelReplied, Step, ToolCalled, select_payloads
from backend.runs.work.recording import RecordedTools, make_recording
from backend.tools.call import ToldSource, ToolCall, ToolOutcome
from backend.tools.context import RunState
from backend.tools.runner import ToolRunner
from backend.tools.source_tools import NotRecordedError, ToldSources
from tests.replay.runs import NOW, change, make_pool, plan, scripted

DAY: dict[str, JsonValue] = {
    "type": "object",
    "properties": {"day": {"type": "string"}},
    "required": [],
}


def tell(name: str, *, enabled: bool = True) -> ToldSource:
    return ToldSource(enabled=enabled, name=name, description="Rain?", parameters=DAY)


async def no_limits() -> dict[str, Any]:
    return {}


async def test_what_is_offered_and_suggested_are_the_sources_of_then() -> None:
    sources = ToldSources([tell("city_weather"), tell("city_news", enabled=False)])
    model = scripted(
        calls("city_wether", day="1"),
        calls("put_visit", day=1, poi_id="bj-gugong"),
        calls("submit_itinerary"),
    )
    export = await plan(llm=model, planner="openai", sources=sources)
    made = [step.payload for step in export.steps]
    told = [
        n
        for n, payload in enumerate(made)
        if isinstance(payload, ModelReplied | ToolCalled) and payload.sources is not None
    ]
    assert told == [1]  # once, since it never changes
    first = next(select_payloads(export.steps, ToolCalled))
    assert "city_weather" in first.outcome.content["error"]["allowed"]
    assert (await verify(export)).difference is None
    turns = list(show_turns(await play_back(export)))
    assert turns[0]["tools"][-1] == "city_weather"
    other = change(
        export, "/steps/1/payload/sources", [tell("city_news").model_dump()], is_sealed=True
    )
    assert (await verify(other)).check == "calls"


async def test_a_source_that_was_not_asked_this_fails_loudly() -> None:
    sources = ToldSources([tell("city_weather")])
    first = await plan(llm=scripted(calls("submit_itinerary")), planner="openai", sources=sources)
    again = scripted(calls("city_weather", day="1"))
    with pytest.raises(NotRecordedError, match="city_weather was not asked this"):
        await run_live(first, Change(), again)


def record(run: int, arguments: str, says: str) -> Step:
    call = ToolCall(id="c", name="city_weather", arguments=arguments)
    outcome = ToolOutcome(call_id="c", number=1, tool=call.name, content={"sky": says})
    told = (tell("city_weather"),)
    called = ToolCalled(planner="openai", turn=1, index=0, call=call, outcome=outcome, sources=told)
    return Step(run, called, NOW)


async def test_a_replay_of_a_replay_knows_what_the_first_run_was_told() -> None:
    first = make_recording([record(1, '{"day": "1"}', "old"), record(2, '{"day": "2"}', "rain")])
    second = make_recording([record(1, '{"day": "1"}', "clear")], first)
    tools = RecordedTools(ToolRunner(make_pool(), no_limits, None, second.sources), second)

    async def ask(arguments: str) -> Any:
        call = ToolCall(id="c", name="city_weather", arguments=arguments)
        return (await tools.run(call, RunState())).content["sky"]

    assert [schema.name for schema in await tools.offered()][-1] == "city_weather"
    assert [await ask('{"day": "1"}'), await ask('{"day":"2"}')] == ["clear", "rain"]
    with pytest.raises(NotRecordedError):
        await ask('{"day": "3"}')

"""Third-party sources in a replay: offered as they were, answered from the recording, never asked."""

from typing import Any

import pytest

from backend.agent.replies import calls
from backend.replay.live import Change, run_live
from backend.replay.playback import play_back, show_turns
from backend.replay.verify import verify
from backend.runs.log.run_log import Step
from backend.runs.work.recording import RecordedTools, make_recording
from backend.tools.call import ToolCall, ToolOutcome
from backend.tools.context import RunState
from backend.tools.runner import ToolRunner
from backend.tools.source_tools import NotRecordedError, ToldSources
from tests.replay.runs import NOW, change, make_pool, plan, scripted

DAY = {"type": "object", "properties": {"day": {"type": "string"}}, "required": []}


def tell(name: str, *, enabled: bool = True) -> dict[str, Any]:
    return {"enabled": enabled, "name": name, "description": "Rain?", "parameters": DAY}


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
    told = [n for n, step in enumerate(export.steps) if "sources" in step.payload]
    assert told == [1]  # once, since it never changes
    first = next(step for step in export.steps if step.kind == "tool_called")
    assert "city_weather" in first.payload["outcome"]["content"]["error"]["allowed"]
    assert (await verify(export)).difference is None
    turns = list(show_turns(await play_back(export)))
    assert turns[0]["tools"][-1] == "city_weather"
    other = change(export, "/steps/1/payload/sources", [tell("city_news")], is_sealed=True)
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
    pair = {"call": call.model_dump(mode="json"), "outcome": outcome.model_dump(mode="json")}
    return Step(run, "tool_called", {**pair, "sources": [tell("city_weather")]}, NOW)


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

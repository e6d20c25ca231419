"""A run made again with one thing changed; what a source said is answered from the recording."""

import asyncio
from typing import Any

import pytest

from backend.agent.builtin_planner import BuiltinPlanner
from backend.agent.replies import calls
from backend.errors import CatalogueNeededError, ConflictError, OutOfBoundsError
from backend.replay.bisect import bisect_runs, write_causes
from backend.replay.export import RunExport
from backend.replay.live import Change, run_live
from backend.replay.run_diff import diff_runs, is_same, write_diff
from backend.replay.verify import verify
from backend.runs.log.steps import ToolCalled, select_payloads
from backend.runs.work.recording import RecordedTools, Recording
from backend.tools.call import ToolCall, ToolOutcome
from backend.tools.context import RunState, ToolLimit
from backend.tools.runner import ToolRunner
from backend.tools.source_tools import NotRecordedError
from tests.replay.runs import change, make_pool, plan, scripted


@pytest.fixture(scope="module")
def sound() -> RunExport:
    return asyncio.run(plan())


async def test_without_a_change_everything_comes_out_again(sound: RunExport) -> None:
    again = await run_live(sound, Change(), BuiltinPlanner())
    assert again.run["parent_run_id"] == sound.run["id"]
    assert is_same(diff_runs(sound, again))
    marks = [called.replayed for called in select_payloads(again.steps, ToolCalled)]
    assert set(marks) == {"recorded"}
    assert (await verify(again)).verified is True


async def test_a_smaller_pool_and_a_lower_limit_are_computed_from_the_snapshot(
    sound: RunExport,
) -> None:
    wanted = Change(params={"POOL_POI_SIZE": 6}, limits={"list_pois": 3})
    again = await run_live(sound, wanted, BuiltinPlanner())
    assert len(again.snapshot.cities["beijing"].pois) == 6
    marks = [called.replayed for called in select_payloads(again.steps, ToolCalled)]
    assert "computed" in marks
    found = diff_runs(sound, again)
    assert found.params == {"POOL_POI_SIZE": [8, 6]}
    assert len(found.pool["beijing"]["pois"]["out"]) == 2
    assert found.limits["list_pois"] == [25, 3]
    text = write_diff(found)
    for line in ("params: POOL_POI_SIZE: 8 → 6", "pool of beijing: pois: out"):
        assert line in text
    assert (await verify(again)).verified is True


async def test_what_needs_the_catalogue_or_decides_nothing_is_refused(sound: RunExport) -> None:
    wanted = Change(params={"POI_PRICE_CAP_COMFORT": "1.00"})
    with pytest.raises(CatalogueNeededError):
        await run_live(sound, wanted, BuiltinPlanner())
    with pytest.raises(OutOfBoundsError, match="RESULT_TTL_SECONDS"):
        await run_live(sound, Change(params={"RESULT_TTL_SECONDS": 5}), BuiltinPlanner())


async def test_another_model_plans_on_the_same_snapshot(sound: RunExport) -> None:
    model = scripted(calls("put_visit", day=1, poi_id="bj-gugong"), calls("submit_itinerary"))
    again = await run_live(sound, Change(planner="openai"), model)
    assert again.result["planner_used"] == "openai"
    assert again.snapshot.sha256 == sound.snapshot.sha256
    found = diff_runs(sound, again)
    assert found.calls["first_difference"]["number"] == 1
    assert found.days


def make_source(arguments: str, says: str) -> tuple[ToolCall, ToolOutcome]:
    call = ToolCall(id="call_1_0", name="weather", arguments=arguments)
    return call, ToolOutcome(call_id=call.id, number=1, tool="weather", content={"sky": says})


async def test_sources_answer_by_tool_and_arguments_never_by_order() -> None:
    async def read_limits() -> dict[str, ToolLimit]:
        return {}

    recording = Recording(
        [
            make_source('{"city": "beijing", "day": 1}', "clear"),
            make_source('{"city": "xian", "day": 1}', "rain"),
            make_source('{"city": "beijing", "day": 1}', "clouds"),
        ]
    )
    tools = RecordedTools(ToolRunner(make_pool(), read_limits), recording)

    async def ask(arguments: str) -> Any:
        call = ToolCall(id="call_9_9", name="weather", arguments=arguments)
        outcome = await tools.run(call, RunState(calls=4))
        assert (outcome.call_id, outcome.number, tools.mark) == ("call_9_9", 5, "recorded")
        return outcome.content["sky"]

    assert await ask('{"day":1,"city":"xian"}') == "rain"
    assert await ask('{"day":1,"city":"beijing"}') == "clear"
    assert await ask('{ "city": "beijing", "day": 1 }') == "clouds"
    with pytest.raises(NotRecordedError, match="was not asked this"):
        await ask('{"city": "beijing", "day": 2}')
    made_up = await tools.run(ToolCall(id="c", name="fly", arguments="{}"), RunState())
    assert (made_up.is_error, tools.mark) == (True, "computed")


async def test_bisect_names_the_parameter_that_alone_makes_the_difference(
    sound: RunExport,
) -> None:
    other = await run_live(
        sound, Change(params={"POOL_POI_SIZE": 5, "POOL_TRAIN_SIZE": 7}), BuiltinPlanner()
    )
    causes = {cause.input: cause for cause in await bisect_runs(sound, other)}
    assert causes["code"].effect == "same"
    assert causes["request"].effect == "same"
    assert causes["param POOL_POI_SIZE"].effect == "explains"
    assert causes["param POOL_TRAIN_SIZE"].effect == "none"
    assert "POOL_POI_SIZE: alone makes the difference" in write_causes(list(causes.values()))


async def test_bisect_tells_a_dearer_place_from_a_tighter_request() -> None:
    whole = make_pool(budget_total="4000")
    tight = make_pool(budget_total="2500", pace="packed")
    causes = {c.input: c for c in await bisect_runs(await plan(whole), await plan(tight))}
    assert causes["request"].effect in {"explains", "none"}
    assert causes["catalogue"].effect == "same"
    dearer = whole.rows.pois["bj-gugong"].model_copy(update={"price": None, "duration_min": 400})
    rows = whole.rows.model_copy(update={"pois": {**whole.rows.pois, "bj-gugong": dearer}})
    changed = whole.model_copy(update={"rows": rows}).sealed()
    causes = {c.input: c for c in await bisect_runs(await plan(whole), await plan(changed))}
    assert causes["request"].effect == "same"
    assert causes["catalogue"].effect in {"explains", "none"}


async def test_bisect_sees_that_code_has_changed(sound: RunExport) -> None:
    days = sound.result["itinerary"]["days"]
    old = change(sound, "/result/itinerary/days/0/items", days[1]["items"], is_sealed=True)
    causes = await bisect_runs(old, sound)
    assert (causes[0].input, causes[0].effect) == ("code", "changes")


async def test_a_revision_is_not_searched_for_a_cause_that_it_cannot_show(
    sound: RunExport,
) -> None:
    payload = {"revision_of": "run_0", "draft": {}}
    step = {"seq": 1, "kind": "revision_begun", "payload": payload, "at": "2026-10-01T00:00:00Z"}
    revised = RunExport({**sound.document, "steps": [step, *sound.document["steps"]]})
    for pair in ((sound, revised), (revised, sound)):
        with pytest.raises(ConflictError, match=r"is a revision.*runs diff"):
            await bisect_runs(*pair)

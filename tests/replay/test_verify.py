"""An export verifies byte for byte, and whatever is changed in it is reported with its path."""

import asyncio
import copy
import json
import random
from collections.abc import Iterator, Sequence
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.agent.llm import ModelError
from backend.agent.replies import calls, dump_json
from backend.pool import build as train_spread
from backend.pool import rules
from backend.pool.build import Choice
from backend.pool.candidate import HotelCandidate
from backend.pool.rebuild import rebuild
from backend.pool.snapshot import Snapshot
from backend.replay.export import (
    BadExportError,
    RunExport,
    compute_hashes,
    find_changed,
    read_export,
)
from backend.replay.json_tree import find_difference, list_leaves
from backend.replay.playback import play_back, show_turns
from backend.replay.verify import UNKNOWN_MAKER, verify
from backend.runs.log.steps import ModelReplied, ToolCalled, select_payloads
from backend.tools.context import ToolLimit
from tests.replay.runs import SCRIPT, change, follow, make_pool, make_wordy_pool, plan, scripted

POOLS: tuple[dict[str, Any], ...] = (
    {},
    {"destinations": ("beijing", "xian"), "days": 5},
    {"destinations": ("xian", "beijing"), "days": 4, "interests": ["history"], "pace": "relaxed"},
    {"must_see": ["bj-gugong"], "budget_total": "900", "locale": "zh-CN"},
    {"origin": None, "days": 1, "travellers": 5, "children": [4, 9]},
)


@pytest.fixture(scope="module")
def sound() -> RunExport:
    return asyncio.run(plan())


@pytest.mark.parametrize("request_", POOLS)
async def test_runs_of_the_builtin_planner_verify(request_: dict[str, Any]) -> None:
    export = await plan(make_pool(**request_))
    verification = await verify(export)
    assert verification.difference is None
    assert verification.computed == export.result["usage"]["tool_calls"]


def change_limits() -> Iterator[dict[str, ToolLimit]]:
    """An admin who cannot make up their mind."""
    for n in range(100):
        yield {
            "list_pois": ToolLimit(max_return_rows=1 + n % 5),
            "get_poi": ToolLimit(enabled=n % 7 != 6),
        }


@pytest.mark.parametrize("seed", range(3))
async def test_runs_of_a_model_with_faults_and_changing_limits_verify(seed: int) -> None:
    script = list(SCRIPT)
    random.Random(seed).shuffle(script)
    limits = change_limits()
    model = scripted(*script[:9], ModelError("gone", code="MODEL_QUOTA"))
    export = await plan(llm=model, planner="openai", limits=lambda: next(limits))
    verification = await verify(export)
    assert verification.difference is None
    assert verification.computed > 0


async def test_a_changed_price_anywhere_is_reported_with_its_path(sound: RunExport) -> None:
    parts = ("snapshot", "steps", "result")
    prices = [
        f"/{part}{path}"
        for part in parts
        for path, _ in list_leaves(sound.document[part])
        if path.endswith(("/price", "/price_per_night", "/cost"))
    ]
    assert len(prices) > 80
    assert {path.split("/")[1] for path in prices} == set(parts)
    for path in prices:
        difference = next(find_changed(change(sound, path, "7.77").document))
        assert (difference.path, difference.found) == (path, "7.77")
    said = (await verify(change(sound, prices[-1], "7.77"))).difference
    assert said is not None
    assert (said.path, said.found) == (prices[-1], "7.77")


@given(data=st.data())
async def test_whatever_is_changed_is_reported_with_its_path(
    sound: RunExport, data: st.DataObject
) -> None:
    leaves = [
        f"/{part}{path}"
        for part in ("run", "snapshot", "steps", "result")
        for path, _ in list_leaves(sound.document[part])
    ]
    path = data.draw(st.sampled_from(leaves))
    value = data.draw(st.one_of(st.none(), st.booleans(), st.integers(), st.text()))
    other = copy.deepcopy(sound.document)
    place, last = follow(other, path)
    if dump_json(place[last]) == dump_json(value):
        return
    place[last] = value
    assert next(find_changed(other)).path == path


async def test_a_changed_mark_of_a_leaf_is_reported_too(sound: RunExport) -> None:
    marks = sound.document["hashes"]["leaves"]["/snapshot"]
    other = copy.deepcopy(sound.document)
    other["hashes"]["leaves"]["/snapshot"] = "000000" + marks[6:]
    assert (await verify(read_export(other))).difference is not None
    other["hashes"]["leaves"] = {}
    assert (await verify(read_export(other))).difference is not None


@pytest.mark.parametrize(
    ("pointer", "check"),
    [
        ("/snapshot/rows/pois/bj-gugong/price", "pool"),
        ("/result/itinerary/costs/total", "result"),
        ("/result/violations", "result"),
        ("/run/status", "result"),
    ],
)
async def test_a_change_behind_new_hashes_is_found_by_computing(
    sound: RunExport, pointer: str, check: str
) -> None:
    verification = await verify(change(sound, pointer, "1.23", is_sealed=True))
    assert verification.difference is not None
    assert verification.check == check
    assert verification.verified is False


async def test_a_changed_outcome_is_found_by_running_the_tool(sound: RunExport) -> None:
    number = next(n for n, s in enumerate(sound.steps) if s.kind == "tool_called")
    pointer = f"/steps/{number}/payload/outcome/content/rows/0/price"
    verification = await verify(change(sound, pointer, "7.77", is_sealed=True))
    assert verification.check == "calls"
    assert verification.difference is not None
    assert (verification.difference.path, verification.difference.expected) == (pointer, "7.77")


async def test_a_missing_or_added_part_is_reported(sound: RunExport) -> None:
    steps = sound.document["steps"]
    for document in (
        {**sound.document, "steps": steps[:-1]},
        {**sound.document, "steps": [*steps, steps[-1]]},
        {**sound.document, "redacted": True},
    ):
        assert (await verify(read_export(document))).check == "hashes"


def like_dear_hotels(row: HotelCandidate) -> tuple[Any, ...]:
    return -(row.price_per_night or 0), row.id


def like_slow_trains(choice: Choice) -> tuple[Any, ...]:
    return -choice.journey, choice.id


def spread_by_count(choices: Sequence[Choice], size: int) -> list[Choice]:
    return train_spread.sort_by_departure(choices)[:size]


@pytest.mark.parametrize(
    ("module", "rule", "changed", "path"),
    [
        (rules, "count_matches", lambda row, interests: 0, "/snapshot/cities/beijing"),
        (rules, "rank_hotel", like_dear_hotels, "/snapshot/cities/beijing"),
        (train_spread, "_merit", like_slow_trains, "/snapshot/legs/0"),
        (train_spread, "_pick_by_slot", spread_by_count, "/snapshot/legs/0"),
    ],
)
async def test_a_changed_ranking_or_spread_in_the_code_is_caught(
    monkeypatch: pytest.MonkeyPatch, module: ModuleType, rule: str, changed: Any, path: str
) -> None:
    sizes = {"POOL_POI_SIZE": 5, "POOL_HOTEL_SIZE": 2, "POOL_TRAIN_SIZE": 2}
    snapshot = rebuild(make_pool(interests=["park"]), sizes)
    export = await plan(snapshot, scripted(calls("submit_itinerary")), planner="openai")
    assert (await verify(export)).verified is True
    monkeypatch.setattr(module, rule, changed)
    verification = await verify(export)
    assert verification.check == "pool"
    assert verification.difference is not None
    assert verification.difference.path.startswith(path)


async def test_a_step_shows_what_the_model_saw(sound: RunExport) -> None:
    last = sound.document["steps"][-3]["seq"]
    turns = list(show_turns(await play_back(sound, until=last)))
    assert [m["role"] for m in turns[0]["messages"]] == ["system", "user"]
    assert turns[1]["earlier_messages"] == 2
    assert turns[1]["messages"][0]["role"] == "assistant"
    assert turns[-1]["step"] <= last
    assert turns[0]["ledger"]["total"]["tokens"] == sum(
        size["tokens"] for size in turns[0]["ledger"]["parts"].values()
    )
    assert turns[-1]["ledger"]["total"]["tokens"] > turns[0]["ledger"]["total"]["tokens"]
    assert len((await play_back(sound, until=turns[0]["step"])).turns) == 1
    [first] = list(show_turns(await play_back(sound, until=turns[0]["step"] + 2)))
    assert [o["step"] for o in first["outcomes"]] == [turns[0]["step"] + 1, turns[0]["step"] + 2]
    assert json.loads(turns[1]["messages"][1]["content"]) == first["outcomes"][0]["content"]


async def test_what_a_turn_cost_is_what_the_ledger_has_kept() -> None:
    export = await plan(make_wordy_pool(), scripted(), planner="openai")
    shown = list(show_turns(await play_back(export)))
    replies = [replied.reply for replied in select_payloads(export.steps, ModelReplied)]
    assert len(shown) == len(replies) > 5
    for turn, reply in zip(shown, replies, strict=True):
        assert reply.sent is not None
        parts = {part: size.model_dump() for part, size in reply.sent.parts.items()}
        assert turn["ledger"]["parts"] == dict(sorted(parts.items()))
    fresh = [sum(s.tokens for s in reply.sent.fresh.values()) for reply in replies if reply.sent]
    assert [turn["ledger"]["new"]["tokens"] for turn in shown] == fresh


@pytest.mark.parametrize(
    ("document", "named"),
    [
        ([], "no export"),
        ({"format": "waypool-run", "version": 2}, "version 2"),
        ({"format": "waypool-run", "version": 1}, "/software"),
    ],
)
def test_what_is_no_export_is_named(document: object, named: str) -> None:
    with pytest.raises(BadExportError, match=named):
        read_export(document)


def test_the_order_of_keys_is_part_of_what_a_model_reads() -> None:
    difference = find_difference({"a": {"x": 1, "y": 2}}, {"a": {"y": 2, "x": 1}})
    assert difference is not None
    assert difference.path == "/a"


async def test_a_run_in_a_real_pool_keeps_its_snapshot(sound: RunExport) -> None:
    snapshot: Snapshot = sound.snapshot
    assert snapshot.sha256 == snapshot.sealed().sha256
    assert make_wordy_pool().sha256 != snapshot.sha256


OLDER = {"version": "0.0.9", "planner_revision": 0, "result_schema": 0}


@pytest.mark.parametrize("made_by", [OLDER, None])
async def test_a_run_of_another_version_is_taken_as_recorded(
    sound: RunExport, made_by: dict[str, Any] | None
) -> None:
    document = copy.deepcopy(sound.document)
    document["made_by"] = made_by
    if made_by is None:
        del document["made_by"]
    tool = next(n for n, step in enumerate(sound.steps) if isinstance(step.payload, ToolCalled))
    document["steps"][tool]["payload"]["outcome"]["content"]["more"] = 1
    document["result"]["itinerary"]["costs"]["total"] = "1.00"
    document["hashes"] = compute_hashes(document)
    report = (await verify(read_export(document))).as_json()
    assert (report["verified"], report["check"]) == ("other_version", "calls")
    assert report["made_by"] == (made_by or UNKNOWN_MAKER.model_dump())
    assert [entry["path"] for entry in report["differences"]] == [
        f"/steps/{tool}/payload/outcome/content/more",
        "/result/itinerary/costs/total",
    ]
    assert report["difference"] == report["differences"][0]


async def test_another_version_may_come_to_the_same(sound: RunExport) -> None:
    found = await verify(change(sound, "/made_by/planner_revision", 999, is_sealed=True))
    assert (found.verified, found.check, found.difference) == ("other_version", "all", None)
    assert found.is_good()
    assert not found.is_good(is_strict=True)


async def test_a_changed_file_is_no_other_version(sound: RunExport) -> None:
    older = change(sound, "/made_by", OLDER)
    found = await verify(change(older, "/result/itinerary/costs/total", "1.00"))
    assert (found.verified, found.check) == (False, "hashes")
    assert not found.is_good()


async def test_an_older_version_with_other_steps_cannot_be_taken(sound: RunExport) -> None:
    document = copy.deepcopy(sound.document)
    document["made_by"] = OLDER
    tool = next(n for n, step in enumerate(sound.steps) if isinstance(step.payload, ToolCalled))
    del document["steps"][tool]
    document["hashes"] = compute_hashes(document)
    found = await verify(read_export(document))
    assert (found.verified, found.check) == (False, "calls")

"""Runs in memory for replays: the built-in planner, and models that follow a script."""

import copy
import datetime as dt
import json
from collections.abc import Sequence
from typing import Any

from backend.agent.builtin_planner import BuiltinPlanner
from backend.agent.llm import LlmClient, ModelError, ModelReply
from backend.agent.replies import ScriptedLlm, calls, make_call, raw_call, says, several
from backend.pool.rebuild import rebuild
from backend.pool.snapshot import Snapshot
from backend.replay.export import RunExport, compute_hashes, read_export
from backend.replay.memory_run import Setting, plan_in_memory
from tests.factories import make_snapshot

NOW = dt.datetime(2026, 3, 1, 12, 0, tzinfo=dt.UTC)
NOTES = "我们带着外婆，走不快；please no stairs"
TITLE = "与李教授午餐"

SCRIPT: tuple[ModelReply | ModelError, ...] = (
    calls("list_pois", city="beijing"),
    calls("list_pois", city="beijing"),  # a repeat
    several(
        make_call("list_pois", city="北京", max_price=30, unseen_only=True),
        make_call("get_poi", poi_id="bj-gugong"),
        make_call("get_poi", poi_id="bj-nowhere"),
        make_call("fly_there", to="moon"),
    ),
    raw_call("put_visit", '{"day": 1, "poi_id": "bj-'),
    raw_call("put_visit", "[1, 2]"),
    calls("put_visit", day=1, poi_id="bj-gugong"),
    says("我想想"),
    calls("result_query", handle="res_00000000000000000000000000", path="rows.length"),
    calls("list_hotels", city="beijing", stars=[4]),
    calls("arrange", poi_ids=["bj-gugong", "bj-tiantan"]),
    calls("view_itinerary"),
    calls("submit_itinerary"),
)


def make_pool(destinations: Sequence[str] = ("beijing",), **request: Any) -> Snapshot:
    """A snapshot that the rules themselves would give, with a reserve."""
    whole = rebuild(make_snapshot(destinations, **request), {})
    return rebuild(whole, {"POOL_POI_SIZE": 8, "POOL_HOTEL_SIZE": 4, "POOL_RESERVE_SIZE": 200})


def make_wordy_pool() -> Snapshot:
    """With a note and a booking of the traveller's."""
    booking = {"title": TITLE, "start": "2026-10-14T12:00", "end": "2026-10-14T13:30"}
    return make_pool(notes=NOTES, fixed=[booking], locale="zh-CN")


def set_still(**changes: Any) -> Setting:
    """A setting in which no time passes."""
    return Setting(clock=lambda: 0.0, now=lambda: NOW, **changes)


async def plan(
    snapshot: Snapshot | None = None, llm: LlmClient | None = None, **changes: Any
) -> RunExport:
    """A run of the built-in planner, or of `llm`, as it comes back from its file."""
    wanted = snapshot or make_pool()
    export = await plan_in_memory(wanted, llm or BuiltinPlanner(), set_still(**changes))
    return copy_export(export)


def scripted(*script: ModelReply | ModelError) -> ScriptedLlm:
    """A model that does much wrong, or says what is given."""
    return ScriptedLlm(script or SCRIPT)


def copy_export(export: RunExport) -> RunExport:
    """The same through a file."""
    return read_export(json.loads(json.dumps(export.document, ensure_ascii=False)))


def follow(document: Any, pointer: str) -> tuple[Any, Any]:
    """The object or list that a pointer leads into, and the last step."""
    *way, last = (step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/"))
    place = document
    for step in way:
        place = place[int(step)] if isinstance(place, list) else place[step]
    return place, int(last) if isinstance(place, list) else last


def change(export: RunExport, pointer: str, value: Any, *, is_sealed: bool = False) -> RunExport:
    """The export with another value at a place; `is_sealed` as if it had always been so."""
    document = copy.deepcopy(export.document)
    place, last = follow(document, pointer)
    place[last] = value
    if is_sealed:
        document["hashes"] = compute_hashes(document)
    return read_export(document)

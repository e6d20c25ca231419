"""A finished plan is changed by a new run: by edits without a model, in words with one."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from backend.mock_llm.scenario import CallScript, Scenario, Step
from tests.flows.conftest import REQUEST, Client
from tests.flows.models import open_desk

pytestmark = pytest.mark.sql


async def plan(client: httpx.AsyncClient, **changes: Any) -> dict[str, Any]:
    answer = await client.post(
        "/v1/itineraries", json=REQUEST | changes, headers={"Prefer": "wait=60"}
    )
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def revise(client: httpx.AsyncClient, run_id: str, **body: Any) -> dict[str, Any]:
    answer = await client.post(
        f"/v1/itineraries/{run_id}/revisions", json=body, headers={"Prefer": "wait=60"}
    )
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def refuse(client: httpx.AsyncClient, run_id: str, body: Any) -> dict[str, str]:
    """Codes of the faults by pointer."""
    answer = await client.post(f"/v1/itineraries/{run_id}/revisions", json=body)
    assert answer.status_code == 422, answer.text
    return {fault["pointer"]: fault["code"] for fault in answer.json()["errors"]}


def list_visits(result: dict[str, Any]) -> list[tuple[int, int, str]]:
    """Day, item and place of each visit that is no must-see."""
    return [
        (day, item, entry["poi_id"])
        for day, row in enumerate(result["itinerary"]["days"], start=1)
        for item, entry in enumerate(row["items"])
        if entry["kind"] == "visit" and entry["name"] not in REQUEST["must_see"]
    ]


def list_places(result: dict[str, Any]) -> set[str]:
    return {
        entry["poi_id"]
        for row in result["itinerary"]["days"]
        for entry in row["items"]
        if entry.get("poi_id")
    }


def find_hotel(result: dict[str, Any]) -> str:
    items = result["itinerary"]["days"][0]["items"]
    return str(next(entry["hotel_id"] for entry in items if entry["kind"] == "stay"))


async def test_edits_need_no_model_and_keep_the_snapshot(api: Client) -> None:
    client = await api("one", "user", "developer")
    first = await plan(client)
    day, item, gone = list_visits(first)[-1]
    revised = await revise(
        client,
        first["id"],
        edits=[
            {"op": "remove", "day": day, "item": item},
            {"op": "swap_hotel", "city": "北京"},
        ],
    )
    assert (revised["status"], revised["planner_used"]) == ("succeeded", "builtin")
    assert revised["parent_run_id"] == first["id"]
    assert revised["snapshot_sha256"] == first["snapshot_sha256"]
    assert list_places(revised) == list_places(first) - {gone}
    assert find_hotel(revised) != find_hotel(first)
    back = await revise(client, revised["id"], edits=[{"op": "add", "poi_id": gone, "day": day}])
    assert list_places(back) == list_places(first)
    events = (await client.get(f"/v1/itineraries/{revised['id']}/events")).text
    assert "event: revision_begun" in events
    assert "event: pool_built" in events
    # The run that was revised stays as it was.
    assert (await client.get(f"/v1/itineraries/{first['id']}")).json() == first


async def test_another_pace_arranges_anew_and_locked_items_stay(api: Client) -> None:
    client = await api("one", "user")
    first = await plan(client, pace="packed")
    locked = list_visits(first)[-1]
    revised = await revise(
        client,
        first["id"],
        edits=[{"op": "pace", "pace": "relaxed"}],
        lock=[{"day": locked[0], "item": locked[1]}],
    )
    assert revised["status"] == "succeeded"
    assert revised["request"]["pace"] == "relaxed"
    assert revised["snapshot_sha256"] != first["snapshot_sha256"]
    assert (locked[0], locked[2]) in {(day, poi) for day, _, poi in list_visits(revised)}
    days = revised["itinerary"]["days"]
    visits = [sum(entry["kind"] == "visit" for entry in day["items"]) for day in days]
    assert max(visits) <= 3
    assert list_places(revised) < list_places(first)


async def test_what_cannot_be_done_is_named_all_at_once(api: Client) -> None:
    client = await api("one", "user")
    first = await plan(client)
    day, item, _ = list_visits(first)[0]
    here = {"day": day, "item": item}
    run_id = first["id"]
    assert await refuse(client, run_id, {}) == {"": "nothing_asked"}
    words = {"message": "让它更有诗意"}
    assert await refuse(client, run_id, words) == {"/message": "model_needed"}
    both = words | {"edits": [{"op": "remove", **here}]}
    assert await refuse(client, run_id, both) == {"/message": "model_needed"}
    assert await refuse(
        client,
        run_id,
        {"edits": [{"op": "remove", "day": 1, "item": 99}], "lock": [{"day": 9, "item": 0}]},
    ) == {"/lock/0": "no_such_item", "/edits/0": "no_such_item"}
    assert await refuse(
        client,
        run_id,
        {
            "edits": [
                {"op": "add", "poi_id": "shanghai-waitan"},
                {"op": "swap_hotel", "city": "上海"},
                {"op": "remove", **here},
            ],
            "lock": [here],
        },
    ) == {"/edits/0": "not_in_pool", "/edits/1": "no_such_city", "/edits/2": "locked"}
    remove = {"op": "remove", "day": "two", "item": 0}
    shapes = await refuse(client, run_id, {"edits": [{"op": "sing"}, remove], "mesage": "x"})
    assert set(shapes) == {"/edits/0", "/edits/1/day", "/mesage"}
    other = await api("two", "user")
    missing = await other.post(f"/v1/itineraries/{run_id}/revisions", json={"refresh": True})
    assert missing.status_code == 404


async def test_a_new_pool_leaves_out_what_is_gone(api: Client) -> None:
    client = await api("one", "user", "admin")
    first = await plan(client)
    small = "/v1/admin/params/POOL_POI_SIZE"
    (await client.patch(small, json={"value": 4})).raise_for_status()
    revised = await revise(client, first["id"], refresh=True)
    assert revised["snapshot_sha256"] != first["snapshot_sha256"]
    assert revised["funnel"]["poi"]["pool"] < first["funnel"]["poi"]["pool"]
    assert list_places(revised) < list_places(first)
    assert revised["status"] == "succeeded"


async def test_words_go_to_the_model_which_cannot_move_what_is_locked(
    seeded_url: str, tmp_path: Path
) -> None:
    empty = CallScript(name="arrange", arguments={"poi_ids": ["beijing-yiheyuan"]})
    submit = CallScript(name="submit_itinerary")
    revision = Scenario(dialect="strictest", turns=(Step(calls=(empty,)), Step(calls=(submit,))))
    scenarios = {"planner": Scenario(), "reviser": revision}
    async with open_desk(seeded_url, tmp_path, scenarios) as desk:
        first = await desk.plan()
        day, item, kept = list_visits(first)[0]
        file = {"message": "第二天太满了", "lock": [{"day": day, "item": item}]}
        second = await desk.plan("reviser")
        revised = await revise(desk.client, first["id"], **file)
        trace = await desk.read(f"/v1/runs/{revised['id']}/trace")
    assert second["status"] in {"succeeded", "failed"}
    assert revised["planner_used"] in {"openai", "builtin"}
    assert kept in list_places(revised)
    opening = desk.mocks["planner"].seen[-1].body["messages"][1]["content"]
    assert '"第二天太满了"' in opening
    assert f'"visits":[[{day},"{kept}"]]' in opening
    assert [s["kind"] for s in trace["items"]][:2] == ["run_queued", "revision_begun"]
    assert desk.mocks["planner"].faults == []


async def test_words_reach_a_model_also_after_edits_and_find_the_edits_held(
    seeded_url: str, tmp_path: Path
) -> None:
    async with open_desk(seeded_url, tmp_path, {"planner": Scenario(dialect="strictest")}) as desk:
        first = await desk.plan(planner="builtin")
        day, item, gone = list_visits(first)[0]
        edited = await revise(
            desk.client, first["id"], edits=[{"op": "remove", "day": day, "item": item}]
        )
        talked = await revise(desk.client, edited["id"], message="换个晚上的地方")
        (day, item, other), *_ = list_visits(edited)
        both = await revise(
            desk.client,
            edited["id"],
            message="第一天少走路",
            edits=[{"op": "remove", "day": day, "item": item}],
        )
    assert edited["planner_used"] == "builtin"
    assert {talked["planner_used"], both["planner_used"]} == {"openai"}
    assert gone not in list_places(edited)
    assert other not in list_places(both)
    assert (
        f'"out":[["poi","{gone}"],["poi","{other}"]]'
        in desk.mocks["planner"].seen[-1].body["messages"][1]["content"]
    )


async def test_without_a_model_common_messages_become_edits(api: Client) -> None:
    client = await api()
    first = await plan(client)
    _, _, gone = list_visits(first)[0]
    name = next(
        item["name"]
        for day in first["itinerary"]["days"]
        for item in day["items"]
        if item.get("poi_id") == gone
    )
    less = await revise(client, first["id"], message=f"去掉{name}")
    assert gone not in list_places(less)
    other = await revise(client, first["id"], message="换一个酒店")
    assert find_hotel(other) != find_hotel(first)
    easy = await revise(client, first["id"], message="太累了")
    assert easy["request"]["pace"] == "relaxed"
    partly = await revise(client, first["id"], message="换一个酒店，让它更有诗意")
    assert find_hotel(partly) != find_hotel(first)
    unread = [v["message"] for v in partly["violations"] if v["code"] == "NOT_UNDERSTOOD"]
    assert unread == ["没有读懂：让它更有诗意"]

"""The main job over HTTP: ask, watch, read; and everything that is asked of a run."""

import asyncio
import json
from decimal import Decimal
from typing import Any

import httpx
import pytest

from tests.flows.conftest import REQUEST, Client

pytestmark = pytest.mark.sql


async def plan(client: httpx.AsyncClient, **changes: Any) -> dict[str, Any]:
    """A run to its end."""
    response = await client.post(
        "/v1/itineraries", json=REQUEST | changes, headers={"Prefer": "wait=50"}
    )
    assert response.status_code == 200, response.text
    document: dict[str, Any] = response.json()
    return document


async def read_events(client: httpx.AsyncClient, run_id: str, after: int = 0) -> list[Any]:
    """All events to the end of the stream."""
    headers = {"Last-Event-ID": str(after)} if after else {}
    async with client.stream(
        "GET", f"/v1/itineraries/{run_id}/events", headers=headers
    ) as response:
        if response.status_code == 204:
            return []
        assert response.headers["content-type"].startswith("text/event-stream")
        lines = [line async for line in response.aiter_lines()]
    return [json.loads(line.removeprefix("data: ")) for line in lines if line.startswith("data: ")]


async def test_a_valid_itinerary_comes_back_with_its_funnel(api: Client) -> None:
    client = await api()
    result = await plan(client)
    assert (result["status"], result["planner_used"]) == ("succeeded", "builtin")
    assert [v for v in result["violations"] if v["severity"] == "error"] == []
    poi = result["funnel"]["poi"]
    steps = ("catalogue", "in_cities", "pool", "listed", "opened", "selected")
    numbers = [poi[step] for step in steps]
    assert numbers == sorted(numbers, reverse=True)
    assert poi["catalogue"] >= 1828
    assert poi["in_cities"] == poi["pool"] + sum(poi["rejected"].values())
    days = result["itinerary"]["days"]
    assert [day["date"] for day in days] == ["2026-11-27", "2026-11-28", "2026-11-29"]
    names = {item["name"] for day in days for item in day["items"] if item["kind"] == "visit"}
    assert {"故宫博物院", "天坛公园"} <= names
    assert result["usage"]["tool_calls"] > 0


async def test_costs_add_up_item_by_item(api: Client) -> None:
    result = await plan(await api())
    items = [item for day in result["itinerary"]["days"] for item in day["items"]]

    def total(*kinds: str) -> Decimal:
        return sum(
            (Decimal(i["cost"] or 0) for i in items if i["kind"] in kinds and "cost" in i),
            Decimal(0),
        )

    costs = {name: Decimal(value) for name, value in result["itinerary"]["costs"].items()}
    assert costs["hotels"] == total("stay")
    assert costs["trains"] == total("leg")
    assert costs["local_transport"] == total("transfer")
    assert costs["tickets"] == total("visit")
    assert costs["meals"] == total("meal")
    assert costs["total"] == sum(costs.values()) - costs["total"]


async def test_events_come_as_the_run_goes_and_resume_without_gap(api: Client) -> None:
    client = await api()
    run = (await client.post("/v1/itineraries", json=REQUEST)).json()
    events = await read_events(client, run["id"])
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    kinds = [event["type"] for event in events]
    assert kinds[:4] == ["run_queued", "run_started", "pool_built", "planner_chosen"]
    assert kinds[-1] == "run_finished"
    assert await read_events(client, run["id"], after=5) == events[5:]
    assert await read_events(client, run["id"], after=len(events)) == []


async def test_a_request_without_wait_is_202_with_its_place(api: Client) -> None:
    response = await (await api()).post("/v1/itineraries", json=REQUEST)
    assert response.status_code == 202
    assert response.headers["location"] == f"/v1/itineraries/{response.json()['id']}"
    assert response.json()["status"] in {"queued", "running"}


async def test_preview_and_run_show_the_same_hash(api: Client) -> None:
    client = await api("one", "user", "developer")
    result = await plan(client)
    again = await plan(client, planner="builtin", locale="en")
    assert result["snapshot_sha256"] == again["snapshot_sha256"]
    snapshot = (await client.get(f"/v1/runs/{result['id']}/snapshot")).json()
    assert snapshot["sha256"] == result["snapshot_sha256"]


async def test_another_tenants_run_does_not_exist(api: Client) -> None:
    mine, other = await api("one", "user", "developer"), await api("two", "user", "developer")
    run_id = (await plan(mine))["id"]
    unknown = (await other.get("/v1/itineraries/run_unknown")).json()
    for method, path in (
        ("GET", f"/v1/itineraries/{run_id}"),
        ("GET", f"/v1/itineraries/{run_id}/events"),
        ("GET", f"/v1/itineraries/{run_id}/why?place=x"),
        ("POST", f"/v1/itineraries/{run_id}/cancel"),
        ("DELETE", f"/v1/itineraries/{run_id}"),
        ("GET", f"/v1/runs/{run_id}/snapshot"),
        ("GET", f"/v1/runs/{run_id}/trace"),
    ):
        response = await other.request(method, path)
        assert response.status_code == 404, path
        assert response.json() == unknown | {"detail": f"no run '{run_id}'"}
    assert (await other.get("/v1/itineraries")).json()["items"] == []


async def test_scopes_are_kept_apart(api: Client) -> None:
    user, admin = await api("one", "user"), await api("one", "admin")
    assert (await user.get("/v1/admin/params")).status_code == 403
    assert (await user.get("/v1/runs/x/trace")).status_code == 403
    assert (await admin.get("/v1/itineraries")).status_code == 403
    assert (await admin.get("/v1/admin/params")).status_code == 200


async def test_without_a_key_nothing_is_served(api: Client) -> None:
    client = await api()
    for headers in ({"Authorization": ""}, {"Authorization": "Bearer wp_unknown"}):
        response = await client.get("/v1/itineraries", headers=headers)
        assert response.status_code == 401
        assert response.headers["content-type"] == "application/problem+json"
        assert response.headers["www-authenticate"] == "Bearer"


async def test_seven_faults_in_one_answer(api: Client) -> None:
    raw = REQUEST | {
        "destinations": [{"city": "北京"}, {"city": "北平"}],
        "days": 31,
        "travellers": 0,
        "interests": ["histroy"],
        "must_see": ["故宫图书馆"],
        "pace": "slow",
        "start": "2026-11-27",
    }
    response = await (await api()).post("/v1/itineraries", json=raw)
    assert response.status_code == 422
    errors = {fault["pointer"]: fault for fault in response.json()["errors"]}
    assert set(errors) == {
        "/destinations/1/city",
        "/days",
        "/travellers",
        "/interests/0",
        "/must_see/0",
        "/pace",
        "/start",
    }
    near = {pointer: [row["id"] for row in errors[pointer]["suggestions"]] for pointer in errors}
    assert "history" in near["/interests/0"]
    assert "beijing-gugong" in near["/must_see/0"]
    assert "start_date" in near["/start"]


@pytest.mark.parametrize("body", [b"{", b"\xff", b"", b'{"days": NaN}', b"[" * 100_000])
async def test_a_body_that_is_no_json_is_named(api: Client, body: bytes) -> None:
    response = await (await api()).post("/v1/itineraries", content=body)
    assert response.status_code == 400
    assert response.json()["code"] == "BAD_JSON"


async def test_the_same_key_and_body_give_the_same_run_also_at_once(api: Client) -> None:
    client = await api()
    headers = {"Idempotency-Key": "k1"}
    posts = [client.post("/v1/itineraries", json=REQUEST, headers=headers) for _ in range(6)]
    ids = {response.json()["id"] for response in await asyncio.gather(*posts)}
    assert len(ids) == 1
    other = await client.post("/v1/itineraries", json=REQUEST | {"days": 2}, headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "IDEMPOTENCY_KEY_REUSED")
    elsewhere = await (await api("two")).post("/v1/itineraries", json=REQUEST, headers=headers)
    assert elsewhere.json()["id"] not in ids


async def test_a_list_goes_page_by_page_newest_first(api: Client) -> None:
    client = await api()
    made = [(await client.post("/v1/itineraries", json=REQUEST)).json()["id"] for _ in range(3)]
    first = (await client.get("/v1/itineraries?limit=2")).json()
    rest = (await client.get(f"/v1/itineraries?limit=2&cursor={first['next_cursor']}")).json()
    assert [item["id"] for item in first["items"] + rest["items"]] == made[::-1]
    assert rest["next_cursor"] is None


async def test_cancel_ends_a_run_and_delete_removes_it(api: Client) -> None:
    client = await api()
    run_id = (await client.post("/v1/itineraries", json=REQUEST | {"days": 10})).json()["id"]
    assert (await client.delete(f"/v1/itineraries/{run_id}")).status_code in {204, 409}
    await client.post(f"/v1/itineraries/{run_id}/cancel")
    events = await read_events(client, run_id)
    assert events[-1]["status"] in {"cancelled", "succeeded"}
    assert (await client.delete(f"/v1/itineraries/{run_id}")).status_code == 204
    assert (await client.get(f"/v1/itineraries/{run_id}")).status_code == 404


@pytest.mark.parametrize(
    ("place", "reason", "source"),
    [
        ("故宫博物院", "selected", "snapshot"),
        ("shanghai-waitan", "other_city", "catalogue"),
    ],
)
async def test_why_a_place_is_or_is_not_in(
    api: Client, place: str, reason: str, source: str
) -> None:
    client = await api()
    run_id = (await plan(client))["id"]
    answer = await client.get(f"/v1/itineraries/{run_id}/why", params={"place": place})
    assert (answer.json()["reason"], answer.json()["source"]) == (reason, source)
    unknown = await client.get(f"/v1/itineraries/{run_id}/why", params={"place": "故宫图书馆"})
    assert unknown.status_code == 404
    assert "beijing-gugong" in unknown.json()["detail"]


async def test_an_admins_limit_holds_from_the_next_call_of_a_running_run(api: Client) -> None:
    client = await api("one", "user", "admin", "developer")
    before = await plan(client)
    changed = await client.patch("/v1/admin/tools/list_pois", json={"max_return_rows": 5})
    assert changed.json()["max_return_rows"] == 5
    after = await plan(client)
    for result, limit in ((before, 25), (after, 5)):
        trace = (await client.get(f"/v1/runs/{result['id']}/trace")).json()["items"]
        limits = {
            step["payload"]["outcome"]["content"]["limit"]
            for step in trace
            if step["kind"] == "tool_called"
            and step["payload"]["outcome"]["tool"] == "list_pois"
            and "limit" in step["payload"]["outcome"]["content"]
        }
        assert limits == {limit}
    assert after["status"] == "succeeded"


async def test_health_needs_no_key(api: Client) -> None:
    client = await api()
    for path, status in (("/healthz", "ok"), ("/readyz", "ready")):
        response = await client.get(path, headers={"Authorization": ""})
        assert (response.status_code, response.json()["status"]) == (200, status)


async def test_an_unknown_path_is_a_problem_document(api: Client) -> None:
    response = await (await api()).get("/v1/nothing")
    assert response.status_code == 404
    assert response.headers["content-type"] == "application/problem+json"


async def test_a_reader_that_claims_more_than_there_is_still_sees_the_end(api: Client) -> None:
    client = await api()
    run_id = (await client.post("/v1/itineraries", json=REQUEST)).json()["id"]
    events = await read_events(client, run_id, after=10**24)
    assert events == [] or events[-1]["type"] == "run_finished"
    assert await read_events(client, run_id, after=10**24) == []


async def test_wishes_are_shown_back_with_whether_the_plan_keeps_them(api: Client) -> None:
    client = await api()
    wishes = [
        {"kind": "spend", "on": "tickets", "at_most": 9999},
        {"kind": "visit", "type": ["水族馆"], "at_least": 9, "weight": "rather"},
        {"kind": "hotel", "features": ["温泉"]},
        {"kind": "at", "place": "故宫", "day": 2, "weight": "rather"},
    ]
    result = await plan(client, wishes=wishes)
    assert result["status"] == "succeeded"
    shown = result["wishes"]
    assert [wish["kept"] for wish in shown[:3]] == [True, False, None]
    assert shown[1]["text"] == "参观至少 9 处：海洋馆"
    assert shown[1]["wish"]["type"] == ["aquarium"]
    broken = [v for v in result["violations"] if v["code"].startswith("WISH_")]
    assert {v["where"].get("wish"): v["severity"] for v in broken}.items() >= {
        (1, "warning"),
        (2, "warning"),
    }
    assert shown[1]["message"] == next(v["message"] for v in broken if v["where"]["wish"] == 1)
    assert [v["params"]["known"] for v in broken if v["where"]["wish"] == 2] == [False]
    assert shown[3]["text"] == "故宫博物院；第 2 天"
    why = await client.get(f"/v1/itineraries/{result['id']}/why", params={"place": "故宫"})
    assert why.json()["reason"] == "selected"
    markdown = (await client.get(f"/v1/itineraries/{result['id']}/itinerary.md")).text
    assert "## 愿望\n\n- 门票总共不超过 9999: 已满足\n- 参观至少 9 处：海洋馆: 未满足\n" in markdown
    plain = await plan(client)
    assert "wishes" not in plain
    assert "wishes" not in plain["request"]

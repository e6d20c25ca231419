"""Replays over HTTP: verified by a job, live as a run of its own beside the original."""

import asyncio
from typing import Any

import httpx
import pytest

from tests.database import run_sql
from tests.flows.conftest import REQUEST, Client
from tests.flows.test_itineraries import plan, read_events
from tests.flows.test_relaxation import CONCERT

pytestmark = pytest.mark.sql


async def test_a_run_is_verified_made_again_and_compared(api: Client) -> None:
    client = await api("one", "user", "developer", "admin")
    run = await plan(client)
    before = (await client.get(f"/v1/itineraries/{run['id']}")).json()
    path = f"/v1/runs/{run['id']}/replay"
    verified = await client.post(path, json={})
    assert verified.status_code == 200, verified.text
    assert (verified.json()["verified"], verified.json()["difference"]) == (True, None)
    body = {"mode": "live", "params": {"POOL_POI_SIZE": 10}, "limits": {"list_pois": 4}}
    started = await client.post(path, json=body)
    assert started.status_code == 202, started.text
    child = started.json()["run_id"]
    kinds = [event["type"] for event in await read_events(client, child)]
    assert kinds[:3] == ["run_queued", "run_started", "pool_built"]
    made = (await client.get(f"/v1/itineraries/{child}")).json()
    assert (made["status"], made["parent_run_id"]) == ("succeeded", run["id"])
    assert made["funnel"]["poi"]["pool"] <= 12
    diff = (await client.get(f"/v1/runs/{run['id']}/diff/{child}")).json()
    assert diff["params"] == {"POOL_POI_SIZE": [60, 10]}
    assert diff["limits"]["list_pois"][1] == 4
    trace = (await client.get(f"/v1/runs/{child}/trace")).json()["items"]
    assert {s["payload"]["replayed"] for s in trace if s["kind"] == "tool_called"} <= {
        "recorded",
        "computed",
    }
    assert (await client.get(f"/v1/itineraries/{run['id']}")).json() == before
    assert (await client.post(f"/v1/runs/{child}/replay", json={})).json()["verified"]


async def test_a_verification_is_a_job_that_can_be_looked_up(api: Client) -> None:
    client, other = await api("one", "user", "developer"), await api("two", "developer")
    run_id = (await plan(client))["id"]
    path = f"/v1/runs/{run_id}/replay"
    asked = await client.post(path, json={}, headers={"Prefer": "wait=0"})
    assert asked.status_code in {200, 202}, asked.text
    assert asked.headers["Preference-Applied"] == "wait=0"
    place = asked.headers["Location"]
    assert place == f"{path}/{asked.json()['replay_id']}"
    shown = (await client.get(place, headers={"Prefer": "wait=60"})).json()
    assert (shown["status"], shown["verified"], shown["error"]) == ("done", True, None)
    assert shown["calls_computed"] > 0
    assert (await other.get(place)).status_code == 404
    assert (await client.get(f"{path}/ver_{'0' * 26}")).status_code == 404
    assert (await client.get(f"{path}/nothing")).status_code == 404


async def test_a_difference_is_found_by_the_job(api: Client, seeded_url: str) -> None:
    client = await api("one", "user", "developer")
    run_id = (await plan(client))["id"]
    old, new = '"currency":"CNY"', '"currency":"EUR"'
    run_sql(
        seeded_url,
        "update agent_run set result = replace(replace(result::text, '\": ', '\":'),"
        f" '{old}', '{new}')::json where id = '{run_id}'",
    )
    found = (await client.post(f"/v1/runs/{run_id}/replay", json={})).json()
    assert (found["status"], found["verified"], found["check"]) == ("done", False, "result")
    assert found["difference"]["path"].endswith("/currency")
    assert (found["difference"]["expected"], found["difference"]["found"]) == ("EUR", "CNY")


async def test_what_cannot_be_replayed_is_named(api: Client) -> None:
    client, other = await api("one", "user", "developer"), await api("two", "developer")
    run_id = (await plan(client))["id"]
    path = f"/v1/runs/{run_id}/replay"
    live: dict[str, Any] = {"mode": "live"}
    for body, status in (
        (live | {"params": {"POI_PRICE_CAP_COMFORT": "1"}}, 409),
        (live | {"params": {"POOL_POI_SIZE": 0}, "limits": {"get_poi": 1}}, 422),
        (live | {"planner": "openai", "model": "no-such"}, 422),
        ({"mode": "again"}, 422),
    ):
        assert (await client.post(path, json=body)).status_code == status, body
    assert (await other.post(path, json={})).status_code == 404
    assert (await other.get(f"/v1/runs/{run_id}/diff/{run_id}")).status_code == 404


async def test_a_plan_is_rechecked_against_todays_catalogue(api: Client) -> None:
    client = await api("one", "user", "admin")
    run_id = (await plan(client))["id"]
    path, poi = f"/v1/itineraries/{run_id}/recheck", "/v1/admin/pois/beijing-gugong"
    fresh = (await client.post(path)).json()
    assert (fresh["holds"], fresh["changes"], fresh["violations"]) == (True, [], [])
    tag = (await client.get(poi)).headers["ETag"]
    changed = await client.patch(
        poi, json={"price": "99.00", "why": "new season"}, headers={"If-Match": tag}
    )
    assert changed.status_code == 200, changed.text
    assert changed.json()["catalogue_version"] == fresh["catalogue_version"]["now"] + 1
    lost = await client.patch(poi, json={"price": "1.00"}, headers={"If-Match": tag})
    assert lost.status_code == 412
    dearer = (await client.post(path)).json()
    assert dearer["holds"]
    assert [(c["id"], c["change"]) for c in dearer["changes"]] == [("beijing-gugong", "dearer")]
    assert dearer["changes"][0]["fields"] == {"price": ["60.00", "99.00"]}
    assert dearer["costs"]["now"]["tickets"] != dearer["costs"]["then"]["tickets"]
    await client.patch(poi, json={"duration_min": 230})  # what follows stands elsewhere in the list
    longer = (await client.post(path)).json()
    shown = (await client.get(f"/v1/itineraries/{run_id}")).json()["violations"]
    told = {(v["code"], v["message"]) for v in shown}
    assert not [v for v in longer["violations"] if (v["code"], v["message"]) in told]
    await client.patch(poi, json={"enabled": False})
    closed = (await client.post(path)).json()
    assert (closed["holds"], closed["changes"][0]["change"]) == (False, "closed")
    audit = await client.get("/v1/admin/audit", params={"kind": "poi", "subject": "beijing-gugong"})
    trail = [(e["old"], e["new"]) for e in audit.json()["items"]]
    assert trail[0] == ({"enabled": True}, {"enabled": False})
    assert trail[1][1] == {"duration_min": 230}
    assert trail[2:] == [({"price": "60.00"}, {"price": "99.00"})]


async def test_the_plan_under_a_relaxation_is_rechecked_and_a_run_without_one_says_so(
    api: Client,
) -> None:
    client = await api("one", "user", "admin")
    for changes in ({"budget_total": "1500"}, {"fixed": [CONCERT]}):  # money, a day more
        run = await plan(client, **changes)
        assert run["status"] == "infeasible"
        path = f"/v1/itineraries/{run['id']}/recheck"
        fresh = (await client.post(path)).json()
        assert (fresh["status"], fresh["holds"]) == ("infeasible", True)
        assert (fresh["changes"], fresh["violations"]) == ([], [])
        assert fresh["relaxation"] == run["relaxation"]["message"]
        assert fresh["costs"]["now"] == run["itinerary"]["costs"]
        items = [i for day in run["itinerary"]["days"] for i in day["items"]]
        hotel = next(item["hotel_id"] for item in items if item["kind"] == "stay")
        was = (await client.get(f"/v1/admin/hotels/{hotel}")).json()["row"]["price_per_night"]
        await edit(client, f"hotels/{hotel}", price_per_night="5000.00")
        dearer = (await client.post(path)).json()
        assert [(c["id"], c["change"]) for c in dearer["changes"]] == [(hotel, "dearer")]
        assert dearer["holds"] == ("budget_total" not in changes)
        await edit(client, f"hotels/{hotel}", price_per_night=was)
    none = await plan(client, planner="openai")
    assert none["itinerary"] is None
    refused = await client.post(f"/v1/itineraries/{none['id']}/recheck")
    assert (refused.status_code, refused.json()["code"]) == (409, "NO_ITINERARY")


async def edit(client: httpx.AsyncClient, path: str, **values: Any) -> httpx.Response:
    return await client.patch(f"/v1/admin/{path}", json=values)


async def test_an_edit_is_checked_as_an_import_is(api: Client) -> None:
    admin = await api("one", "admin")
    for values, pointer in (
        ({"price": "-1"}, "/price"),
        ({"opening_hours": "whenever"}, "/opening_hours"),
        ({"prize": "1"}, "/prize"),
        ({"id": "x"}, "/id"),
        ({"city": "atlantis"}, "/city"),
    ):
        response = await edit(admin, "pois/beijing-gugong", **values)
        assert response.status_code == 422, response.text
        assert [fault["pointer"] for fault in response.json()["errors"]] == [pointer]
    assert (await edit(admin, "pois/nowhere", price="1")).status_code == 404
    same = (await admin.get("/v1/admin/pois/beijing-gugong")).json()
    unchanged = await edit(admin, "pois/beijing-gugong", price=same["row"]["price"])
    assert unchanged.json() == same
    request = await admin.post("/v1/admin/pool-preview", json={"request": REQUEST})
    side = request.json()["today"]
    hotel, train = side["cities"]["beijing"]["hotels"][0], side["legs"][0]["trains"][0]
    assert (await edit(admin, f"hotels/{hotel}", stars=1, tags=["quiet"])).status_code == 200
    moved = await edit(admin, f"trains/{train}", depart="05:55", arrive="23:50")
    assert moved.json()["row"]["depart"] == "05:55"


async def test_feedback_and_findings_are_counted(api: Client) -> None:
    client = await api("one", "user", "admin")
    dear = REQUEST | {"budget_total": "10", "must_see": []}
    ids = [(await plan(client, **({} if n else dear)))["id"] for n in range(2)]
    for run_id, rating in zip(ids, (1, 5), strict=True):
        body = {"rating": rating, "comment": "so"}
        response = await client.post(f"/v1/itineraries/{run_id}/feedback", json=body)
        assert response.status_code == 200, response.text
    assert (
        await client.post(f"/v1/itineraries/{ids[0]}/feedback", json={"rating": 9})
    ).status_code == 422
    await client.patch("/v1/admin/params/POOL_POI_SIZE", json={"value": 50})
    stats = await asyncio.gather(
        *(
            client.get("/v1/admin/stats", params={"by": by, "against": "previous"})
            for by in ("city", "model", "tenant", "tool")
        )
    )
    city, model, tenant, tool = (response.json() for response in stats)
    beijing = city["groups"][0]
    assert (beijing["key"], beijing["runs"], beijing["without_plan"]) == ("beijing", 2, 1)
    assert (beijing["rating"], beijing["ratings"]) == (3.0, 2)
    funnel = [beijing["city"][step] for step in ("places", "pool", "listed", "selected")]
    assert funnel == sorted(funnel, reverse=True)
    assert [group["key"] for group in model["groups"]] == ["builtin"]
    assert [group["key"] for group in tenant["groups"]] == ["one"]
    lists = next(group for group in tool["groups"] if group["key"] == "list_pois")
    assert 0 < lists["tools"]["list_pois"]["has_more_share"] <= 1
    assert city["previous"] == []
    assert [entry["new"] for entry in city["changes"]] == [50]
    for since, until in (
        ("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"),
        ("0001-01-01T00:00:00Z", "2026-01-01T00:00:00Z"),
    ):
        wrong = {"since": since, "until": until, "against": "previous"}
        assert (await client.get("/v1/admin/stats", params=wrong)).status_code == 422

"""What a change of parameters would do: both pools side by side, and nothing is started."""

from typing import Any

import pytest

from tests.flows.conftest import REQUEST, Client

pytestmark = pytest.mark.sql

PATH = "/v1/admin/pool-preview"


async def test_a_smaller_pool_says_what_leaves_and_what_the_lists_save(api: Client) -> None:
    admin = await api("one", "admin", "user")
    body = {"request": REQUEST, "params": {"POOL_POI_SIZE": 20}, "limits": {"list_pois": 10}}
    document = (await admin.post(PATH, json=body)).json()
    today, proposed = document["today"], document["proposed"]
    pois: list[str] = proposed["cities"]["beijing"]["pois"]
    assert len(today["cities"]["beijing"]["pois"]) == 60
    assert len(pois) == 20
    left = {row["id"] for row in document["changes"]["poi"]["left"]}
    assert left == set(today["cities"]["beijing"]["pois"]) - set(pois)
    assert document["changes"]["poi"]["entered"] == []
    assert proposed["funnel"]["poi"]["rejected"]["rank"] == (
        today["funnel"]["poi"]["rejected"]["rank"] + 40
    )
    assert proposed["lists"]["list_pois"]["rows"] == 20
    assert proposed["lists"]["list_pois"]["pages"] == 2
    assert today["lists"]["list_pois"]["pages"] == 3
    assert proposed["lists"]["list_pois"]["tokens"] < today["lists"]["list_pois"]["tokens"]
    assert proposed["lists"]["list_hotels"] == today["lists"]["list_hotels"]
    assert (await admin.get("/v1/itineraries")).json()["items"] == []
    assert (await admin.get("/v1/admin/params/POOL_POI_SIZE")).json()["value"] == 60


async def test_a_lifted_cap_lets_places_in_and_a_run_then_has_that_pool(api: Client) -> None:
    client = await api("one", "admin", "user")
    request = REQUEST | {"budget_tier": "economy"}
    value: dict[str, Any] = {"POI_PRICE_CAP_ECONOMY": None}
    document = (await client.post(PATH, json={"request": request, "params": value})).json()
    assert document["proposed"]["funnel"]["poi"]["rejected"]["price"] == 0
    await client.patch("/v1/admin/params/POI_PRICE_CAP_ECONOMY", json={"value": None})
    run = await client.post("/v1/itineraries", json=request, headers={"Prefer": "wait=50"})
    assert run.json()["snapshot_sha256"] == document["proposed"]["sha256"]


async def test_everything_wrong_is_named(api: Client) -> None:
    admin = await api("one", "admin")
    wrong = {"request": REQUEST, "params": {"POOL_POI_SIZE": 0, "X": 1}, "limits": {"get_poi": 2}}
    response = await admin.post(PATH, json=wrong)
    pointers = [fault["pointer"] for fault in response.json()["errors"]]
    assert (response.status_code, pointers) == (
        422,
        ["/params/POOL_POI_SIZE", "/params/X", "/limits/get_poi"],
    )
    response = await admin.post(PATH, json={"request": REQUEST | {"days": 0}})
    assert [fault["pointer"] for fault in response.json()["errors"]] == ["/request/days"]
    assert (await (await api("one", "user")).post(PATH, json={})).status_code == 403

"""The rows behind a count of a run's funnel, page by page, over HTTP."""

from typing import Any

import pytest

from tests.flows.conftest import REQUEST, Client

pytestmark = pytest.mark.sql


async def test_rows_behind_a_count_are_read_to_their_end(api: Client) -> None:
    client = await api("one", "user", "developer")
    wait = {"Prefer": "wait=60"}
    run = (await client.post("/v1/itineraries", json=REQUEST, headers=wait)).json()
    path = f"/v1/runs/{run['id']}/dropped"
    counts = run["funnel"]["poi"]["rejected"]
    rows: list[Any] = []
    asked: dict[str, Any] = {"kind": "poi", "reason": "rank", "limit": 25}
    while True:
        page = (await client.get(path, params=asked)).raise_for_status().json()
        rows += page["items"]
        if page["next_cursor"] is None:
            break
        asked["cursor"] = page["next_cursor"]
    assert page["total"] == page["counted"] == len({row["id"] for row in rows}) == counts["rank"]
    assert (page["source"], page["is_exact"]) == ("snapshot", True)
    dear = (await client.get(path, params={"kind": "poi", "reason": "price"})).json()
    assert (dear["source"], dear["total"]) == ("catalogue", counts["price"])
    assert dear["items"][0].keys() == rows[0].keys()
    assert all(float(row["price"]) > 300 for row in dear["items"])
    trains = await client.get(path, params={"kind": "train", "reason": "spread", "at": "0"})
    assert {row["from_city"] for row in trains.json()["items"]} == {"shanghai"}
    for wrong, status in (
        ({"kind": "poi", "reason": "stars"}, 404),
        ({"kind": "moon", "reason": "price"}, 422),
        ({"kind": "poi", "reason": "price", "order": "best"}, 422),
    ):
        assert (await client.get(path, params=wrong)).status_code == status
    stranger = await api("two", "developer")
    assert (await stranger.get(path, params=asked)).status_code == 404

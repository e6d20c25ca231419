"""A run's stored results over HTTP: the developer's scope, and nobody else's handles."""

import json
from itertools import pairwise
from typing import Any

import pytest
from pydantic import TypeAdapter
from sqlalchemy import text

from backend.db.session import make_engine, transaction
from backend.document import Page
from backend.ids import make_id
from backend.results.handle import Owner
from backend.results.run_results import ResultItem
from backend.results.store import ResultStore
from backend.runs.log.queries import list_ancestors
from tests.flows.conftest import REQUEST, Client

pytestmark = pytest.mark.sql

ROWS = [{"n": n, "price": n / 4} for n in range(5000)]


async def put(url: str, tenant: str, run_id: str) -> str:
    engine = make_engine(url, 1)
    owner = Owner(tenant, run_id)
    stored = await ResultStore(engine, None).put([json.dumps(ROWS).encode()], owner, tool="x")
    await engine.dispose()
    return stored.handle


async def test_results_of_a_run(api: Client, seeded_url: str) -> None:
    client = await api("one", "user", "developer")
    run = (await client.post("/v1/itineraries", json=REQUEST)).json()["id"]
    handles = [await put(seeded_url, "one", run) for _ in range(2)]
    page = (await client.get(f"/v1/runs/{run}/results?limit=1")).json()
    TypeAdapter(Page[ResultItem]).validate_python(page)
    rest = (await client.get(f"/v1/runs/{run}/results?cursor={page['next_cursor']}")).json()
    assert [item["id"] for item in page["items"] + rest["items"]] == handles[::-1]
    assert rest["next_cursor"] is None
    assert page["items"][0]["summary"]["columns"]["price"]["sum"] == 3124375

    async def ask(**params: Any) -> Any:
        return (await client.get(f"/v1/runs/{run}/results/{handles[0]}", params=params)).json()

    assert await ask(path="rows[-1].price") == {"value": 1249.75}
    assert (await ask(query='{"aggregate": [{"op": "count"}]}'))["rows"] == [{"count": 5000}]
    assert (await ask(path="rows["))["code"] == "BAD_PATH"
    assert (await ask())["status"] == 422
    assert (await ask(path="rows", query="{}"))["status"] == 422


async def test_a_run_may_ask_about_results_of_those_it_came_out_of(
    api: Client, seeded_url: str
) -> None:
    client = await api("one", "user", "developer")
    runs = [(await client.post("/v1/itineraries", json=REQUEST)).json()["id"] for _ in range(3)]
    handle = await put(seeded_url, "one", runs[0])
    engine = make_engine(seeded_url, 1)
    async with transaction(engine) as session:
        for parent, child in pairwise(runs):
            await session.execute(
                text("update agent_run set parent_run_id = :parent where id = :child"),
                {"parent": parent, "child": child},
            )
    async with transaction(engine) as session:
        assert sorted(await list_ancestors(session, runs[2])) == sorted(runs[:2])
        assert list(await list_ancestors(session, runs[0])) == []
    await engine.dispose()
    path = f"results/{handle}?path=rows.length"
    assert (await client.get(f"/v1/runs/{runs[2]}/{path}")).json() == {"value": 5000}
    other = (await client.post("/v1/itineraries", json=REQUEST)).json()["id"]
    assert (await client.get(f"/v1/runs/{other}/{path}")).status_code == 404


async def test_nobody_else_sees_them(api: Client, seeded_url: str) -> None:
    mine, other = await api("one", "user", "developer"), await api("two", "user", "developer")
    run = (await mine.post("/v1/itineraries", json=REQUEST)).json()["id"]
    theirs = (await other.post("/v1/itineraries", json=REQUEST)).json()["id"]
    handle = await put(seeded_url, "one", run)
    assert (await other.get(f"/v1/runs/{run}/results")).status_code == 404
    foreign = await other.get(f"/v1/runs/{theirs}/results/{handle}?path=rows")
    unknown = await other.get(f"/v1/runs/{theirs}/results/{make_id('res')}?path=rows")
    assert foreign.status_code == 404
    assert foreign.content == unknown.content
    assert (await (await api("one", "user")).get(f"/v1/runs/{run}/results")).status_code == 403

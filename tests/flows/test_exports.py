"""A run's plan as calendar, map and Markdown over HTTP: its own tenant's, and only once it is there."""

import asyncio
import json
from typing import Any

import geojson
import httpx
import pytest
from icalendar import Calendar
from markdown_it import MarkdownIt

from tests.flows.conftest import Client
from tests.flows.test_itineraries import plan

pytestmark = pytest.mark.sql

FILES = {
    "calendar.ics": "text/calendar; charset=utf-8",
    "map.geojson": "application/geo+json",
    "itinerary.md": "text/markdown; charset=utf-8",
}


async def fetch(client: httpx.AsyncClient, run_id: str) -> dict[str, httpx.Response]:
    answers = [await client.get(f"/v1/itineraries/{run_id}/{name}") for name in FILES]
    return dict(zip(FILES, answers, strict=True))


async def test_a_plan_can_be_had_in_three_forms(api: Client) -> None:
    client = await api()
    result = await plan(client)
    files = await fetch(client, result["id"])
    for name, answer in files.items():
        assert (answer.status_code, answer.headers["content-type"]) == (200, FILES[name])
        suffix = name.partition(".")[2]
        assert answer.headers["content-disposition"] == (
            f'attachment; filename="{result["id"]}.{suffix}"'
        )
        assert answer.headers["x-content-type-options"] == "nosniff"
    items = [item for day in result["itinerary"]["days"] for item in day["items"]]
    visits = {item["name"]: item for item in items if item["kind"] == "visit"}
    events: list[Any] = list(Calendar.from_ical(files["calendar.ics"].content).walk("VEVENT"))
    times = {str(e["SUMMARY"]): e["DTSTART"].dt for e in events}
    shown = {name: times[name].isoformat() for name in visits}
    assert shown == {name: item["arrive"] for name, item in visits.items()}
    features = geojson.loads(files["map.geojson"].text)
    assert features.is_valid
    places = {f["properties"].get("poi_id") for f in features["features"]}
    assert {item["poi_id"] for item in visits.values()} <= places
    html = MarkdownIt("commonmark").render(files["itinerary.md"].text)
    assert html.count("<h2>") >= 3 + 1
    assert all(f"<strong>{name}</strong>" in html for name in visits)


async def test_another_tenant_and_another_scope_get_none(api: Client) -> None:
    run_id = (await plan(await api()))["id"]
    for answer in (await fetch(await api("two"), run_id)).values():
        assert (answer.status_code, answer.json()["code"]) == (404, "NOT_FOUND")
    for answer in (await fetch(await api("one", "developer"), run_id)).values():
        assert answer.status_code == 403
    for answer in (await fetch(await api(), "run_unknown")).values():
        assert answer.status_code == 404


async def test_a_run_without_a_plan_is_a_conflict(api: Client) -> None:
    client = await api()
    failed = await plan(client, planner="openai")
    assert failed["error"]["code"] == "NO_MODEL"
    for answer in (await fetch(client, failed["id"])).values():
        assert (answer.status_code, answer.json()["code"]) == (409, "NO_ITINERARY")
        assert answer.headers["content-type"] == "application/problem+json"


async def test_an_infeasible_plan_says_why_in_its_file(api: Client) -> None:
    client = await api()
    result = await plan(client, budget_total="500", locale="en")
    assert result["status"] == "infeasible"
    files = await fetch(client, result["id"])
    assert [answer.status_code for answer in files.values()] == [200, 200, 200]
    text = files["itinerary.md"].text
    assert "This cannot be done quite as asked" in text[: text.index("## Day 1")]
    assert json.loads(files["map.geojson"].text)["features"]


async def test_files_are_the_same_at_each_call(api: Client) -> None:
    client = await api()
    run_id = (await plan(client))["id"]
    first, second = await asyncio.gather(fetch(client, run_id), fetch(client, run_id))
    assert [a.content for a in first.values()] == [b.content for b in second.values()]

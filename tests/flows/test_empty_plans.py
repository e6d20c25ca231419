"""Nothing seen is no success: not for a model's plan, not for a relaxation, not for a trip of trains."""

from collections.abc import Mapping
from typing import Any

import httpx
import pytest

from backend.mock_llm.scenario import CallScript, Scenario, Step
from backend.mock_llm.server import serve_mock
from tests.flows.conftest import Client, make_key, make_settings, serve
from tests.flows.test_itineraries import plan
from tests.flows.test_revisions import revise

pytestmark = pytest.mark.sql

SHORT_TRIP: dict[str, Any] = {
    "destinations": [{"city": "北京"}],
    "start_date": "2026-11-27",
    "days": 2,
    "travellers": 2,
    "budget_tier": "comfort",
    "interests": ["history"],
}
FAR_DAY = {
    "origin": "杭州",
    "destinations": [{"city": "重庆"}],
    "start_date": "2027-04-02",
    "days": 1,
    "must_see": [],
    "interests": [],
}


def list_visits(result: dict[str, Any]) -> list[tuple[int, int]]:
    """Day and item of what is seen, or eaten at a place of the catalogue."""
    return [
        (day, item)
        for day, row in enumerate(result["itinerary"]["days"], start=1)
        for item, entry in enumerate(row["items"])
        if entry.get("poi_id")
    ]


class Idle:
    """Chooses a bed, and hands in the plan again and again."""

    async def choose(self, body: Mapping[str, Any], turn: int) -> Step:
        bed = {"city": "beijing", "hotel_id": "beijing-h-yaduo"}
        calls = [("list_hotels", {"city": "beijing"}), ("choose_hotel", bed)][turn : turn + 1]
        name, given = calls[0] if calls else ("submit_itinerary", {})
        return Step(calls=(CallScript(name=name, arguments=given),))


@pytest.mark.parametrize("planner", ["auto", "openai"])
async def test_a_models_plan_without_a_visit_is_not_taken(seeded_url: str, planner: str) -> None:
    secret = await make_key(seeded_url, "one", "user")
    headers = {"Authorization": f"Bearer {secret}", "Prefer": "wait=50"}
    async with serve_mock(Scenario(), brain=Idle()) as mock:
        settings = make_settings(seeded_url, model="double", openai_base_url=mock.url)
        async with (
            serve(settings) as address,
            httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as client,
        ):
            body = {**SHORT_TRIP, "planner": planner}
            result = (await client.post("/v1/itineraries", json=body)).json()
    if planner == "openai":
        assert (result["status"], result["error"]["code"]) == ("failed", "EMPTY_PLAN")
    else:
        assert (result["status"], result["planner_used"]) == ("succeeded", "builtin")
        assert result["fallback_reason"] == "EMPTY_PLAN"
        assert {day for day, _ in list_visits(result)} == {1, 2}


async def test_a_day_of_trains_is_a_clash_and_a_day_more_is_what_helps(api: Client) -> None:
    client = await api()
    result = await plan(client, **FAR_DAY)
    assert result["status"] == "infeasible"
    assert [clash["code"] for clash in result["clash"]] == ["NO_VISIT"]
    assert int(result["clash"][0]["amount"]) > 0
    relaxation = result["relaxation"]
    assert relaxation["kind"] == "add_day"
    assert list_visits(result)
    changed = {k: v for k, v in relaxation["value"].items() if k != "dates"}
    again = await plan(client, **{**FAR_DAY, **changed})
    assert again["status"] == "succeeded"
    assert list_visits(again)


async def test_a_day_that_the_traveller_empties_stays_free(api: Client) -> None:
    client = await api()
    first = await plan(client, days=4, must_see=[], interests=["history"])
    edits = [{"op": "remove", "day": d, "item": i} for d, i in list_visits(first) if d == 2]
    revised = await revise(client, first["id"], edits=edits)
    assert revised["status"] == "succeeded"
    assert 2 not in {day for day, _ in list_visits(revised)}
    found = [(v["severity"], v["where"]["day"]) for v in revised["violations"]
             if v["code"] == "EMPTY_DAY"]  # fmt: skip
    assert found == [("warning", 2)]
    later = await revise(client, revised["id"], edits=[{"op": "swap_hotel", "city": "北京"}])
    assert later["status"] == "succeeded"

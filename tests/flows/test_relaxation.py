"""An impossible request over HTTP: what contradicts, what would help, and that it does help."""

from decimal import Decimal
from typing import Any

import pytest

from backend.runs.life.result import RunDocument
from tests.flows.conftest import REQUEST, Client
from tests.flows.test_itineraries import plan, read_events

pytestmark = pytest.mark.sql

CONCERT = {
    "title": "concert",
    "start": "2026-11-29T21:00",
    "end": "2026-11-29T23:30",
    "lat": 39.93,
    "lon": 116.44,
}


def check_explained(result: dict[str, Any]) -> None:
    assert result["status"] == "infeasible"
    RunDocument.model_validate(result)
    errors = [v for v in result["violations"] if v["severity"] == "error"]
    assert [v["code"] for v in errors] == [clash["code"] for clash in result["clash"]]
    assert all(v["where"] == {"day": None, "item": None} for v in errors)
    assert all(clash["message"] for clash in result["clash"])
    assert set(result["relaxation"]) == {"kind", "value", "message"}


async def test_the_budget_that_is_asked_for_is_enough(api: Client) -> None:
    client = await api()
    result = await plan(client, budget_total="1500")
    check_explained(result)
    [clash] = result["clash"]
    relaxation = result["relaxation"]
    assert (clash["code"], clash["amount"]) == ("OVER_BUDGET", relaxation["value"])
    assert relaxation["kind"] == "raise_budget"
    assert relaxation["value"] in relaxation["message"]
    budget = Decimal("1500") + Decimal(relaxation["value"])
    assert Decimal(result["itinerary"]["costs"]["total"]) == budget
    again = await plan(client, budget_total=str(budget))
    assert again["status"] == "succeeded"
    events = await read_events(client, result["id"])
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1))
    [sought] = [e for e in events if e["type"] == "relaxation_sought"]
    shown = {key: relaxation[key] for key in ("kind", "message")}
    assert sought["relaxation"] == shown


async def test_a_day_more_makes_room_for_a_booking_after_the_last_train(api: Client) -> None:
    client = await api()
    result = await plan(client, fixed=[CONCERT], locale="en")
    check_explained(result)
    assert [clash["code"] for clash in result["clash"]] == ["LEG_MISSED"]
    assert int(result["clash"][0]["amount"]) > 60
    assert result["relaxation"]["kind"] == "add_day"
    changed = dict(result["relaxation"]["value"])
    assert changed.pop("dates") == ["2026-11-30"]
    days = result["itinerary"]["days"]
    assert [day["date"] for day in days][-1] == "2026-11-30"
    assert "concert" in {i.get("title") for day in days for i in day["items"]}
    again = await plan(client, fixed=[CONCERT], **changed)
    assert again["status"] == "succeeded"
    assert REQUEST["days"] + 1 == len(again["itinerary"]["days"]) == len(days)

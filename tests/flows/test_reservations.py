"""A reservation that had to be made before the trip was asked for is no plan."""

import datetime as dt

import pytest

from backend.clock import read_utc
from tests.flows.conftest import Client
from tests.flows.test_itineraries import plan
from tests.flows.test_revisions import list_places

pytestmark = pytest.mark.sql

PALACE = "beijing-gugong"  # to be reserved a week ahead


def start_in(days: int) -> str:
    """So many days after today, in China."""
    return (read_utc() + dt.timedelta(days=days, hours=8)).date().isoformat()


async def test_what_can_no_longer_be_reserved_is_swapped_or_a_clash(api: Client) -> None:
    client = await api()
    late = await plan(client, start_date=start_in(2), must_see=[])
    assert late["status"] == "succeeded"
    assert PALACE not in list_places(late)
    in_time = await plan(client, start_date=start_in(9), must_see=[])
    assert PALACE in list_places(in_time)
    asked = await plan(client, start_date=start_in(2), must_see=["故宫博物院"])
    assert asked["status"] == "infeasible"
    first = asked["clash"][0]
    assert (first["code"], int(first["amount"]) > 0) == ("RESERVATION_PASSED", True)
    assert asked["relaxation"]["kind"] == "leave_out"
    markdown = (await client.get(f"/v1/itineraries/{asked['id']}/itinerary.md")).text
    assert "故宫博物院须提前" in markdown.split("\n## ")[0]


async def test_a_trip_of_the_past_was_booked_before(api: Client) -> None:
    client = await api()
    past = await plan(client, start_date=start_in(-3), must_see=["故宫博物院"])
    assert PALACE in list_places(past)

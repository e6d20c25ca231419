"""The bench of sense on one city: figures between 0 and 1, and nothing that an exchange would save."""

import datetime as dt
import json

import pytest

from backend.bench.sense import SHARES, describe_sense, read_trips, run_sense_bench
from backend.settings import read_settings

pytestmark = pytest.mark.sql

TRIP = {
    "city": "suzhou",
    "days": 3,
    "plan": [["suzhou-zhuozhengyuan", "nowhere@e"], ["suzhou-huqiu"]],
}


def test_only_trips_of_two_to_five_days_count() -> None:
    others = [TRIP | {"days": 1}, TRIP | {"days": 6}]
    lines = [json.dumps(trip) for trip in (TRIP, *others)]
    assert read_trips(lines)["suzhou"]["nowhere"] == 1


async def test_the_plans_of_a_city_make_sense(server_url: str) -> None:
    asked = dt.date(2026, 5, 12), 3, ("suzhou",)
    report = await run_sense_bench(server_url, read_settings(), asked, [json.dumps(TRIP)])
    assert (report["plans"], report["failed"]) == (3, 0)
    assert all(0 <= report[figure] <= 1 for figure in SHARES)
    assert report["home"] == 1
    assert report["lunch"] == 1
    assert report["exchange_minutes"] < 20
    assert describe_sense(report)[0].startswith("3 trips of 3 days")


async def test_without_trips_there_is_no_consensus(server_url: str) -> None:
    asked = dt.date(2026, 12, 8), 2, ("luoyang",)
    assert (await run_sense_bench(server_url, read_settings(), asked, []))["consensus"] is None

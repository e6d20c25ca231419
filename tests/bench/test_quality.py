"""The quality bench at a small size: its counts agree, its bound is one, its requests are drawn alike."""

import contextlib
import io
import json
from typing import Any

import psycopg
import pytest

from backend.bench.measured_run import Item, bound_profit, bound_sack, measure_run, rate_visits
from backend.bench.quality import describe_quality, summarise
from backend.bench.queries import KnownPlace, Vocabulary, draw_requests
from backend.cli import run
from tests.factories import make_poi, make_snapshot

VOCABULARY = Vocabulary(
    ("beijing", "shanghai", "xian", "wuhan"),
    ("food", "history", "museum", "park"),
    tuple(KnownPlace(f"{city}-{n}", city, n) for city in ("beijing", "xian") for n in range(20)),
)


@pytest.fixture(scope="module")
def report(server_url: str) -> dict[str, Any]:
    """What the command prints; one installation serves all tests."""
    out = io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out):
        patch.setenv("WAYPOOL_DATABASE_URL", server_url)
        assert run(["bench", "quality", "--requests", "5", "--seed", "3", "--json"]) == 0
    return dict(json.loads(out.getvalue()))


@pytest.mark.sql
def test_every_request_is_delivered_or_explained(report: dict[str, Any]) -> None:
    assert (report["requests"], report["seed"]) == (5, 3)
    assert report["delivered"] + report["explained"] == 5
    assert report["without_errors"] == report["delivered"] > 0
    assert report["faults"] == []
    must = report["must_sees"]
    assert must["asked"] == must["kept"] + must["explained"] > 0


@pytest.mark.sql
def test_plans_are_worth_something(report: dict[str, Any]) -> None:
    assert 0.3 < report["profit_of_bound"] <= 1
    assert 1.5 < report["visits_a_day"] < 8
    assert 0 < report["transit_share"] < 0.5
    assert report["calls"] > 5
    assert report["tokens"] > 1000
    assert 0 < report["seconds"]["median"] <= report["seconds"]["worst"]
    assert any("of an upper bound" in line for line in describe_quality(report))


@pytest.mark.sql
def test_nothing_is_left_behind(server_url: str, report: dict[str, Any]) -> None:
    with psycopg.connect(server_url) as connection:
        names = [name for (name,) in connection.execute("select datname from pg_database")]
    assert not [name for name in names if "bench" in name]


def test_requests_are_the_same_for_a_seed_and_vary_within_it() -> None:
    drawn = draw_requests(VOCABULARY, 60, 1)
    assert drawn[:20] == draw_requests(VOCABULARY, 20, 1)
    assert drawn != draw_requests(VOCABULARY, 60, 2)
    assert {len(body["destinations"]) for body in drawn} == {1, 2, 3}
    assert {body["budget_tier"] for body in drawn} == {"economy", "comfort", "quality"}
    assert {body["days"] for body in drawn} == set(range(1, 11))
    assert any("budget_total" in body for body in drawn)
    assert any(len(body["must_see"]) > 2 for body in drawn)
    cities = {place.id: place.city for place in VOCABULARY.places}
    for body in drawn:
        here = {destination["city"] for destination in body["destinations"]}
        assert body.get("origin") not in here
        assert {cities[poi_id] for poi_id in body["must_see"]} <= here


def test_the_bound_is_exact_where_a_sack_is_simple() -> None:
    items = [Item(60, 60, 1), Item(50, 100, 1), Item(10, 10, 1)]
    assert bound_sack(items, 1000, 9) == 120
    assert bound_sack(items, 120, 9) == 60 + 10 + 25
    assert bound_sack(items, 1000, 2) == 110
    assert bound_sack([*items, Item(5, 5, 0)], 1000, 2) == 115
    assert bound_sack(items, 0, 9) == 0


def test_places_that_are_never_open_are_not_in_the_bound() -> None:
    pois = [make_poi("open"), make_poi("shut", opening_hours="Su 09:00-17:00")]
    snapshot = make_snapshot(days=1, pois=pois)
    assert bound_profit(snapshot) == rate_visits(snapshot, ["open"])


def make_result(status: str, **more: Any) -> dict[str, Any]:
    return {
        "status": status,
        "itinerary": {"days": [{"items": []}]},
        "request": {"must_see": ["a", "b"]},
        "violations": [],
        "clash": None,
        "relaxation": None,
        "usage": {"tool_calls": 3},
        **more,
    }


def test_a_failed_run_is_a_fault_and_shows_its_request() -> None:
    error = {"code": "CLOSED", "severity": "error"}
    clash = [{"code": "OVER_BUDGET"}]
    runs = [
        measure_run({"days": n}, result, None, [], (1.0, 0.5))
        for n, result in enumerate(
            [
                make_result("succeeded"),
                make_result("failed"),
                make_result("succeeded", violations=[error]),
                make_result("infeasible", clash=clash),
                make_result("infeasible", clash=[]),
            ]
        )
    ]
    report = summarise(runs, 0)
    assert (report["delivered"], report["explained"], report["without_errors"]) == (2, 1, 1)
    assert [fault.partition(": ")[2] for fault in report["faults"]] == [
        '{"days": 1}',
        '{"days": 2}',
        '{"days": 4}',
    ]

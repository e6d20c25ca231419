"""`waypool pool preview`: the pool as JSON and as text, parameters for once, snapshot files."""

import json
from pathlib import Path
from typing import Any

import pytest

from backend.pool.snapshot import Snapshot
from tests.cli.conftest import Waypool

pytestmark = pytest.mark.sql

CASES = Path(__file__).parents[1] / "pool" / "cases"
REQUEST: dict[str, Any] = {
    "origin": "cityb",
    "destinations": [{"city": "cityc"}, {"city": "citya"}],
    "start_date": "2026-05-24",
    "days": 2,
    "travellers": 2,
    "children": [6],
    "budget_tier": "economy",
    "must_see": ["poi_cityc_0002"],
    "locale": "en",
}


@pytest.fixture
def catalogue(waypool: Waypool) -> Waypool:
    assert waypool("import", "csv", CASES / "pool-2" / "catalogue").status == 0
    return waypool


def write(folder: Path, **changes: Any) -> Path:
    path = folder / "request.json"
    path.write_text(json.dumps(REQUEST | changes))
    return path


def test_json_has_the_shape_of_the_contract(catalogue: Waypool, tmp_path: Path) -> None:
    shown = catalogue("pool", "preview", "--request", write(tmp_path), "--json").json
    assert set(shown) == {"cities", "legs", "warnings", "resolved", "sha256"}
    assert list(shown["cities"]) == ["cityc", "citya"]
    assert set(shown["cities"]["cityc"]) == {
        "arrive", "leave", "pois", "must_see_added", "rejected", "hotels", "hotels_widened",
    }  # fmt: skip
    assert set(shown["legs"][0]) == {"from", "to", "date", "trains", "direct", "connections"}
    assert {w["code"] for w in shown["warnings"]} >= {"ADULT_FARES"}
    assert all(w["message"] for w in shown["warnings"])


def test_a_parameter_holds_for_once(catalogue: Waypool, tmp_path: Path) -> None:
    request = write(tmp_path)
    few = catalogue(
        "pool", "preview", "--request", request, "--param", "POOL_POI_SIZE=3", "--json"
    ).json
    many = catalogue("pool", "preview", "--request", request, "--json").json
    assert len(few["cities"]["citya"]["pois"]) == 3 < len(many["cities"]["citya"]["pois"])
    assert few["sha256"] != many["sha256"]


def test_planner_and_locale_are_not_in_the_hash(catalogue: Waypool, tmp_path: Path) -> None:
    one = catalogue("pool", "preview", "--request", write(tmp_path), "--json").json
    two = catalogue(
        "pool", "preview", "--request", write(tmp_path, planner="builtin", locale="zh-CN"), "--json"
    ).json
    assert one["sha256"] == two["sha256"]
    assert one["warnings"][0]["message"] != two["warnings"][0]["message"]


def test_a_snapshot_file_reads_back_with_its_hash(catalogue: Waypool, tmp_path: Path) -> None:
    out = tmp_path / "snapshot.json"
    shown = catalogue(
        "pool", "preview", "--request", write(tmp_path), "--snapshot", out, "--json"
    ).json
    snapshot = Snapshot.model_validate_json(out.read_text())
    assert snapshot.sealed().sha256 == snapshot.sha256 == shown["sha256"]
    assert snapshot.cities["citya"].pois == tuple(shown["cities"]["citya"]["pois"])


def test_text_shows_counts_warnings_and_hash(catalogue: Waypool, tmp_path: Path) -> None:
    done = catalogue("pool", "preview", "--request", write(tmp_path, start_date="2020-05-24"))
    assert done.status == 0
    for part in ("cityc", "closed", "price", "PAST_DATE", "ADULT_FARES", "sha256", "Legs"):
        assert part in done.out


def test_a_refused_request_names_its_faults(catalogue: Waypool, tmp_path: Path) -> None:
    request = write(tmp_path, must_see=["poi_nowhere"], days=0)
    done = catalogue("pool", "preview", "--request", request, "--json")
    assert done.status == 1
    assert {e["pointer"] for e in done.json["errors"]} == {"/days", "/must_see/0"}
    assert len(done.err.splitlines()) == 2


@pytest.mark.parametrize(
    ("start", "status"),
    [("1999-12-31", 1), ("2000-01-01", 0), ("9999-10-31", 0), ("9999-12-31", 1)],
)
def test_dates_that_no_trip_can_begin_on_are_faults(
    catalogue: Waypool, tmp_path: Path, start: str, status: int
) -> None:
    request = write(tmp_path, start_date=start, days=30)
    done = catalogue("pool", "preview", "--request", request, "--json")
    assert done.status == status
    assert [e["pointer"] for e in done.json.get("errors", [])] == ["/start_date"] * status


@pytest.mark.parametrize(
    ("param", "status"), [("POOL_POI_SIZE=0", 2), ("POOL_POI_SIZE", 2), ("POOL_POY_SIZE=3", 1)]
)
def test_a_bad_parameter_is_refused(
    catalogue: Waypool, tmp_path: Path, param: str, status: int
) -> None:
    done = catalogue("pool", "preview", "--request", write(tmp_path), "--param", param)
    assert done.status == status
    assert "POOL_PO" in done.err


def test_the_bench_has_bounds(waypool: Waypool) -> None:
    assert waypool("bench", "pool", "--places", "10").status == 2
    assert waypool("bench", "pool", "--help").status == 0

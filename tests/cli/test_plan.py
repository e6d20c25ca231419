"""`waypool plan` and what the operator does with its run afterwards."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Waypool

pytestmark = pytest.mark.sql

REQUEST: dict[str, Any] = {
    "origin": "上海",
    "destinations": [{"city": "苏州"}],
    "start_date": "2026-11-28",
    "days": 2,
    "travellers": 1,
    "budget_tier": "economy",
    "interests": ["garden"],
}


@pytest.fixture
def database_url(seeded_url: str) -> str:
    """These commands work on the seed catalogue."""
    return seeded_url


@pytest.fixture
def request_file(tmp_path: Path) -> Path:
    path = tmp_path / "request.json"
    path.write_text(json.dumps(REQUEST), encoding="utf-8")
    return path


def test_a_run_is_planned_kept_shown_retried_and_deleted(
    waypool: Waypool, request_file: Path
) -> None:
    planned = waypool("plan", "--request", request_file, "--json")
    assert (planned.status, planned.json["status"]) == (0, "succeeded")
    run_id = planned.json["id"]
    assert waypool("runs", "show", run_id, "--json").json == planned.json
    assert "苏州" in waypool("runs", "show", run_id).out
    again = waypool("runs", "retry", run_id, "--json").json
    assert (again["status"], again["id"] != run_id) == ("queued", True)
    listed = waypool("runs", "list", "--json").json
    assert [item["id"] for item in listed["items"]] == [again["id"], run_id]
    assert waypool("runs", "delete", again["id"]).status == 1  # it has not ended
    assert waypool("runs", "cancel", again["id"], "--json").json["status"] == "cancelled"
    assert waypool("runs", "delete", run_id).status == 0
    assert waypool("runs", "show", run_id).status == 1


def test_a_plan_is_written_as_calendar_map_and_markdown(
    waypool: Waypool, request_file: Path, tmp_path: Path
) -> None:
    files = [tmp_path / name for name in ("a.ics", "a.geojson", "a.md")]
    options = [("--ics", files[0]), ("--geojson", files[1]), ("--markdown", files[2])]
    line = [part for option in options for part in option]
    planned = waypool("plan", "--request", request_file, "--json", *line)
    assert planned.status == 0, planned.err
    starts = [path.read_bytes()[:17] for path in files]
    assert starts[0] == b"BEGIN:VCALENDAR\r\n"
    assert json.loads(files[1].read_text("utf-8"))["type"] == "FeatureCollection"
    assert files[2].read_text("utf-8").startswith("# 苏州")
    again = tmp_path / "again.ics"
    assert waypool("runs", "show", planned.json["id"], "--ics", again).status == 0
    assert again.read_bytes() == files[0].read_bytes()


def test_a_run_without_a_plan_is_not_written(
    waypool: Waypool, request_file: Path, tmp_path: Path
) -> None:
    run_id = waypool("plan", "--request", request_file, "--json").json["id"]
    queued = waypool("runs", "retry", run_id, "--json").json["id"]
    refused = waypool("runs", "show", queued, "--ics", tmp_path / "a.ics", "--json")
    assert (refused.status, refused.json["error"]["code"]) == (1, "NO_ITINERARY")
    assert not (tmp_path / "a.ics").exists()
    unknown = waypool("plan", "--request", request_file, "--ics", tmp_path / "no" / "a.ics")
    assert unknown.status == 1
    assert "cannot write" in unknown.err


def test_preview_and_run_agree_on_the_hash(waypool: Waypool, request_file: Path) -> None:
    preview = waypool("pool", "preview", "--request", request_file, "--json").json
    planned = waypool("plan", "--request", request_file, "--json").json
    assert planned["snapshot_sha256"] == preview["sha256"]


def test_a_refused_request_prints_its_problem_document(waypool: Waypool, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(REQUEST | {"days": 0, "interests": ["gardening"]}), encoding="utf-8")
    refused = waypool("plan", "--request", path, "--json")
    assert refused.status == 1
    assert {fault["pointer"] for fault in refused.json["errors"]} == {"/days", "/interests/0"}
    assert len(refused.err.splitlines()) == 2


@pytest.mark.parametrize("text", ["", "[1", "NaN", "[]", "\ufeff{}", "[" * 5000])
def test_a_file_that_is_no_request_is_one_clear_error(
    waypool: Waypool, tmp_path: Path, text: str
) -> None:
    path = tmp_path / "odd.json"
    path.write_text(text, encoding="utf-8")
    finished = waypool("plan", "--request", path)
    assert finished.status == 1
    assert finished.err


def test_a_model_that_is_not_configured_is_a_typed_failure(
    waypool: Waypool, tmp_path: Path
) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(REQUEST | {"planner": "openai"}), encoding="utf-8")
    finished = waypool("plan", "--request", path, "--json")
    assert finished.status == 1
    assert finished.json["error"]["code"] == "NO_MODEL"


def test_wishes_in_the_request_are_shown_on_the_terminal(waypool: Waypool, tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    wishes = [
        {"kind": "spend", "on": "tickets", "at_most": 9999},
        {"kind": "price", "of": "night", "at_most": 1, "weight": "rather"},
    ]
    path.write_text(json.dumps(REQUEST | {"wishes": wishes, "locale": "en"}), encoding="utf-8")
    planned = waypool("plan", "--request", path)
    assert planned.status == 0, planned.err
    assert "wish kept: at most 9999 on tickets in all" in planned.out
    assert "wish not kept: at most 1 for a night in one room" in planned.out
    path.write_text(json.dumps(REQUEST | {"wishes": [{"kind": "fly"}]}), encoding="utf-8")
    refused = waypool("plan", "--request", path)
    assert refused.status != 0
    assert "/wishes/0/kind" in refused.err
    assert "Traceback" not in refused.err

"""`waypool runs export` and `waypool replay`: a stored run as a file that verifies anywhere."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Waypool
from tests.flows.conftest import REQUEST

pytestmark = pytest.mark.sql


@pytest.fixture
def planned(
    seeded_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, waypool: Waypool
) -> str:
    """Id of a run on the seed catalogue."""
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", seeded_url)
    request = tmp_path / "request.json"
    words = {"notes": "外婆走不快", "locale": "en"}
    request.write_text(json.dumps(REQUEST | words), encoding="utf-8")
    result: str = waypool("plan", "--request", request, "--json").json["id"]
    return result


def test_a_run_is_exported_and_verifies_without_a_database(
    waypool: Waypool, planned: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "run.json"
    assert waypool("runs", "export", planned, "-o", target).status == 0
    assert waypool("replay", planned, "--json").json["verified"]
    bare = tmp_path / "bare.json"
    assert waypool("runs", "export", planned, "--redact", "-o", bare).status == 0
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    verified = waypool("replay", target, "--json")
    assert (verified.status, verified.json["difference"]) == (0, None)
    assert verified.json["calls_computed"] > 10
    assert "the same byte for byte" in waypool("replay", target).out
    assert "外婆" in target.read_text(encoding="utf-8")
    assert "外婆" not in bare.read_text(encoding="utf-8")
    assert "redacted" in waypool("replay", bare).out
    steps = waypool("replay", target, "--until", 8)
    assert "[system]" in steps.out
    assert waypool("replay", target, "--until", 8, "--json").json["turns"][0]["turn"] == 1


def test_a_difference_is_shown_with_its_path_and_is_exit_1(
    waypool: Waypool, planned: str, tmp_path: Path
) -> None:
    target = tmp_path / "run.json"
    waypool("runs", "export", planned, "-o", target)
    document: Any = json.loads(target.read_text(encoding="utf-8"))
    document["snapshot"]["rows"]["pois"]["beijing-gugong"]["price"] = "1.00"
    target.write_text(json.dumps(document), encoding="utf-8")
    finished = waypool("replay", target, "--json")
    assert finished.status == 1
    assert finished.json["difference"]["path"] == "/snapshot/rows/pois/beijing-gugong/price"
    assert finished.json["difference"]["found"] == "1.00"
    assert "/snapshot/rows/pois/beijing-gugong/price" in waypool("replay", target).out


def test_what_cannot_be_replayed_is_one_error(waypool: Waypool, tmp_path: Path) -> None:
    other = tmp_path / "other.json"
    other.write_text("{}")
    for line in (("replay", str(other)), ("runs", "export", "run_00000000000000000000000000")):
        finished = waypool(*line)
        assert (finished.status, len(finished.err.splitlines())) == (1, 1)


def test_a_run_of_another_version_is_good_unless_strict(
    waypool: Waypool, planned: str, tmp_path: Path
) -> None:
    target = tmp_path / "run.json"
    waypool("runs", "export", planned, "-o", target)
    document: Any = json.loads(target.read_text(encoding="utf-8"))
    assert document["made_by"]["planner_revision"] >= 1
    assert waypool("replay", target, "--strict").status == 0
    document["made_by"]["planner_revision"] = 0
    target.write_text(json.dumps(document), encoding="utf-8")
    finished = waypool("replay", target, "--json")
    assert (finished.status, finished.json["verified"]) == (0, "other_version")
    assert finished.json["made_by"] == document["made_by"]
    assert finished.json["differences"] == []
    assert waypool("replay", target, "--strict").status == 1
    assert "planner revision 0" in waypool("replay", target).out

"""`waypool tool call`: what the model would see, with limits from where they are said to come."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from backend.cli import run
from backend.db.embedded import start_embedded
from backend.settings import read_settings
from tests.cli.conftest import Finished, Waypool
from tests.factories import make_snapshot

SNAPSHOT = make_snapshot()


@pytest.fixture
def snapshot(tmp_path: Path) -> Path:
    path = tmp_path / "snapshot.json"
    path.write_text(SNAPSHOT.as_text(), encoding="utf-8")
    return path


@pytest.fixture
def alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Waypool]:
    """The command where no database is given and none of our own runs."""
    monkeypatch.delenv("WAYPOOL_DATABASE_URL", raising=False)
    monkeypatch.setenv("WAYPOOL_HOME", str(tmp_path / "home"))

    def call(*arguments: object) -> Finished:
        capsys.readouterr()
        status = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Finished(status, captured.out, captured.err)

    yield call
    assert not read_settings().embedded_data.exists()  # nothing was started for it


def list_places(waypool: Waypool, snapshot: Path, *options: object) -> dict[str, Any]:
    finished = waypool(
        "tool", "call", "list_pois", "--snapshot", snapshot, "--args", '{"city":"北京"}', *options
    )
    assert (finished.status, finished.err) == (0, "")
    page = finished.json
    assert isinstance(page, dict)
    return page


def test_without_a_database_the_codes_defaults_hold(alone: Waypool, snapshot: Path) -> None:
    assert list_places(alone, snapshot)["limit"] == 25
    assert list_places(alone, snapshot, "--limit", "list_pois=3")["limit"] == 3


@pytest.mark.sql
def test_the_databases_limits_hold_and_limit_beats_them(waypool: Waypool, snapshot: Path) -> None:
    assert waypool("tools", "set", "list_pois", "--limit", 4).status == 0
    assert list_places(waypool, snapshot)["limit"] == 4
    assert list_places(waypool, snapshot, "--limit", "list_pois=7")["limit"] == 7
    assert waypool("tools", "set", "list_pois", "--disabled").status == 0
    off = waypool("tool", "call", "list_pois", "--snapshot", snapshot, "--args", '{"city":"北京"}')
    assert off.json["error"]["code"] == "TOOL_DISABLED"


@pytest.mark.sql
def test_our_own_database_is_asked_while_it_runs(
    snapshot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.delenv("WAYPOOL_DATABASE_URL", raising=False)
    monkeypatch.setenv("WAYPOOL_HOME", str(tmp_path / "home"))
    arguments = [
        "tool",
        "call",
        "list_pois",
        "--snapshot",
        str(snapshot),
        "--args",
        '{"city":"北京"}',
    ]
    with start_embedded(read_settings().embedded_data):
        assert run(arguments) == 0  # not migrated: the code's defaults
        assert json.loads(capsys.readouterr().out)["limit"] == 25
        assert run(["tools", "set", "list_pois", "--limit", "6"]) == 0
        capsys.readouterr()
        assert run(arguments) == 0
        assert json.loads(capsys.readouterr().out)["limit"] == 6


def test_a_database_that_does_not_answer_is_no_reason_to_fail(
    alone: Waypool, snapshot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", "postgresql://nobody@127.0.0.1:1/none")
    assert list_places(alone, snapshot)["limit"] == 25


def test_calls_go_on_from_each_other_with_a_draft(
    alone: Waypool, snapshot: Path, tmp_path: Path
) -> None:
    draft = tmp_path / "draft.json"

    def call(name: str, **arguments: Any) -> Finished:
        return alone(
            "tool", "call", name, "--snapshot", snapshot, "--draft", draft,
            "--limit", "list_pois=4", "--args", json.dumps(arguments),
        )  # fmt: skip

    assert call("list_pois", city="beijing").json["returned"] == 4
    assert call("nothing").status == 1
    assert call("list_pois", city="beijing").json["repeat_of"] == 1
    assert call("list_pois", city="beijing", unseen_only=True).json["total"] == 6
    assert call("put_visit", day=2, poi_id="bj-gugong").json["day"] == 2
    kept = json.loads(draft.read_text(encoding="utf-8"))
    assert kept["calls"] == 5
    assert kept["draft"]["visits"] == {"2": [{"poi_id": "bj-gugong", "at": None}]}
    assert len(kept["listed"]["poi"]) == 8
    view = call("view_itinerary").json
    assert any(item.get("poi_id") == "bj-gugong" for item in view["days"][1]["items"])


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ("{", "is not JSON"),
        ("[]", "is no working state"),
        ('{"calls": -1}', "is no working state: calls"),
        ('{"snapshot_sha256": "abc"}', "belongs to another snapshot"),
        ('{"draft": {"visits": {"9": []}}}', "does not fit the snapshot: no day 9"),
        ('{"draft": {"visits": {"1": [{"poi_id": "x"}]}}}', "no place 'x'"),
        ('{"draft": {"hotels": {"rome": "bj-h-xidan"}}}', "no city 'rome'"),
        ('{"draft": {"trains": {"7": ["g2"]}}}', "no leg 7"),
    ],
)
def test_a_wrong_draft_is_one_line(
    alone: Waypool, snapshot: Path, tmp_path: Path, content: str, named: str
) -> None:
    draft = tmp_path / "draft.json"
    draft.write_text(content, encoding="utf-8")
    finished = alone("tool", "call", "view_itinerary", "--snapshot", snapshot, "--draft", draft)
    assert finished.status == 1
    assert named in finished.err
    assert finished.err.count("\n") == 1
    assert draft.read_text(encoding="utf-8") == content


def test_a_tool_error_is_on_both_outputs_and_exits_1(alone: Waypool, snapshot: Path) -> None:
    finished = alone(
        "tool", "call", "get_poi", "--snapshot", snapshot, "--args", '{"poi_id":"故宫"}'
    )
    assert finished.status == 1
    assert finished.json["error"]["code"] == "NOT_IN_POOL"
    assert finished.json["error"]["allowed"] == ["bj-gugong"]
    assert finished.err.startswith("waypool: NOT_IN_POOL: ")
    assert finished.err.count("\n") == 1
    unknown = alone("tool", "call", "list_poi", "--snapshot", snapshot)
    assert (unknown.status, unknown.json["error"]["code"]) == (1, "UNKNOWN_TOOL")
    bad = alone("tool", "call", "list_pois", "--snapshot", snapshot, "--args", "{city")
    assert (bad.status, bad.json["error"]["code"]) == (1, "BAD_ARGUMENTS")


@pytest.mark.parametrize(
    ("limit", "status", "named"),
    [
        ("list_pois=0", 2, "from 1 to 200"),
        ("list_pois=201", 2, "from 1 to 200"),
        ("list_pois=many", 2, "from 1 to 200"),
        ("list_pois=" + "9" * 5000, 2, "from 1 to 200"),
        ("get_poi=5", 2, "answers without rows"),
        ("list_pois", 2, "TOOL=N"),
        ("list_poi=5", 1, "list_pois"),
    ],
)
def test_a_wrong_limit_is_refused(
    alone: Waypool, snapshot: Path, limit: str, status: int, named: str
) -> None:
    finished = alone("tool", "call", "list_pois", "--snapshot", snapshot, "--limit", limit)
    assert finished.status == status
    assert named in finished.err


def test_a_wrong_snapshot_is_one_line(alone: Waypool, tmp_path: Path) -> None:
    path = tmp_path / "snapshot.json"
    document = SNAPSHOT.as_json()
    del document["rows"]["pois"]["bj-gugong"]
    for content, named in (
        ("{}", "is no snapshot: request: Field required"),
        ("[]", "is no snapshot: it:"),
        ("{", "is not JSON"),
        (json.dumps(document), "rows lack the poi 'bj-gugong'"),
    ):
        path.write_text(content, encoding="utf-8")
        finished = alone("tool", "call", "view_itinerary", "--snapshot", path)
        assert finished.status == 1
        assert named in finished.err
        assert finished.err.count("\n") == 1
    missing = alone("tool", "call", "view_itinerary", "--snapshot", tmp_path / "none.json")
    assert (missing.status, "cannot read" in missing.err) == (1, True)

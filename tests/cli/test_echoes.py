"""What was given comes back in an error, but never at full length, and with few near names."""

import json
from pathlib import Path

import pytest

from backend.cli import run
from tests.cli.conftest import Waypool

LONG = "x" * 5000
MOST = 400


@pytest.mark.parametrize(
    "line",
    [
        ["params", "set", LONG, "1"],
        ["params", "set", "POOL_POI_SIZE", LONG],
        ["params", "revert", "POOL_POI_SIZE", "--to", LONG],
        ["params", "history", LONG],
        ["tools", "set", LONG, "--limit", "5"],
        ["tools", "set", "list_pois", "--limit", LONG],
        ["tools", "history", LONG],
        ["pool", "preview", "--request", "-", "--param", LONG],
        ["pool", "preview", "--request", "-", "--param", f"{LONG}=1"],
        ["tool", "call", "list_pois", "--snapshot", "-", "--limit", LONG, "--args", "{}"],
        ["tool", "call", "list_pois", "--snapshot", "-", "--limit", f"{LONG}=1", "--args", "{}"],
        ["bench", "planner", ".", "--seconds", LONG],
        ["mock-llm", "--show", "--scenario", LONG],
        ["runs", "list", "--limit", LONG],
        ["runs", "list", "--cursor", LONG],
        ["runs", "list", "--status", LONG],
        ["results", "list", "--cursor", LONG],
        ["plan", "--request", "-", "--tenant", LONG],
        ["plan", "--request", LONG],
        ["audit-columns", LONG],
        ["results", "put", LONG],
        [LONG],
        ["runs", LONG],
        ["runs", "list", f"--{LONG}"],
    ],
)
def test_a_long_value_is_cut(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*line, "--json"]) in (1, 2)
    captured = capsys.readouterr()
    assert captured.err.startswith("waypool: ")
    assert captured.err.count("\n") == 1
    assert len(captured.err) <= MOST
    assert len(json.loads(captured.out)["error"]["message"]) <= MOST


@pytest.mark.sql
@pytest.mark.parametrize(
    "line",
    [
        ["runs", "show", LONG],
        ["runs", "cancel", LONG],
        ["runs", "retry", LONG],
        ["runs", "delete", LONG],
        ["keys", "revoke", LONG],
        ["results", "query", LONG, "rows"],
    ],
)
def test_a_long_id_is_cut(waypool: Waypool, line: list[str]) -> None:
    finished = waypool(*line, "--json")
    assert finished.status == 1
    assert len(finished.err) <= MOST
    assert len(finished.json["error"]["message"]) <= MOST


@pytest.mark.parametrize(
    ("line", "near"),
    [
        (["params", "set", "POOL_POI", "1"], "POOL_POI_SIZE"),
        (["params", "set", "???", "1"], ""),
        (["tools", "set", "list_poi", "--limit", "5"], "list_pois"),
        (["tools", "set", "???", "--limit", "5"], ""),
    ],
)
def test_three_near_names_are_enough(
    line: list[str], near: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(line) == 1
    names = capsys.readouterr().err.rpartition("near: ")[2].split(", ")
    assert len(names) == 3
    assert names[0].strip().startswith(near)


@pytest.mark.parametrize("cursor", ["nonsense", "run_", "res_01kchamhf3q5w6x7y8z9abcdef", "1"])
def test_a_cursor_that_is_none_is_named(cursor: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["runs", "list", "--cursor", cursor, "--json"]) == 2
    captured = capsys.readouterr()
    assert json.loads(captured.out)["error"]["code"] == "USAGE"
    assert repr(cursor) in captured.err


def test_a_draft_of_long_names_is_told_in_short(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.factories import make_snapshot  # noqa: PLC0415 - costs a second, needed here alone

    snapshot, draft = tmp_path / "snapshot.json", tmp_path / "draft.json"
    snapshot.write_text(make_snapshot().as_text(), encoding="utf-8")
    draft.write_text(json.dumps({"draft": {"hotels": {LONG: LONG}}}), encoding="utf-8")
    line = ["tool", "call", "view_itinerary", "--snapshot", str(snapshot), "--draft", str(draft)]
    assert run([*line, "--args", "{}"]) == 1
    assert len(capsys.readouterr().err) <= MOST + len(str(draft))

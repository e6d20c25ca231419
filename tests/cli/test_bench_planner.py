"""`waypool bench planner`: rows for each instance, gaps, the mean, and clear refusals."""

import json
from pathlib import Path

import pytest

from backend.cli import run
from tests.bench.instances import write_solomon, write_trip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_solomon(tmp_path / "r101.txt")
    write_trip(tmp_path / "t101.txt")
    (tmp_path / "format.txt").write_text("not an instance")
    return tmp_path


def call(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    status = run(["bench", "planner", *map(str, arguments)])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_best_values_lie_beside_the_instances(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "best.csv").write_text("instance,m,best\nr101,2,200\nr101,1,100\n")
    status, out, _ = call(capsys, folder, "--seconds", "0.1,0.2", "--json")
    rows = json.loads(out)
    assert status == 0
    assert [(r["instance"], r["m"], r["seconds"], r["best"]) for r in rows] == [
        (name, m, seconds, best)
        for seconds in (0.1, 0.2)
        for name, m, best in (("r101", 2, 200), ("r101", 1, 100), ("t101", 1, None))
    ]
    for row in rows:
        assert list(row) == ["instance", "m", "seconds", "value", "best", "gap"]
        assert row["value"] > 0
        expected = row["best"] and round(100 * (row["best"] - row["value"]) / row["best"], 3)
        assert row["gap"] == expected


def test_a_file_of_best_values_may_lie_elsewhere(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    best = tmp_path / "known.csv"
    best.write_text("instance,m,best\nt101,3,116\n")
    status, out, _ = call(capsys, folder, "--best", best, "--seconds", "0.1")
    assert status == 0
    assert [line.split() for line in out.splitlines()[1:]] == [
        ["r101", "1", "0.1", out.splitlines()[1].split()[3], "-", "-"],
        ["t101", "3", "0.1", "116", "116", "0.00"],
        ["mean", "gap", "in", "0.1", "s:", "0.00", "%"],
    ]


def test_whole_seconds_are_whole_numbers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "r101.txt").unlink()
    _, out, _ = call(capsys, folder, "--seconds", "1", "--json")
    assert '"seconds": 1,' in out


@pytest.mark.parametrize(
    ("best", "arguments", "fault"),
    [
        ("instance,m,best\nr101,0,9\n", [], "best.csv, line 2: m and best begin at 1"),
        ("instance,m\nr101,1\n", [], "best.csv, line 2: expected instance,m,best"),
        ("instance,m,best\n", ["--seconds", "soon"], "no list of seconds"),
        ("instance,m,best\n", ["--seconds", "0"], "between 0.1 and 3600"),
    ],
)
def test_bad_input_is_named(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    best: str,
    arguments: list[str],
    fault: str,
) -> None:
    (folder / "best.csv").write_text(best)
    status, _, err = call(capsys, folder, *arguments)
    assert status != 0
    assert fault in err


def test_a_folder_without_instances_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, err = call(capsys, tmp_path)
    assert status == 1
    assert "holds no instances" in err

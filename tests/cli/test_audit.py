"""`waypool audit-columns` prints its report, and one line where there is none."""

import json
from pathlib import Path

import pytest

from backend.cli import run


def test_the_report_as_json_and_for_people(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "t.csv"
    file.write_text("a,b\n1,x\n2,x\n3,x\n", encoding="utf-8")
    assert run(["audit-columns", str(file), "--cut", "9", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["findings"] == [{"column": "b", "kind": "constant", "bytes": 8, "value": "x"}]
    assert (report["cut"]["rows_kept"], report["cut"]["rows_lost"]) == (1, 2)
    assert run(["audit-columns", str(file)]) == 0
    assert "constant" in capsys.readouterr().out


def test_a_file_that_is_not_there(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit-columns", "/nowhere/at/all.csv", "--json"]) == 1
    shown = capsys.readouterr()
    assert json.loads(shown.out)["error"]["code"]
    assert len(shown.err.strip().splitlines()) == 1


def test_a_cut_of_nothing_is_a_wrong_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["audit-columns", "x", "--cut", "0"]) == 2
    assert "cut" in capsys.readouterr().err

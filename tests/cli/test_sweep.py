"""`waypool sweep` on a file of requests: a table, a picture, and what is wrong with a line."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Waypool
from tests.flows.conftest import REQUEST


@pytest.mark.sql
def test_the_command_sweeps_a_file_of_requests(
    waypool: Waypool, seeded_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", seeded_url)
    file, picture = tmp_path / "requests.json", tmp_path / "sweep.svg"
    gone = {**REQUEST, "must_see": ["a place that is no more"]}
    file.write_text(json.dumps([gone, REQUEST]), encoding="utf-8")
    line = ("sweep", "--param", "POOL_POI_SIZE=15,30", "--runs", file, "--processes", 1)
    finished = waypool(*line, "--svg", picture, "--json")
    assert finished.status == 0, finished.err
    items = finished.json["items"]
    assert finished.json["requests"] == 1
    assert "request 1 is left out: /must_see/0" in finished.err
    assert [item["setting"] for item in items] == ["POOL_POI_SIZE=15", "POOL_POI_SIZE=30"]
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    assert waypool("sweep", "--param", "POOL_POI_SIZE=0").status == 2
    assert waypool("sweep", "--param", "POOL_POI_SIZE").status == 2
    assert "no runs yet" in waypool("sweep").err
    for wrong, said in (([gone], "a place that is no more"), ([gone, gone], "none of the 2")):
        file.write_text(json.dumps(wrong), encoding="utf-8")
        refused = waypool(*line)
        assert (refused.status, said in refused.err) == (1, True), refused.err

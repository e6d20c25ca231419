"""`waypool export csv`: what is exported can be imported elsewhere, and is the same there."""

import csv
from pathlib import Path

import pytest

from backend.catalogue.importers.lines import LINES
from backend.settings import find_data
from tests.cli.conftest import Waypool
from tests.database import run_sql

pytestmark = pytest.mark.sql


def read_cells(folder: Path) -> dict[str, list[list[str]]]:
    found = {}
    for kind in LINES:
        with (folder / f"{kind.FILE}.csv").open(encoding="utf-8", newline="") as file:
            found[kind.FILE] = list(csv.reader(file))
    return found


def test_a_catalogue_goes_out_and_in_and_is_the_same(
    waypool: Waypool,
    seeded_url: str,
    database_url: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run_sql(
        seeded_url,
        "update place set intro = E'Two\\nlines, \"quoted\"; a comma', price = 12.5,"
        " last_entry = '16:00', cuisine = '{noodles,tea}', best_time = '{dusk,night}'"
        " where id = (select min(id) from place)",
        "update hotel set beds = null, rating = 8.25 where id = (select min(id) from hotel)",
    )
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", seeded_url)
    before = waypool("db", "status", "--json").json
    exported = waypool("export", "csv", tmp_path / "out", "--json")
    assert exported.status == 0, exported.err
    assert exported.json["files"] == before["rows"]
    cells = read_cells(tmp_path / "out")
    for kind in LINES:
        assert cells[kind.FILE][0] == list(kind.model_fields)
        assert len(cells[kind.FILE]) == before["rows"][kind.FILE] + 1

    monkeypatch.setenv("WAYPOOL_DATABASE_URL", database_url)
    assert waypool("db", "status", "--json").json["catalogue_sha256"] != before["catalogue_sha256"]
    imported = waypool("import", "csv", tmp_path / "out", "--json")
    assert imported.status == 0, imported.err
    after = waypool("db", "status", "--json").json
    assert after["rows"] == before["rows"]
    assert after["catalogue_sha256"] == before["catalogue_sha256"]
    assert waypool("export", "csv", tmp_path / "again").status == 0
    assert read_cells(tmp_path / "again") == cells

    run_sql(database_url, "update place set popularity = popularity + 1 where popularity < 50")
    changed = waypool("db", "status", "--json").json
    assert changed["catalogue_sha256"] != before["catalogue_sha256"]


def test_the_seed_catalogue_comes_out_as_it_went_in(
    waypool: Waypool, seeded_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WAYPOOL_DATABASE_URL", seeded_url)
    assert waypool("export", "csv", tmp_path / "out").status == 0
    with (find_data("seed_data") / "cities.csv").open(encoding="utf-8", newline="") as file:
        seed = sorted(row["id"] + row["modes"] for row in csv.DictReader(file))
    with (tmp_path / "out" / "cities.csv").open(encoding="utf-8", newline="") as file:
        assert sorted(row["id"] + row["modes"] for row in csv.DictReader(file)) == seed


def test_a_folder_that_holds_something_is_refused(waypool: Waypool, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for folder in (tmp_path, tmp_path / "file", tmp_path / "none" / "deeper"):
        refused = waypool("export", "csv", folder)
        assert refused.status == 1
        assert refused.err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["file"]

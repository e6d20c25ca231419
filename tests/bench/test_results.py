"""The results' bench on few rows: its answers are the rivals', and it leaves nothing behind."""

import re

import pytest

from backend.bench.results import describe_results, run_results_bench
from backend.guide.library import read_topic
from tests.bench.test_pool import list_databases

GUIDE = read_topic("benchmarks", "en")
ENGINES = ["Waypool, stored", "duckdb, in memory", "polars, in memory"]


def read_shown_table() -> list[str]:
    """The lines of the table that the GUIDE shows."""
    part = GUIDE.split("<!-- results: begin -->")[1].split("<!-- results: end -->")[0]
    return [line for line in part.splitlines() if line.startswith("|")]


def test_the_guide_shows_a_time_of_each_engine() -> None:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in read_shown_table()[2:]]
    assert [row[0] for row in rows] == ENGINES
    for row in rows:
        for cell in [row[1], *row[3:]]:
            assert re.fullmatch(r"\d+\.\d+ s", cell)
    assert re.fullmatch(r"\d+ MB", rows[0][2])


@pytest.mark.sql
async def test_the_answers_agree_and_the_database_is_gone(server_url: str) -> None:
    report = await run_results_bench(server_url, rows=40_000, reads=10, runs=1)
    assert report["bytes"] > 4_000_000
    assert set(report["rivals"]) == {"duckdb", "polars"}
    for rival in report["rivals"].values():
        assert rival["agrees"] is True
    for name in ("summary", "filter", "group"):
        assert report["milliseconds"][name]["p50"] > 0
    assert report["strangers"]["same_body"] is True
    printed = [line for line in describe_results(report) if line.startswith("|")]
    assert [line.split("|")[1].strip() for line in printed[2:]] == ENGINES
    assert read_shown_table()[0] == printed[0]
    assert not {name for name in list_databases(server_url) if "bench" in name}

"""The results' bench on few rows: its answers are the rivals', and it leaves nothing behind."""

import pytest

from backend.bench.results import describe_results, run_results_bench
from tests.bench.test_pool import list_databases

pytestmark = pytest.mark.sql


async def test_the_answers_agree_and_the_database_is_gone(server_url: str) -> None:
    report = await run_results_bench(server_url, rows=40_000, reads=10, runs=1)
    assert report["bytes"] > 4_000_000
    assert set(report["rivals"]) == {"duckdb", "polars"}
    for rival in report["rivals"].values():
        assert rival["agrees"] is True
    for name in ("summary", "filter", "group"):
        assert report["milliseconds"][name]["p50"] > 0
    assert report["strangers"]["same_body"] is True
    assert any("duckdb" in line for line in describe_results(report))
    assert not {name for name in list_databases(server_url) if "bench" in name}

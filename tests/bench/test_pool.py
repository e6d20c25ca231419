"""The pool's bench on a small catalogue: what it reports adds up, and it leaves nothing behind."""

import psycopg
import pytest

from backend.bench.pool import describe_report, run_pool_bench

pytestmark = pytest.mark.sql


def list_databases(url: str) -> set[str]:
    with psycopg.connect(url) as connection:
        return {name for (name,) in connection.execute("select datname from pg_database")}


async def test_the_report_adds_up_and_the_database_is_gone(server_url: str) -> None:
    report = await run_pool_bench(server_url, places=20_000, cities=40, runs=2)
    city = report["city"]
    assert city["places"] == 500 == city["pool"] + sum(city["rejected"].values())
    assert all(city["rejected"][reason] for reason in ("disabled", "avoided", "price", "closed"))
    assert report["plan"] == {
        "node": "Index Only Scan", "index": "ix_place_pool", "heap_fetches": 0,
    }  # fmt: skip
    assert report["plan_after_writes"]["index"] == "ix_place_pool"
    for name in ("pool", "bare_top", "with_reserve", "hash", "build", "after_writes"):
        assert 0 < report["milliseconds"][name]["least"] <= report["milliseconds"][name]["p50"]
    assert any("bare top-60" in line for line in describe_report(report))
    assert not {name for name in list_databases(server_url) if "bench" in name}

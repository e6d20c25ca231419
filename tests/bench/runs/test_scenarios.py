"""Each scenario of the runs' bench at a tenth of its size: what it demands of correctness holds.

The processes are real ones; only the killing needs a PostgreSQL of its own, to restart it.
"""

import pytest

from backend.bench.runs.overhead import OWN, measure_overhead
from backend.bench.runs.readers import measure_readers
from backend.bench.runs.scenarios import measure_kills, measure_throughput

pytestmark = pytest.mark.timeout(900)  # processes start slowly on a machine that is busy


async def test_all_queued_runs_are_done_and_none_twice(seeded_url: str) -> None:
    report = await measure_throughput(20, 8, is_timed=False, url=seeded_url)
    assert report.is_met, report.describe()
    assert report.figures["model_calls"] == 160


async def test_kills_and_a_restart_lose_nothing_and_pay_nothing_twice() -> None:
    report = await measure_kills(10)
    assert report.is_met, report.describe()
    assert report.figures["kills"] >= 1


async def test_readers_hear_every_event_once_over_a_reconnect(seeded_url: str) -> None:
    report = await measure_readers(50, seeded_url)
    assert report.is_met, report.describe()
    assert report.figures["right"] == 50


async def test_the_comparison_holds_one_conversation_by_all_means(seeded_url: str) -> None:
    report = await measure_overhead(2, seeded_url)
    figures = report.figures
    assert {OWN, "bare loop"} <= set(figures["milliseconds_a_turn"])
    assert all(value > 0 for value in figures["milliseconds_a_turn"].values())

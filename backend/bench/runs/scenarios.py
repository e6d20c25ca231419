"""All scenarios in one visible tuple, and how their size follows from the scale.

Many runs queued at once: all done, none twice, and how close to the time that the model alone takes.
"""

import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from backend.bench.runs.kills import measure_kills, read_findings
from backend.bench.runs.overhead import measure_overhead
from backend.bench.runs.processes import read_counts
from backend.bench.runs.readers import measure_readers
from backend.bench.runs.script import TURNS
from backend.bench.runs.site import Demand, Report, describe_shares, open_site

DELAY, WORKERS = 0.3, 2
MOST_OF_IDEAL = 1.25


async def measure_throughput(
    runs: int, concurrency: int, *, is_timed: bool = True, url: str | None = None
) -> Report:
    """`concurrency` is that of each of the two workers; `is_timed` demands the time too."""
    async with open_site(DELAY, url) as site:
        for _ in range(WORKERS):
            site.fleet.start_worker(concurrency)
        await site.wait_for_workers(WORKERS)
        before, began = site.measure(), time.perf_counter()
        await site.start_runs(runs)
        await site.wait_for_end()
        seconds = time.perf_counter() - began
        used = {name: value - before.get(name, 0.0) for name, value in site.measure().items()}
        found, asked = await read_findings(site), read_counts(site.model)["asked"]
    ideal = runs * TURNS * DELAY / (WORKERS * concurrency)
    limit = MOST_OF_IDEAL * ideal
    figures = {
        "runs": runs,
        "concurrency": concurrency,
        "seconds": round(seconds, 2),
        "ideal_seconds": round(ideal, 2),
        "runs_per_second": round(runs / seconds, 2),
        "processor_seconds": {name: round(value, 2) for name, value in used.items()},
        "model_calls": asked,
    }
    demands = (
        Demand("all runs succeeded with the model's plan", found.ended_well == found.runs == runs),
        Demand("each turn once in each log", found.exact == runs),
        Demand("no model call twice", asked == runs * TURNS),
        Demand(f"done within {limit:.1f} s", seconds <= limit if is_timed else None),
    )
    lines = (
        f"{runs} runs of {TURNS} turns, {WORKERS} workers with {concurrency} each,"
        f" model delay {DELAY * 1000:.0f} ms: {seconds:.1f} s, ideal {ideal:.1f} s,"
        f" {runs / seconds:.1f} runs a second",
        f"processor: {describe_shares(used)}",
    )
    return Report(f"throughput at concurrency {concurrency}", figures, demands, lines)


RUNS, WIDE_RUNS, KILLED_RUNS, READERS, CONVERSATIONS = 200, 400, 100, 500, 40


@dataclass(frozen=True)
class Scenario:
    """A name and what it measures at a scale; demands on time hold at full size only."""

    name: str
    measure: Callable[[float], Coroutine[Any, Any, Report]]


def scale_count(full: int, scale: float, least: int = 1) -> int:
    """A part of the full number, rounded, and at least so many."""
    return max(least, round(full * scale))


SCENARIOS: tuple[Scenario, ...] = (
    Scenario(
        "throughput",
        lambda scale: measure_throughput(scale_count(RUNS, scale), 8, is_timed=scale >= 1),
    ),
    Scenario(
        "wide", lambda scale: measure_throughput(scale_count(WIDE_RUNS, scale), 64, is_timed=False)
    ),
    Scenario("kills", lambda scale: measure_kills(scale_count(KILLED_RUNS, scale))),
    Scenario("readers", lambda scale: measure_readers(scale_count(READERS, scale))),
    Scenario("overhead", lambda scale: measure_overhead(scale_count(CONVERSATIONS, scale))),
)

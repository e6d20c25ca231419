"""All scenarios in one visible tuple, and how their size follows from the scale."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from backend.bench.runs.kills import measure_kills
from backend.bench.runs.overhead import measure_overhead
from backend.bench.runs.readers import measure_readers
from backend.bench.runs.report import Report
from backend.bench.runs.throughput import measure_throughput

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

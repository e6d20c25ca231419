"""Timings as medians: a mean would tell about the machine's other work."""

import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

T = TypeVar("T")


@dataclass
class Stopwatch:
    """Milliseconds of repeated work by name; the first `warm_up` of each do not count."""

    warm_up: int = 0
    samples: dict[str, list[float]] = field(default_factory=dict)

    async def time(self, name: str, work: Callable[[], Awaitable[T]]) -> T:
        """Do the work once, and note how long it took."""
        start = time.perf_counter()
        result = await work()
        self._note(name, start)
        return result

    def time_now(self, name: str, work: Callable[[], T]) -> T:
        """The same for work that does not wait."""
        start = time.perf_counter()
        result = work()
        self._note(name, start)
        return result

    def summarise(self, name: str) -> dict[str, float]:
        """Median, 95th percentile and least, in milliseconds."""
        ordered = sorted(self.samples[name][self.warm_up :])
        return {
            "p50": round(_find_quantile(ordered, 0.5), 2),
            "p95": round(_find_quantile(ordered, 0.95), 2),
            "least": round(ordered[0], 2),
        }

    def _note(self, name: str, start: float) -> None:
        self.samples.setdefault(name, []).append((time.perf_counter() - start) * 1000)


def _find_quantile(ordered: list[float], share: float) -> float:
    """The smallest sample that at least this share of all does not exceed."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]

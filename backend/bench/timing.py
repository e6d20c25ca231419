"""Timings as medians: a mean would tell about the machine's other work.

Made-up orders as a tool would give them: seven columns, seeded, so that every run has the same.
"""

import math
import random
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
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


_STATUS = ("paid", "paid", "paid", "unpaid", "refunded")
_CITIES = ("上海", "北京", "成都", "杭州")
_BLOCK = 10_000


def write_orders(path: Path, count: int) -> int:
    """A bare JSON list in a file; gives its bytes."""
    with path.open("w", encoding="utf-8") as file:
        file.write("[")
        for start in range(0, count, _BLOCK):
            rows = make_rows(start, min(start + _BLOCK, count))
            file.write((", " if start else "") + ", ".join(rows))
        file.write("]")
    return path.stat().st_size


def make_rows(start: int, end: int) -> Iterator[str]:
    chance = random.Random(start)  # noqa: S311 - made-up data
    for n in range(start, end):
        cents = chance.randrange(2000, 500_000)
        day = f"2026-{chance.randrange(1, 10):02d}-{chance.randrange(1, 29):02d}"
        time = f"{chance.randrange(24):02d}:{chance.randrange(60):02d}:00"
        yield (
            f'{{"order_id": "SO{n:010d}", "customer": "客户{chance.randrange(10_000):04d}",'
            f' "status": "{chance.choice(_STATUS)}", "amount": {cents // 100}.{cents % 100:02d},'
            f' "city": "{chance.choice(_CITIES)}", "nights": {chance.randrange(1, 8)},'
            f' "created_at": "{day}T{time}"}}'
        )

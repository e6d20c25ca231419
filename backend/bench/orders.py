"""Made-up orders as a tool would give them: seven columns, seeded, so that every run has the same."""

import random
from collections.abc import Iterator
from pathlib import Path

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

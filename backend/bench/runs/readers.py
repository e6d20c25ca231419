"""Many readers of events on two API processes: each hears every event of its run once, in order.

Half-way each one hangs up and goes on at the other process from where it was.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import aclosing

from backend.bench.runs.report import Demand, Report, describe_shares
from backend.bench.runs.site import open_site
from backend.bench.runs.sse import BrokenStreamError, read_events

DELAY, CONCURRENCY = 0.1, 16
READERS_OF_A_RUN = 10
HANGS_UP_AFTER = 7


async def measure_readers(readers: int, url: str | None = None) -> Report:
    """Let so many read the runs that one worker carries."""
    async with open_site(DELAY, url) as site:
        addresses = [site.fleet.start_api() for _ in range(2)]
        key = await site.make_key()
        faults: Counter[str] = Counter()
        before, began = site.measure(), time.perf_counter()
        runs = await site.start_runs(max(1, readers // READERS_OF_A_RUN))
        reading = [
            asyncio.create_task(_read(addresses, n, key, runs[n % len(runs)], faults))
            for n in range(readers)
        ]
        site.fleet.start_worker(CONCURRENCY)
        heard = await asyncio.gather(*reading)
        await site.wait_for_end()
        seconds = time.perf_counter() - began
        used = {name: value - before.get(name, 0.0) for name, value in site.measure().items()}
        written = await site.count_steps()
    wanted = [list(range(1, written[runs[n % len(runs)]] + 1)) for n in range(readers)]
    right = sum(one == all_of_it for one, all_of_it in zip(heard, wanted, strict=True))
    events = sum(map(len, heard))
    figures = {
        "readers": readers,
        "runs": len(runs),
        "events": events,
        "right": right,
        "faults": dict(faults),
        "seconds": round(seconds, 2),
        "processor_seconds": {name: round(value, 2) for name, value in used.items()},
    }
    demands = (Demand("each hears every event once, in order, over a reconnect", right == readers),)
    lines = (
        f"{readers} readers of {len(runs)} runs on 2 API processes: {events} events"
        f" in {seconds:.1f} s, {right} readers without gap or repeat",
        f"processor: {describe_shares(used)}",
        *(f"{count} readers were cut off: {fault}" for fault, count in faults.items()),
    )
    return Report("readers", figures, demands, lines)


async def _read(
    addresses: Sequence[str], number: int, key: str, run_id: str, faults: Counter[str]
) -> list[int]:
    heard: list[int] = []
    for leg, limit in enumerate((HANGS_UP_AFTER, None)):
        address = addresses[(number + leg) % len(addresses)]
        after = heard[-1] if heard else 0
        try:
            async with aclosing(read_events(address, key, run_id, after)) as events:
                async for seq in events:
                    heard.append(seq)
                    if len(heard) == limit:
                        break
        except (BrokenStreamError, OSError) as error:
            faults[f"{type(error).__name__}: {error}"] += 1
            break  # what was heard tells
    return heard

"""Many readers of events on two API processes: each hears every event of its run once, in order.

Half-way each one hangs up and goes on at the other process from where it was.

One reader of a run's events over a bare socket: five hundred of them should cost their server, not us.

Where the server is too busy to begin, it comes again when it is told to, as an app should.
"""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from urllib.parse import urlsplit

from backend.bench.runs.site import Demand, Report, describe_shares, open_site

MOST_TRIES = 20
PATIENCE_SECONDS = 120.0
"""A stream that is silent for so long, without even a heartbeat, is broken."""


class BrokenStreamError(Exception):
    """The server answered something else than a stream, or fell silent."""


class _BusyError(Exception):
    """The server cannot begin now; `seconds` is when to come again."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


async def read_events(address: str, key: str, run_id: str, after: int) -> AsyncGenerator[int]:
    """Numbers of the run's events above `after`, until the stream ends."""
    for _ in range(MOST_TRIES):
        try:
            async with aclosing(_read_stream(address, key, run_id, after)) as events:
                async for seq in events:
                    yield seq
            return
        except _BusyError as busy:
            await asyncio.sleep(busy.seconds)
    raise BrokenStreamError(f"the server was too busy {MOST_TRIES} times")


async def _read_stream(address: str, key: str, run_id: str, after: int) -> AsyncGenerator[int]:
    parts = urlsplit(address)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    try:
        writer.write(
            f"GET /v1/itineraries/{run_id}/events HTTP/1.1\r\nHost: {parts.netloc}\r\n"
            f"Authorization: Bearer {key}\r\nLast-Event-ID: {after}\r\n\r\n".encode()
        )
        status = await _read_line(reader)
        if b" 204 " in status:
            return
        if b" 503 " in status:
            raise _BusyError(await _read_pause(reader))
        if b" 200 " not in status:
            raise BrokenStreamError(status.decode())
        while line := await _read_line(reader):
            if line.startswith(b"id: "):
                yield int(line[4:])
            elif line == b"0\r\n":  # the last chunk
                return
    finally:
        writer.close()


async def _read_pause(reader: asyncio.StreamReader) -> float:
    while line := (await _read_line(reader)).strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"retry-after":
            return float(value)
    raise BrokenStreamError("a 503 that does not say when to come again")


async def _read_line(reader: asyncio.StreamReader) -> bytes:
    try:
        return await asyncio.wait_for(reader.readline(), PATIENCE_SECONDS)
    except TimeoutError:
        raise BrokenStreamError("no word for two minutes") from None


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

"""One reader of a run's events over a bare socket: five hundred of them should cost their server, not us.

Where the server is too busy to begin, it comes again when it is told to, as an app should.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from urllib.parse import urlsplit

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

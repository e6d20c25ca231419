"""One reader of a run's events over a bare socket: five hundred of them should cost their server, not us."""

import asyncio
from collections.abc import AsyncGenerator
from urllib.parse import urlsplit

PATIENCE_SECONDS = 120.0
"""A stream that is silent for so long, without even a heartbeat, is broken."""


class BrokenStreamError(Exception):
    """The server answered something else than a stream, or fell silent."""


async def read_events(address: str, key: str, run_id: str, after: int) -> AsyncGenerator[int]:
    """Numbers of the run's events above `after`, until the stream ends."""
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
        if b" 200 " not in status:
            raise BrokenStreamError(status.decode())
        while line := await _read_line(reader):
            if line.startswith(b"id: "):
                yield int(line[4:])
            elif line == b"0\r\n":  # the last chunk
                return
    finally:
        writer.close()


async def _read_line(reader: asyncio.StreamReader) -> bytes:
    try:
        return await asyncio.wait_for(reader.readline(), PATIENCE_SECONDS)
    except TimeoutError:
        raise BrokenStreamError("no word for two minutes") from None

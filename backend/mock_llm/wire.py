"""Just enough HTTP/1.1 to be wrong in every way that a real service is: hang, reset, cut.

A web framework would not let a body end early or a connection be reset after half an event.
"""

import asyncio
import contextlib
import http
import socket
import struct
from dataclasses import dataclass
from typing import Literal

LONGEST_HEAD = 65_536
LONGEST_BODY = 64_000_000

End = Literal["whole", "hang", "reset", "close"]
_LINGER_NOT = struct.pack("ii", 1, 0)


@dataclass(frozen=True)
class HttpRequest:
    """One request; header names are in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class HttpAnswer:
    """What is sent back, in `pieces`, and how it ends.

    Where `end` is not `whole`, it happens after the first `sent` pieces; -1 is before the first
    byte of the head. Delays are in seconds.
    """

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    pieces: tuple[bytes, ...] = ()
    is_stream: bool = False
    end: End = "whole"
    sent: int = -1
    delay: float = 0.0
    piece_delay: float = 0.0


async def read_request(reader: asyncio.StreamReader) -> HttpRequest | None:
    """The next request of a connection; None where it is over, or is no HTTP that we speak."""
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
        return None
    first, *lines = head.removesuffix("\r\n\r\n").split("\r\n")
    parts = first.split(" ")
    headers = {}
    for line in lines:
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    length = headers.get("content-length", "0")
    if len(parts) != 3 or not length.isdecimal() or int(length) > LONGEST_BODY:
        return None
    try:
        body = await reader.readexactly(int(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    return HttpRequest(parts[0], parts[1].partition("?")[0], headers, body)


async def send_answer(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    answer: HttpAnswer,
    release: asyncio.Event,
) -> bool:
    """Send the answer; whether the connection can carry another request afterwards."""
    await asyncio.sleep(answer.delay)
    if answer.end != "whole" and answer.sent < 0:
        await _break_off(reader, writer, answer.end, release)
        return False
    writer.write(_write_head(answer))
    for number, piece in enumerate(answer.pieces):
        if answer.end != "whole" and number == answer.sent:
            await writer.drain()
            await _break_off(reader, writer, answer.end, release)
            return False
        if number:
            await asyncio.sleep(answer.piece_delay)
        writer.write(b"%x\r\n%s\r\n" % (len(piece), piece) if answer.is_stream else piece)
        await writer.drain()
    writer.write(b"0\r\n\r\n" if answer.is_stream else b"")
    await writer.drain()
    return True


def _write_head(answer: HttpAnswer) -> bytes:
    reason = http.HTTPStatus(answer.status).phrase if answer.status in _KNOWN else "Answer"
    kind = "text/event-stream" if answer.is_stream else "application/json"
    length = ("transfer-encoding", "chunked")
    if not answer.is_stream:
        length = ("content-length", str(sum(map(len, answer.pieces))))
    headers = (("content-type", kind), length, *answer.headers)
    lines = [f"HTTP/1.1 {answer.status} {reason}", *(f"{name}: {text}" for name, text in headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


_KNOWN = frozenset(status.value for status in http.HTTPStatus)


async def _break_off(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    end: End,
    release: asyncio.Event,
) -> None:
    if end == "hang":
        await _wait_for_any(release, reader)
    elif end == "reset":
        connection: socket.socket = writer.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
        writer.transport.abort()


async def _wait_for_any(release: asyncio.Event, reader: asyncio.StreamReader) -> None:
    """Until the server stops or the client has had enough."""
    waiting = [asyncio.ensure_future(release.wait()), asyncio.ensure_future(reader.read(1))]
    try:
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in waiting:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, ConnectionError):
                await task

"""Replies and faults as HTTP: one document, or a stream of events.

Just enough HTTP/1.1 to be wrong in every way that a real service is: hang, reset, cut.

A web framework would not let a body end early or a connection be reset after half an event.
"""

import asyncio
import contextlib
import dataclasses
import datetime as dt
import http
import json
import socket
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.utils import format_datetime
from typing import Any, Literal

from backend.clock import read_utc
from backend.mock_llm.replies import Dialect, WireCall, WireReply
from backend.mock_llm.scenario import Fault, FaultKind

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


Usage = Mapping[str, Any]

_PIECE = 24
"""Characters of a stream's piece, of text and of arguments."""

_STATUS: Mapping[FaultKind, tuple[int, str, str]] = {
    "rate_limited": (429, "rate_limit_exceeded", "too many requests"),
    "quota": (429, "insufficient_quota", "the account is out of credit"),
    "unauthorized": (401, "invalid_api_key", "no such key"),
    "forbidden": (403, "model_not_allowed", "this key may not use the model"),
    "bad_request": (400, "invalid_request_error", "the request cannot be read"),
    "server_error": (503, "overloaded", "the service is overloaded"),
}


def render_fault(fault: Fault, model: str, *, is_stream: bool) -> HttpAnswer:
    """What a request gets instead of a reply."""
    if fault.kind in _STATUS or fault.status is not None:
        return _render_error(fault)
    if fault.kind == "error_document":
        return dataclasses.replace(_render_error(fault), status=200)
    good = WireReply("This answer never arrives whole.")
    whole = (
        render_stream(good, model, None, _PLAIN)
        if is_stream
        else render_document(good, model, None)
    )
    if fault.kind in {"hang", "reset"}:
        return HttpAnswer(end="hang" if fault.kind == "hang" else "reset")
    if fault.kind in {"hang_midway", "reset_midway"}:
        end: End = "hang" if fault.kind == "hang_midway" else "reset"
        return HttpAnswer(
            pieces=_split(whole), is_stream=is_stream, end=end, sent=len(_split(whole)) // 2
        )
    if fault.kind == "cut_json":
        text = b"".join(whole.pieces)
        return HttpAnswer(pieces=(text[: len(text) * 2 // 3],), is_stream=is_stream)
    if fault.kind == "no_choices":
        empty = _dump({"id": "mock", "object": "chat.completion", "choices": []})
        pieces = (_event(empty), _DONE) if is_stream else (empty.encode(),)
        return HttpAnswer(pieces=pieces, is_stream=is_stream)
    return HttpAnswer(pieces=(b"<html><body>502 bad gateway</body></html>",))


def render_raw(raw: Any, *, is_stream: bool) -> HttpAnswer:
    """A body as it stands."""
    if is_stream and isinstance(raw, list):
        events = (event if isinstance(event, str) else _dump(event) for event in raw)
        return HttpAnswer(pieces=(*map(_event, events), _DONE), is_stream=True)
    text = raw if isinstance(raw, str) else _dump(raw)
    return HttpAnswer(pieces=(text.encode(),))


def render_refusal(faults: list[str]) -> HttpAnswer:
    """A 400 that names every rule that the request breaks."""
    error = {"message": "; ".join(faults), "type": "invalid_request_error", "code": None}
    return HttpAnswer(status=400, pieces=(_dump({"error": error}).encode(),))


def render_document(reply: WireReply, model: str, usage: Usage | None) -> HttpAnswer:
    """The reply as one JSON document."""
    message: dict[str, Any] = {"role": "assistant", "content": reply.text}
    if reply.reasoning is not None:
        message["reasoning_content"] = reply.reasoning
    if reply.calls:
        message["tool_calls"] = [_write_call(call) for call in reply.calls]
    choice = {"index": 0, "message": message, "finish_reason": reply.finish}
    document = _head(model, "chat.completion") | {"choices": [choice]}
    if usage is not None and reply.has_usage:
        document["usage"] = usage
    return HttpAnswer(pieces=(_dump(document).encode(),))


def render_stream(
    reply: WireReply, model: str, usage: Usage | None, dialect: Dialect
) -> HttpAnswer:
    """The reply as server-sent events, a piece each."""
    head = _head(model, "chat.completion.chunk")
    chunks = [*_list_deltas(reply, dialect)]
    events = [
        head | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
        for delta in chunks
    ]
    events.append(head | {"choices": [{"index": 0, "delta": {}, "finish_reason": reply.finish}]})
    if dialect.has_bare_chunks or "bare_chunks" in reply.spoils:
        events = [{"prompt_filter_results": []}, head | {"choices": []}, *events]
        events.insert(3, head | {"choices": [{"index": 0, "finish_reason": None}]})
    if usage is not None and reply.has_usage:
        events.append(head | {"choices": [], "usage": usage})
    pieces = tuple(_event(_dump(event)) for event in events)
    return HttpAnswer(pieces=(*pieces, _DONE), is_stream=True)


def _list_deltas(reply: WireReply, dialect: Dialect) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    for piece in _cut(reply.reasoning or ""):
        yield {"reasoning_content": piece}
    for piece in _cut(reply.text or ""):
        yield {"content": piece}
    for number, call in enumerate(reply.calls):
        yield from _list_call_deltas(number, call, _choose_index(reply, dialect))


def _choose_index(reply: WireReply, dialect: Dialect) -> str:
    if "no_index" in reply.spoils:
        return "missing"
    return "zero" if "zero_index" in reply.spoils else dialect.index


def _list_call_deltas(number: int, call: WireCall, index: str) -> Iterator[dict[str, Any]]:
    """Without a right index a call comes in one piece, as such services send it."""
    place = {"right": {"index": number}, "zero": {"index": 0}, "missing": {}}[index]
    whole = _write_call(call)
    if index != "right" or not isinstance(call.arguments, str):
        yield {"tool_calls": [place | whole]}
        return
    yield {"tool_calls": [place | whole | {"function": {"name": call.name, "arguments": ""}}]}
    for piece in _cut(call.arguments):
        yield {"tool_calls": [place | {"function": {"arguments": piece}}]}


def _write_call(call: WireCall) -> dict[str, Any]:
    head = {} if call.id is None else {"id": call.id}
    function = {"name": call.name, "arguments": call.arguments}
    return head | {"type": "function", "function": function}


def _render_error(fault: Fault) -> HttpAnswer:
    status, code, message = _STATUS.get(fault.kind, (500, "error", "failed"))
    error = {
        "message": fault.message or message,
        "type": fault.code or code,
        "code": fault.code or code,
    }
    headers = tuple(fault.headers.items())
    if fault.retry_after is not None:
        headers += (("retry-after", _write_wait(fault.retry_after, as_date=fault.as_date)),)
    body = _dump({"error": error}).encode()
    return HttpAnswer(status=fault.status or status, headers=headers, pieces=(body,))


def _write_wait(seconds: float, *, as_date: bool) -> str:
    if not as_date:
        return f"{seconds:g}"
    return format_datetime(read_utc() + dt.timedelta(seconds=seconds), usegmt=True)


def _split(whole: HttpAnswer) -> tuple[bytes, ...]:
    if len(whole.pieces) > 1:
        return whole.pieces
    body = whole.pieces[0]
    return body[: len(body) // 2], body[len(body) // 2 :]


def _cut(text: str) -> Iterator[str]:
    size = max(_PIECE, len(text) // 50)
    return (text[start : start + size] for start in range(0, len(text), size))


def _head(model: str, kind: str) -> dict[str, Any]:
    return {"id": "chatcmpl-mock", "object": kind, "created": 0, "model": model}


def _event(text: str) -> bytes:
    return f"data: {text}\n\n".encode()


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


_DONE = _event("[DONE]")
_PLAIN = Dialect("plain", frozenset())

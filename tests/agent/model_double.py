"""A chat-completions server on loopback that gives prepared answers, for the real SDK to talk to."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Answer:
    """What the server does with one request; `body` is JSON or text as it stands."""

    body: Any = ""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()
    hangs: bool = False
    hangs_up: bool = False


@dataclass
class ModelDouble:
    """A running server: its address, and what it was asked."""

    answers: list[Answer]
    url: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    release: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request on one connection."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next(
            int(line.split(":")[1])
            for line in head.split("\r\n")
            if line.lower().startswith("content-length")
        )
        self.heads.append(head)
        self.asked.append(json.loads(await reader.readexactly(length)))
        answer = self.answers[min(len(self.asked), len(self.answers)) - 1]
        if answer.hangs:
            await self.release.wait()
        if not answer.hangs and not answer.hangs_up:
            writer.write(render(answer))
            await writer.drain()
        writer.close()
        await writer.wait_closed()


def render(answer: Answer) -> bytes:
    """The answer as HTTP/1.1."""
    text = answer.body if isinstance(answer.body, str) else json.dumps(answer.body)
    payload = text.encode()
    lines = [
        f"HTTP/1.1 {answer.status} Answer",
        "content-type: application/json",
        f"content-length: {len(payload)}",
        "connection: close",
        *(f"{name}: {value}" for name, value in answer.headers),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + payload


@asynccontextmanager
async def serve_answers(answers: Iterable[Answer]) -> AsyncIterator[ModelDouble]:
    """A server that gives these answers in order; the last one again and again."""
    double = ModelDouble(list(answers))
    server = await asyncio.start_server(double.serve, "127.0.0.1", 0)
    double.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    try:
        yield double
    finally:
        double.release.set()
        server.close()
        await server.wait_closed()


def complete(message: dict[str, Any], **beside: Any) -> Answer:
    """A whole completion with this message."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return Answer({"id": "c", "object": "chat.completion", "choices": [choice], **beside})


def call_json(arguments: Any, name: Any = "list_pois", **beside: Any) -> dict[str, Any]:
    """A tool call as a provider writes it."""
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **beside}

"""A source on this machine that answers as a test tells it, byte by byte."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

Answer = bytes | Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Double:
    """Answers of a server in the order in which they are asked for; the last one again and again."""

    answers: list[Answer]
    port: int = 0
    requests: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def at(self, host: str = "127.0.0.1", path: str = "/data") -> str:
        return f"http://{host}:{self.port}{path}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            first, *lines = head.strip().split("\r\n")
            self.paths.append(first.split()[1])
            self.requests.append({k.lower(): v for k, v in (ln.split(": ", 1) for ln in lines)})
            answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
            if isinstance(answer, bytes):
                writer.write(answer)
                await writer.drain()
            else:
                await answer(writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


def make_answer(body: bytes = b'{"a": 1}', status: str = "200 OK", **headers: str) -> bytes:
    named = {"content-type": "application/json", "content-length": str(len(body))}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items() if value)
    return f"HTTP/1.1 {status}\r\n{lines}connection: close\r\n\r\n".encode() + body


@asynccontextmanager
async def serve(*answers: Answer) -> AsyncIterator[Double]:
    double = Double(list(answers))
    server = await asyncio.start_server(double.serve, "127.0.0.1", 0)
    double.port = server.sockets[0].getsockname()[1]
    try:
        yield double
    finally:
        server.close()

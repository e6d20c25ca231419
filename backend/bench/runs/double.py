"""A language model's double over real HTTP: it says what its script holds for each turn, after a delay.

A process of its own, so that its time is nobody else's; HTTP by hand, so that little of it is spent.
The turn is the number of assistant's messages in the conversation, so it keeps nothing of a run.
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

_ASSISTANT = (b'"role":"assistant"', b'"role": "assistant"')
_USAGE = {
    "prompt_tokens": 1000,
    "completion_tokens": 50,
    "total_tokens": 1050,
    "prompt_tokens_details": {"cached_tokens": 0},
}

Call = tuple[str, dict[str, Any]]
Script = Sequence[Sequence[Call]]
"""For each turn the calls of its reply: tool and arguments."""


@dataclass
class Counts:
    """Questions that came, and those that were answered to their end."""

    asked: int = 0
    answered: int = 0


def render_reply(turn: int, calls: Sequence[Call]) -> bytes:
    """A whole HTTP answer: a chat completion with these calls, or with words where there are none."""
    message: dict[str, Any] = {"role": "assistant", "content": None if calls else "Done."}
    if calls:
        message["tool_calls"] = [
            {
                "id": f"call_{turn}_{n}",
                "type": "function",
                "function": {"name": name, "arguments": json.dumps(arguments)},
            }
            for n, (name, arguments) in enumerate(calls)
        ]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    head = {"id": f"c{turn}", "object": "chat.completion", "created": 0, "model": "double"}
    return _render(head | {"choices": [choice], "usage": _USAGE})


def _render(document: Any) -> bytes:
    body = json.dumps(document).encode()
    head = (
        f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class Double:
    """Answers `POST …/chat/completions`, and `GET …` with its counts."""

    def __init__(self, script: Script, delay: float) -> None:
        self._replies = [render_reply(turn, calls) for turn, calls in enumerate(script, 1)]
        self._last = render_reply(len(script) + 1, ())
        self._delay = delay
        self._counts = Counts()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, to its end."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                body = await reader.readexactly(_read_length(head))
                writer.write(await self._answer(body) if head[:4] == b"POST" else self._show())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass  # whoever asked is gone
        finally:
            writer.close()

    async def _answer(self, body: bytes) -> bytes:
        turn = max(body.count(mark) for mark in _ASSISTANT)
        self._counts.asked += 1
        if self._delay:
            await asyncio.sleep(self._delay)
        self._counts.answered += 1
        return self._replies[turn] if turn < len(self._replies) else self._last

    def _show(self) -> bytes:
        return _render(vars(self._counts))


def _read_length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.partition(b":")[2])
    return 0


async def main(settings: dict[str, Any]) -> None:
    """Serve until killed; the first line of output is the address."""
    double = Double(settings["script"], settings["delay"])
    server = await asyncio.start_server(double.serve, "127.0.0.1", 0, limit=2**20, backlog=1024)
    sys.stdout.write(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1\n")
    sys.stdout.flush()
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(json.loads(sys.stdin.readline())))

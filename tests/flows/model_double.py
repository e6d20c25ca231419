"""An OpenAI-compatible service on real HTTP whose replies are the built-in planner's.

So a real conversation goes over the wire, through the real SDK, to a valid itinerary.
"""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from backend.agent.builtin_planner import BuiltinPlanner
from backend.agent.llm import Message
from backend.cli.serve import open_listener
from backend.tools.call import ToolCall, ToolSchema

USAGE = {
    "prompt_tokens": 100,
    "completion_tokens": 10,
    "total_tokens": 110,
    "prompt_tokens_details": {"cached_tokens": 40},
}


@dataclass
class ModelDouble:
    """`answered` holds a digest of each conversation that was answered to its end."""

    delay: float = 0.0
    fault: str = ""
    answered: list[str] = field(default_factory=list)

    async def answer(self, body: dict[str, Any]) -> JSONResponse:
        """One chat completion."""
        await asyncio.sleep(self.delay)
        if self.fault == "server_error":
            return JSONResponse({"error": {"message": "down"}}, 500)
        message: dict[str, Any] = {"role": "assistant", "content": "I think about it."}
        if self.fault != "talk":
            message = await self._plan(body)
        self.answered.append(hashlib.sha256(json.dumps(body["messages"]).encode()).hexdigest())
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        head = {"id": "c", "object": "chat.completion", "created": 0, "model": body["model"]}
        return JSONResponse(head | {"choices": [choice], "usage": USAGE})

    async def _plan(self, body: dict[str, Any]) -> dict[str, Any]:
        messages = [read_message(entry) for entry in body["messages"]]
        tools = [ToolSchema(**entry["function"]) for entry in map(without_strict, body["tools"])]
        reply = await BuiltinPlanner().reply(messages, tools)
        calls = [
            {
                "id": f"call_{len(messages)}_{n}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.arguments},
            }
            for n, call in enumerate(reply.calls)
        ]
        return {"role": "assistant", "content": reply.text or None, "tool_calls": calls or None}


def without_strict(tool: dict[str, Any]) -> dict[str, Any]:
    """A tool as it came, without what only some providers read."""
    function = {k: v for k, v in tool["function"].items() if k != "strict"}
    return tool | {"function": function}


def read_message(entry: dict[str, Any]) -> Message:
    """A message of the wire as Waypool's own."""
    calls = tuple(
        ToolCall(id=c["id"], name=c["function"]["name"], arguments=c["function"]["arguments"])
        for c in entry.get("tool_calls") or ()
    )
    content = entry.get("content") or ""
    return Message(
        role=entry["role"], content=content, calls=calls, call_id=entry.get("tool_call_id")
    )


@asynccontextmanager
async def serve_double(double: ModelDouble) -> AsyncIterator[str]:
    """The double's address, with its `/v1`."""
    app = FastAPI()

    @app.post("/v1/chat/completions")
    async def complete(request: Request) -> JSONResponse:
        return await double.answer(await request.json())

    listener = open_listener("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started:  # noqa: ASYNC110 - uvicorn has no event
        await asyncio.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        server.should_exit = True
        await serving

"""The bare loop: the SDK's own method, a list of messages, nothing else."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import openai

from backend.bench.runs.overhead import MODEL, QUESTIONS, Converse, Setup


@asynccontextmanager
async def open_loop(setup: Setup) -> AsyncIterator[Converse]:
    """The loop with its client."""
    opening = setup.conversation
    tools: Any = [{"type": "function", "function": tool} for tool in opening.tools]

    async with openai.AsyncOpenAI(base_url=setup.model, api_key="none", max_retries=0) as client:

        async def converse() -> None:
            desk = opening.sit_down()
            messages: list[Any] = [
                {"role": "system", "content": opening.instructions},
                {"role": "user", "content": opening.request},
            ]
            for _ in range(QUESTIONS):
                answer = await client.chat.completions.create(
                    model=MODEL, messages=messages, tools=tools
                )
                message = answer.choices[0].message
                await setup.commit(message.model_dump_json())
                messages.append(message.model_dump(exclude_none=True))
                for call in message.tool_calls or ():
                    function: Any = call.function  # type: ignore[union-attr]
                    text = await desk.call(function.name, function.arguments, call.id)
                    await setup.commit(json.dumps(text))
                    messages.append({"role": "tool", "tool_call_id": call.id, "content": text})

        yield converse

"""pydantic-ai; rows at its nodes and in its tools."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import openai
import pydantic_ai
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

from backend.bench.runs.overhead import MODEL, Converse, Desk, Setup


def _make_tool(setup: Setup, schema: dict[str, Any]) -> Any:
    async def run(context: Any, **arguments: Any) -> str:
        desk: Desk = context.deps
        text = await desk.call(schema["name"], json.dumps(arguments), context.tool_call_id)
        await setup.commit(json.dumps(text))
        return text

    return pydantic_ai.Tool.from_schema(
        run,
        name=schema["name"],
        description=schema["description"],
        json_schema=schema["parameters"],
        takes_ctx=True,
    )


@asynccontextmanager
async def open_loop(setup: Setup) -> AsyncIterator[Converse]:
    """The loop with its client."""
    async with openai.AsyncOpenAI(base_url=setup.model, api_key="none", max_retries=0) as client:
        agent: Any = pydantic_ai.Agent(
            OpenAIChatModel(MODEL, provider=OpenAIProvider(openai_client=client)),
            instructions=setup.conversation.instructions,
            tools=[_make_tool(setup, schema) for schema in setup.conversation.tools],
            deps_type=Desk,
        )

        async def converse() -> None:
            desk = setup.conversation.sit_down()
            async with agent.iter(setup.conversation.request, deps=desk) as run:
                async for node in run:
                    if agent.is_call_tools_node(node):
                        parts = [str(part) for part in node.model_response.parts]
                        await setup.commit(json.dumps(parts))

        yield converse

"""The openai-agents SDK; rows by its hooks."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import agents
import openai

from backend.bench.runs.overhead import MODEL, QUESTIONS, Converse, Desk, Setup


def _make_hooks(setup: Setup) -> Any:
    class Hooks(agents.RunHooks):  # type: ignore[misc]
        async def on_llm_end(self, context: Any, agent: Any, response: Any) -> None:
            await setup.commit(json.dumps([item.model_dump() for item in response.output]))

        async def on_tool_end(self, context: Any, agent: Any, tool: Any, result: Any) -> None:
            await setup.commit(json.dumps(result))

    return Hooks()


def _make_tool(schema: dict[str, Any]) -> Any:
    async def invoke(context: Any, arguments: str) -> str:
        desk: Desk = context.context
        return await desk.call(schema["name"], arguments, context.tool_call_id)

    return agents.FunctionTool(
        name=schema["name"],
        description=schema["description"],
        params_json_schema=schema["parameters"],
        on_invoke_tool=invoke,
        strict_json_schema=False,
    )


@asynccontextmanager
async def open_loop(setup: Setup) -> AsyncIterator[Converse]:
    """The loop with its client; nothing is sent to anybody's tracing."""
    agents.set_tracing_disabled(disabled=True)
    async with openai.AsyncOpenAI(base_url=setup.model, api_key="none", max_retries=0) as client:
        agent = agents.Agent(
            name="bench",
            instructions=setup.conversation.instructions,
            model=agents.OpenAIChatCompletionsModel(model=MODEL, openai_client=client),
            tools=[_make_tool(schema) for schema in setup.conversation.tools],
        )

        async def converse() -> None:
            await agents.Runner.run(
                agent,
                setup.conversation.request,
                context=setup.conversation.sit_down(),
                max_turns=QUESTIONS + 1,
                hooks=_make_hooks(setup),
            )

        yield converse

"""langgraph's ready-made agent; where there are rows, its own PostgreSQL saver writes them."""

import uuid
import warnings
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from typing import Any

from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.prebuilt import create_react_agent

from backend.agent.replies import dump_json
from backend.bench.runs.overhead import MODEL, Converse, Desk, Setup

_DESK: ContextVar[Desk] = ContextVar("desk")


def _make_tool(schema: dict[str, Any]) -> Any:
    async def run(**arguments: Any) -> str:
        return await _DESK.get().call(schema["name"], dump_json(arguments), "call")

    return StructuredTool.from_function(
        coroutine=run,
        name=schema["name"],
        description=schema["description"],
        args_schema=schema["parameters"],
    )


@asynccontextmanager
async def open_loop(setup: Setup) -> AsyncIterator[Converse]:
    """The loop with its client and its saver."""
    warnings.simplefilter("ignore")  # the ready-made agent has a successor of the same cost
    async with AsyncExitStack() as stack:
        saver: Any = None
        if setup.rows is not None:
            saver = await stack.enter_async_context(
                AsyncPostgresSaver.from_conn_string(setup.database)
            )
            await saver.setup()
        graph = create_react_agent(
            ChatOpenAI(model=MODEL, base_url=setup.model, api_key="none", max_retries=0),
            [_make_tool(schema) for schema in setup.conversation.tools],
            prompt=setup.conversation.instructions,
            checkpointer=saver,
        )

        async def converse() -> None:
            _DESK.set(setup.conversation.sit_down())
            question = {"messages": [("user", setup.conversation.request)]}
            thread = {"configurable": {"thread_id": uuid.uuid4().hex}, "recursion_limit": 100}  # noqa: TID251 - its own ids
            await graph.ainvoke(question, thread)

        yield converse

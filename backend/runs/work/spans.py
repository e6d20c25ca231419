"""Traces of runs by OpenTelemetry's conventions for generative AI: who was asked what kind of thing.

Names, counts and codes only: no words of a traveller, a model or a tool. Without a configured
address the library does nothing with them.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import Span, SpanKind, Status, StatusCode

from backend.agent.llm import LlmClient, Message, ModelError, ModelReply
from backend.agent.loop import Tools
from backend.runs.log.queries import RunHead
from backend.tools.call import ToolCall, ToolOutcome, ToolSchema
from backend.tools.context import RunState
from backend.tools.registry import find_tool

AGENT = "waypool"

_TRACER = trace.get_tracer("waypool")


@contextmanager
def trace_agent(run: RunHead, planner: str) -> Iterator[Span]:
    """A planner's work on a run."""
    attributes = {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": AGENT,
        "gen_ai.conversation.id": run.id,
        "waypool.tenant": run.tenant,
        "waypool.planner": planner,
    }
    with _TRACER.start_as_current_span(f"invoke_agent {AGENT}", attributes=attributes) as span:
        yield span


class TracedLlm:
    """An `LlmClient` whose replies are spans."""

    def __init__(self, llm: LlmClient, model: str) -> None:
        self._llm, self._model = llm, model

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> ModelReply:
        """One reply, as `chat`."""
        attributes = {
            "gen_ai.operation.name": "chat",
            "gen_ai.provider.name": "openai",
            "gen_ai.request.model": self._model,
        }
        with _TRACER.start_as_current_span(
            f"chat {self._model}",
            kind=SpanKind.CLIENT,
            attributes=attributes,
            record_exception=False,  # its message may quote what was sent
            set_status_on_exception=False,
        ) as span:
            try:
                reply = await self._llm.reply(messages, tools)
            except ModelError as error:
                _fail(span, error.code)
                raise
            span.set_attributes(_describe(reply))
            return reply


class TracedTools:
    """Tools whose calls are spans."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools

    async def offered(self) -> list[ToolSchema]:
        """The tools that are switched on now."""
        return await self._tools.offered()

    async def run(self, call: ToolCall, state: RunState) -> ToolOutcome:
        """One call, as `execute_tool`."""
        name = call.name if find_tool(call.name) else "unknown"  # a model's word may be anything
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": name,
            "gen_ai.tool.type": "function",
            "gen_ai.tool.call.id": call.id,
        }
        with _TRACER.start_as_current_span(
            f"execute_tool {name}",
            attributes=attributes,
            record_exception=False,
            set_status_on_exception=False,
        ) as span:
            outcome = await self._tools.run(call, state)
            if outcome.is_error:
                _fail(span, outcome.content["error"]["code"])
            return outcome


def _describe(reply: ModelReply) -> dict[str, Any]:
    return {
        "gen_ai.usage.input_tokens": reply.usage.input_tokens,
        "gen_ai.usage.output_tokens": reply.usage.output_tokens,
        "gen_ai.response.finish_reasons": [reply.finish_reason or "unknown"],
    }


def _fail(span: Span, code: str) -> None:
    span.set_attribute("error.type", code)
    span.set_status(Status(StatusCode.ERROR))

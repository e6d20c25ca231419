"""Answers of the model double as tests write them."""

from typing import Any

from backend.mock_llm.scenario import Fault, Scenario, Step


def complete(message: dict[str, Any], **beside: Any) -> Step:
    """A whole completion with this message, as it stands."""
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}
    return Step(raw={"id": "c", "object": "chat.completion", "choices": [choice], **beside})


def call_json(arguments: Any, name: Any = "list_pois", **beside: Any) -> dict[str, Any]:
    """A tool call as a provider writes it."""
    return {"type": "function", "function": {"name": name, "arguments": arguments}, **beside}


def fail_then(*faults: Fault, then: Step) -> Scenario:
    """The first requests meet these faults, the next one is answered."""
    return Scenario(dialect="openai", then=(then.model_copy(update={"first": faults}),))

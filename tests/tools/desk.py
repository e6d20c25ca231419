"""A model's seat at the tools: calls one after the other, with the state folded in between."""

import asyncio
import json
from typing import Any

from backend.pool.snapshot import Snapshot
from backend.tools.call import ToolCall, ToolOutcome
from backend.tools.context import RunState, ToolLimit
from backend.tools.runner import ToolRunner


class Desk:
    """`desk("list_pois", city="beijing")` gives what the model reads; `limits` may be changed."""

    def __init__(self, snapshot: Snapshot, **rows: int) -> None:
        self.snapshot = snapshot
        self.limits = {name: ToolLimit(max_return_rows=count) for name, count in rows.items()}
        self.state = RunState()
        self.outcomes: list[ToolOutcome] = []
        self._runner = ToolRunner(snapshot, self._read_limits)

    async def _read_limits(self) -> dict[str, ToolLimit]:
        return self.limits

    def __call__(self, name: str, **arguments: Any) -> dict[str, Any]:
        return self.send(name, json.dumps(arguments))

    def send(self, name: str, raw: str) -> dict[str, Any]:
        """A call with raw arguments; the outcome as the run log would give it back."""
        call = ToolCall(id=f"call_{len(self.outcomes)}", name=name, arguments=raw)
        outcome = asyncio.run(self._runner.run(call, self.state))
        stored = ToolOutcome.model_validate_json(outcome.model_dump_json())
        assert stored == outcome
        self.outcomes.append(stored)
        self.state = self.state.after(stored)
        return stored.content

    def offered(self) -> list[str]:
        """Names of the tools that the model is told of."""
        return [schema.name for schema in asyncio.run(self._runner.offered())]


def error_of(content: dict[str, Any]) -> dict[str, Any]:
    """The error that a call answered with."""
    assert set(content) == {"error"}, content
    error = content["error"]
    assert set(error) <= {"code", "message", "allowed"}
    assert len(error.get("allowed", ())) <= 10
    assert isinstance(error, dict)
    return error

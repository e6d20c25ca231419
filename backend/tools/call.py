"""A tool call and its outcome, as the run log stores them.

An outcome holds everything that the call changed, so a resumed run reads the outcomes in order and
has the same state as if it had made the calls again.
"""

import json
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, JsonValue

from backend.planner.plan.draft import Draft
from backend.pool.snapshot import Kind


class Recorded(BaseModel):
    """A frozen value of the run log."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ToolCall(Recorded):
    """What the model asked for; `arguments` is its raw text, `id` one of our own making."""

    id: str
    name: str
    arguments: str

    @cached_property
    def value(self) -> Any:
        """The arguments of a call that has sound ones, parsed once."""
        return json.loads(self.arguments)


class SourceUse(Recorded):
    """How large the answer of a source was: bytes of the response, of the facts, of what the model reads.

    `error` is the code of why there are none.
    """

    name: str
    raw_bytes: int = 0
    projected_bytes: int = 0
    sent_bytes: int = 0
    is_cached: bool = False
    error: str | None = None


class ToolOutcome(Recorded):
    """What a call gave: `content` is what the model reads, the rest is what the call changed.

    `number` counts the calls of a run from 1. `key` tells repeats: it is empty for writes and
    errors. `listed` and `opened` are ids of `kind`, since a place and a hotel may share one.
    `draft` is the draft afterwards, None where the call left it alone.
    """

    call_id: str
    number: int
    tool: str
    content: dict[str, Any]
    is_error: bool = False
    key: str = ""
    kind: Kind | None = None
    listed: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    draft: Draft | None = None
    is_submitted: bool = False
    source: SourceUse | None = None


class ToolSchema(Recorded):
    """A tool as a model is told of it; `parameters` is a closed JSON schema."""

    name: str
    description: str
    parameters: dict[str, JsonValue]


class ToldSource(Recorded):
    """A source as a run's planners were told of it, be it switched on or not."""

    enabled: bool
    name: str
    description: str
    parameters: dict[str, JsonValue]

    @property
    def schema_told(self) -> ToolSchema:
        """What the model was told of it."""
        return ToolSchema(name=self.name, description=self.description, parameters=self.parameters)

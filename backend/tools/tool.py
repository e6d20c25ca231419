"""What a tool is: a name, closed arguments, and a handler from snapshot and draft to an answer.

The JSON schemas of tools for a model: closed, and always the same bytes.

Kept to what every provider takes: no titles, references or unions; an optional argument is one that
is not required.
"""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from backend.planner.plan.draft import Draft
from backend.pool.snapshot import Kind
from backend.tools.call import SourceUse, ToolSchema
from backend.tools.context import ToolContext

Effect = Literal["list", "detail", "write", "view", "submit"]


class ToolArgs(BaseModel):
    """Arguments of a tool: closed and strict; the descriptions are product text for the model."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, str_strip_whitespace=True, allow_inf_nan=False
    )


ArgsT = TypeVar("ArgsT", bound=ToolArgs)


@dataclass(frozen=True)
class Answer:
    """What a handler gives: what the model reads, and what the call has changed.

    A read call names what was `asked`, in one spelling for all that mean the same, and the `ids`
    that came out: by them a repeat is told. `onward` is what a repeat is advised to do instead.
    """

    content: dict[str, Any]
    asked: Mapping[str, Any] | None = None
    ids: tuple[str, ...] = ()
    onward: str = ""
    kind: Kind | None = None
    listed: tuple[str, ...] = ()
    opened: tuple[str, ...] = ()
    draft: Draft | None = None
    is_submitted: bool = False
    source: SourceUse | None = None


@dataclass(frozen=True)
class Tool(Generic[ArgsT]):
    """A row of the registry; `default_rows` is the return limit of a list tool.

    A slow handler runs in a thread, so that the event loop stays live. Only what is not `is_bounded`
    may go behind a handle; what `needs_results` is offered only where results can be stored.
    A source's tool brings its own switch, `is_enabled`; one of a recording also what the model was
    told of it, `told`.
    """

    name: str
    effect: Effect
    description: str
    args: type[ArgsT]
    handler: Callable[[ArgsT, ToolContext], Answer | Awaitable[Answer]]
    default_rows: int | None = None
    is_slow: bool = False
    is_bounded: bool = True
    needs_results: bool = False
    is_source: bool = False
    is_enabled: bool = True
    told: ToolSchema | None = None


def describe_tool(tool: Tool[Any]) -> ToolSchema:
    """Name, description and parameters of a tool."""
    if tool.told is not None:
        return tool.told
    # A source's tool is made anew each time: kept ones would only pile up.
    return _describe.__wrapped__(tool) if tool.is_source else _describe(tool)


@cache  # a turn asks for all of them, and a schema takes milliseconds
def _describe(tool: Tool[Any]) -> ToolSchema:
    description = " ".join(inspect.cleandoc(tool.description).split())
    parameters = _describe_arguments(tool.args)
    return ToolSchema(name=tool.name, description=description, parameters=parameters)


def _describe_arguments(model: type[ToolArgs]) -> dict[str, Any]:
    schema = model.model_json_schema()
    fields = schema.get("properties", {})
    return {
        "type": "object",
        "properties": {name: _simplify(field) for name, field in fields.items()},
        "required": schema.get("required", []),
        "additionalProperties": False,
    }


def _simplify(field: dict[str, Any]) -> dict[str, Any]:
    """The field without title and default; null means absent and need not be offered."""
    kept = {key: value for key, value in field.items() if key not in {"title", "default", "anyOf"}}
    for option in field.get("anyOf", ()):
        if option != {"type": "null"}:
            kept = {**option, **kept}
    if "items" in kept:
        kept["items"] = _simplify(kept["items"])
    return kept

"""Tools as a model is told of them: closed JSON schemas, the same bytes each time.

Kept to what every provider takes: no titles, references or unions; an optional argument is one that
is not required.
"""

import inspect
from functools import cache
from typing import Any

from backend.tools.call import ToolSchema
from backend.tools.tool import Tool, ToolArgs


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

"""Tools as a model is told of them: closed JSON schemas, the same bytes each time.

Kept to what every provider takes: no titles, references or unions; an optional argument is one that
is not required.
"""

import inspect
from functools import cache
from typing import Any

from backend.tools.call import ToolSchema
from backend.tools.tool import Tool, ToolArgs


@cache  # a turn asks for all of them, and a schema takes milliseconds
def describe_tool(tool: Tool[Any]) -> ToolSchema:
    """Name, description and parameters of a tool."""
    description = " ".join(inspect.cleandoc(tool.description).split())
    parameters = _describe_arguments(tool.args)  # type: ignore[arg-type]  # classes have a hash
    return ToolSchema(name=tool.name, description=description, parameters=parameters)


@cache  # asked for at each turn
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

"""What a model is told of the tools, kept as a snapshot: a change of it is a change of the product.

After a change that is meant, delete the snapshot and run this test twice.
"""

import json
from pathlib import Path
from typing import Any

from backend.tools.registry import TOOLS
from backend.tools.tool import describe_tool

SNAPSHOT = Path(__file__).parent / "tool_schemas.json"


def write_schemas() -> str:
    schemas = [describe_tool(tool).model_dump() for tool in TOOLS]
    return json.dumps(schemas, ensure_ascii=False, indent=1) + "\n"


def test_schemas_are_as_they_were() -> None:
    if not SNAPSHOT.exists():
        SNAPSHOT.write_text(write_schemas(), encoding="utf-8")
        raise AssertionError("the snapshot was missing and is written now: look at it, run again")
    assert write_schemas() == SNAPSHOT.read_text(encoding="utf-8")


def list_nodes(schema: Any) -> list[dict[str, Any]]:
    if isinstance(schema, list):
        return [node for entry in schema for node in list_nodes(entry)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(node for entry in schema.values() for node in list_nodes(entry))]


def test_schemas_are_closed_and_plain() -> None:
    for tool in TOOLS:
        parameters: Any = describe_tool(tool).parameters
        assert parameters["additionalProperties"] is False
        assert set(parameters["required"]) <= set(parameters["properties"])
        for name, field in parameters["properties"].items():
            assert field["description"].endswith("."), (tool.name, name)
            assert isinstance(field["type"], str)
        for node in list_nodes(parameters):
            assert not {"$ref", "$defs", "anyOf", "title", "default"} & set(node)

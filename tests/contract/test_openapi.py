"""What a client is told of the API and of its events, kept as a snapshot.

After a change that is meant, delete the snapshot and run this test twice.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from backend.app import create_app
from backend.runs.log.events import EVENT
from backend.settings import Settings

FOLDER = Path(__file__).parent
METHODS = {"get", "post", "patch", "put", "delete"}


def read_schema() -> dict[str, Any]:
    schema = create_app(Settings(), "postgresql://nowhere/none").openapi()
    return schema | {"info": {**schema["info"], "version": "any"}}


@pytest.mark.parametrize(
    ("name", "document"),
    [("openapi.json", read_schema()), ("events.json", EVENT.json_schema(mode="serialization"))],
)
def test_the_schema_is_as_it_was(name: str, document: dict[str, Any]) -> None:
    text = json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    snapshot = FOLDER / name
    if not snapshot.exists():
        snapshot.write_text(text, encoding="utf-8")
        raise AssertionError("the snapshot was missing and is written now: look at it, run again")
    assert text == snapshot.read_text(encoding="utf-8")


def list_operations() -> list[tuple[str, dict[str, Any]]]:
    paths = read_schema()["paths"]
    return [
        (f"{method.upper()} {path}", operation)
        for path, entry in paths.items()
        for method, operation in entry.items()
        if method in METHODS
    ]


@pytest.mark.parametrize(("name", "operation"), list_operations())
def test_every_answer_is_described(name: str, operation: dict[str, Any]) -> None:
    responses = operation["responses"]
    wanted = {"400", "422", "503"} | ({"401", "403"} if "/v1/" in name else set())
    assert wanted <= set(responses)
    if "{run_id}" in name or "{key}" in name or "{name}" in name:
        assert "404" in responses
    for status, response in responses.items():
        if status == "204":
            continue
        for kind, content in response["content"].items():
            problem = {"$ref": "#/components/schemas/Problem"}
            assert (kind == "application/problem+json") == (status >= "400")
            assert status < "400" or content["schema"] == problem
            known = content["schema"].get("$ref") or content["schema"].get("type")
            assert known, (status, content)


def test_every_reference_leads_somewhere() -> None:
    schema = read_schema()
    names = {part.split('"')[0] for part in json.dumps(schema).split('"#/components/schemas/')[1:]}
    assert names == set(schema["components"]["schemas"]) & names
    assert "HTTPValidationError" not in schema["components"]["schemas"]
    assert schema["openapi"].startswith("3.1.")

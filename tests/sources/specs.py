"""Small sources for tests."""

from typing import Any

from backend.sources.spec import Source


def make_spec(address: str = "http://127.0.0.1/data", **changes: Any) -> dict[str, Any]:
    projection = {
        "tables": {"t": {"from": "rows", "columns": {"n": {"type": "integer"}}, "min_rows": 0}},
        "parts": {"rows": {"table": "t"}},
    }
    return {
        "name": "double",
        "description": "A source of a test.",
        "address": address,
        "format": "json",
        "projection": projection,
    } | changes


def make_source(address: str = "http://127.0.0.1/data", **changes: Any) -> Source:
    return Source.model_validate(make_spec(address, **changes))

"""Cuts values to what an answer has room for: texts, lists, objects, depth."""

from itertools import islice
from typing import Any

from backend.results.listing import Listing

_DEEPEST = 4


def cut_text(text: str, limit: int) -> str:
    """At most `limit` code points, the last of them an ellipsis where something is gone."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def cut(value: Any, text_limit: int, key_limit: int, depth: int = 0) -> Any:
    """A value with short texts and few keys or elements; deep content becomes an ellipsis."""
    if isinstance(value, str):
        return cut_text(value, text_limit)
    if isinstance(value, Listing):
        value = list(value.slice(0, min(key_limit, len(value))))
    if not isinstance(value, dict | list):
        return value
    if value and depth == _DEEPEST:
        return "…"
    if isinstance(value, dict):
        return {
            cut_text(key, text_limit): cut(entry, text_limit, key_limit, depth + 1)
            for key, entry in islice(value.items(), key_limit)
        }
    return [cut(entry, text_limit, key_limit, depth + 1) for entry in value[:key_limit]]

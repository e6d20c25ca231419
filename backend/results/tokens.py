"""Counts tokens of o200k_base, offline and exactly; the vocabulary loads with the first count."""

from functools import cache
from typing import Any

import quicktok

from backend.results.values import write_json

_LONGEST_TOKEN = 128
"""Bytes; no token of o200k_base is longer, so a text has at least a 128th of its bytes in tokens."""


@cache
def _load() -> quicktok.Tokenizer:
    return quicktok.get_encoding("o200k_base")


def count_tokens(text: str) -> int:
    """Tokens of a text."""
    return int(_load().count(text))


def fits(value: Any, limit: int) -> bool:
    """Whether the compact JSON of a value has at most `limit` tokens; cheap where that is plain."""
    text = write_json(value)
    size = len(text.encode())
    if size <= limit:
        return True  # a token has at least a byte
    return size <= limit * _LONGEST_TOKEN and count_tokens(text) <= limit

"""Texts in the two product languages, and near names for what was mistyped."""

from collections.abc import Iterable
from typing import Literal

from rapidfuzz import fuzz, process

Locale = Literal["zh-CN", "en"]


def find_near(wanted: str, known: Iterable[str], limit: int = 3, cutoff: float = 50.0) -> list[str]:
    """Up to `limit` of `known` that look like `wanted`, nearest first; ties by code point."""
    candidates = sorted(set(known))
    scored = process.extract(
        wanted,
        candidates,
        scorer=fuzz.WRatio,
        processor=str.casefold,
        limit=limit,
        score_cutoff=cutoff,
    )
    return [name for name, _, _ in scored]

"""Types of places that the rules know by name, and words for types, cuisines and what hotels offer."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal

WordKind = Literal["type", "tag", "cuisine", "feature"]

FOOD_TYPES = frozenset({"restaurant", "food_street", "teahouse"})
"""Where one goes to eat or drink, and not to see something."""


@cache
def read_words(kind: WordKind) -> Mapping[str, tuple[str, ...]]:
    """What people say, by the word that the catalogue uses: Chinese first, then English."""
    table = json.loads(Path(__file__).with_name("wish_words.json").read_text(encoding="utf-8"))
    words: dict[str, tuple[str, ...]] = {key: tuple(said) for key, said in table[kind].items()}
    if kind == "cuisine":
        ends: list[str] = table["cuisine_endings"]
        words = {
            key: (*said, *(f"{word} {end}" for word in said if word.isascii() for end in ends))
            for key, said in words.items()
        }
    return words


def name_word(kind: WordKind, key: str, locale: str) -> str:
    """A word of the catalogue for a reader; one that the table lacks as it is."""
    said = read_words(kind).get(key)
    return key if said is None else said[1 if locale == "en" else 0]

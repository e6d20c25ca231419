"""Languages of the product's texts, suggestions for mistyped names, and short quotations of input."""

import re
from collections.abc import Iterable
from typing import Any, Literal

from rapidfuzz import fuzz, process

Locale = Literal["zh-CN", "en"]

LONGEST_ECHO = 60
MOST_NEAR = 3

UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
"""NUL and halves of surrogate pairs: PostgreSQL or UTF-8 cannot hold them."""


LONGEST_QUOTE = 80
"""The most characters of input that a message repeats."""

LONGEST_WANTED = 200
"""The most characters of a word that are compared with names; no name is longer."""


def quote(value: object) -> str:
    """What was sent, cut where it is longer than any name: texts in quotation marks."""
    if isinstance(value, str):
        return repr(cut(value))
    try:
        return cut(repr(value))
    except ValueError:  # a whole number of more digits than Python writes
        return "a number of thousands of digits"


LONGEST_STEP = 200
"""Characters of one step of a pointer: what is longer is no field's name."""


def escape_step(step: object) -> str:
    """One step of a JSON pointer (RFC 6901), whole."""
    return str(step).replace("~", "~0").replace("/", "~1")


def make_pointer(*steps: object) -> str:
    """The JSON pointer of the steps for a reader: one that is too long is cut, NUL becomes `?`."""
    texts = (cut(UNSTORABLE.sub("?", str(step)), LONGEST_STEP) for step in steps)
    return "".join(f"/{escape_step(text)}" for text in texts)


def cut(text: str, longest: int = LONGEST_QUOTE) -> str:
    """The beginning of a text, and a mark where something is left out."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def shorten(text: str, longest: int = LONGEST_ECHO) -> str:
    """A piece of text from outside that is fit to be stored and sent back: one line, not too long."""
    return cut(" ".join(UNSTORABLE.sub("?", text[: 4 * longest]).split()), longest)


def suggest(wanted: str, known: Iterable[str]) -> str:
    """The names nearest to what was wanted, however far, for a message."""
    return ", ".join(find_near(wanted, known, MOST_NEAR, 0))


def find_near(wanted: str, known: Iterable[str], limit: int = 3, cutoff: float = 50.0) -> list[str]:
    """Up to `limit` of `known` that look like `wanted`, nearest first; ties by code point."""
    candidates = sorted(set(known))
    scored = process.extract(
        wanted[:LONGEST_WANTED],
        candidates,
        scorer=fuzz.WRatio,
        processor=str.casefold,
        limit=limit,
        score_cutoff=cutoff,
    )
    return [name for name, _, _ in scored]


def make_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object for `json.loads(object_pairs_hook=…)`; a key that comes twice is refused.

    JSON readers differ in which of the two values they keep, so one would be lost without a message.
    """
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!a} comes twice in one object")
    return made

"""Texts made comparable for a topic: case, width and punctuation go, words keep their beginnings."""

import re
import unicodedata

_NO_WORD = re.compile(r"[^\w]+")


def fold_text(text: str) -> str:
    """The words of a text between single spaces, with one at both ends."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return f" {_NO_WORD.sub(' ', folded).strip()} "


def fold_topic(text: str) -> str:
    """What is looked for in a folded text: Latin words from their beginning, Chinese anywhere."""
    words = fold_text(text).strip()
    return f" {words}" if words[:1].isascii() else words

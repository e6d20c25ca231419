"""Fields out of a text by a pattern like `{station} - {kind}: {value} {risk} - {at}`.

No regular expressions: literal pieces are looked for from left to right, each at its first place
after the one before, so the time is linear in the text whatever the pattern.
"""

import re
from dataclasses import dataclass
from functools import cache

MAX_PATTERN = 400
MAX_FIELDS = 20
_FIELD = re.compile(r"\{([a-z][a-z0-9_]{0,47})\}")


@dataclass(frozen=True)
class Pattern:
    """Literals around fields: one more literal than fields, the first and last may be empty."""

    literals: tuple[str, ...]
    fields: tuple[str, ...]

    def read(self, text: str) -> dict[str, str] | None:
        """The fields of a text, without white space around; None where it does not fit."""
        head, *inner, tail = self.literals
        if not text.startswith(head) or not text.endswith(tail):
            return None
        at, end = len(head), len(text) - len(tail)
        found: dict[str, str] = {}
        for name, literal in zip(self.fields, inner, strict=False):
            stop = text.find(literal, at, end)
            if stop < 0:
                return None
            found[name] = text[at:stop].strip()
            at = stop + len(literal)
        found[self.fields[-1]] = text[at:end].strip()
        return found if at <= end else None


@cache
def compile_pattern(text: str) -> Pattern:
    """The pattern that a text says; `ValueError` where it is ambiguous or too long."""
    pieces = _FIELD.split(text)
    literals, fields = tuple(pieces[::2]), tuple(pieces[1::2])
    if len(text) > MAX_PATTERN or len(fields) > MAX_FIELDS:
        raise ValueError(f"a pattern has at most {MAX_PATTERN} characters and {MAX_FIELDS} fields")
    if not fields:
        raise ValueError(f"the pattern {text!r} has no {{field}}")
    if len(set(fields)) < len(fields):
        raise ValueError(f"the pattern {text!r} names a field twice")
    if "" in literals[1:-1]:
        raise ValueError(f"in the pattern {text!r} two fields stand side by side")
    return Pattern(literals, fields)

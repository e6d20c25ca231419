"""Walks over JSON values by RFC 6901 pointers: leaves in the order they stand, the first difference."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from backend.agent.replies import dump_json
from backend.text import escape_step

MISSING = "(nothing)"


@dataclass(frozen=True)
class Difference:
    """Where two values part, and what stands on either side."""

    path: str
    expected: Any
    found: Any

    def as_json(self) -> dict[str, Any]:
        """JSON values."""
        return {"path": self.path, "expected": self.expected, "found": self.found}

    def below(self, path: str) -> "Difference":
        """The same, seen from further up."""
        return Difference(path + self.path, self.expected, self.found)

    def __str__(self) -> str:
        """One line."""
        return f"{self.path}: expected {_cut(self.expected)}, found {_cut(self.found)}"


def join_pointer(path: str, step: object) -> str:
    """One step further down."""
    return f"{path}/{escape_step(step)}"


def list_leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Scalars and empty containers with their pointers, in document order."""
    if isinstance(value, dict) and value:
        for key, entry in value.items():
            yield from list_leaves(entry, join_pointer(path, key))
    elif isinstance(value, list) and value:
        for n, entry in enumerate(value):
            yield from list_leaves(entry, join_pointer(path, n))
    else:
        yield path, value


def find_difference(expected: Any, found: Any) -> Difference | None:
    """The first place where two JSON values are not the same bytes; None where they are."""
    if dump_json(expected) == dump_json(found):
        return None
    return next(_compare("", expected, found), None) or Difference("", expected, found)


def _compare(path: str, expected: Any, found: Any) -> Iterator[Difference]:
    if isinstance(expected, dict) and isinstance(found, dict):
        yield from _compare_objects(path, expected, found)
    elif isinstance(expected, list) and isinstance(found, list):
        for n in range(max(len(expected), len(found))):
            one = expected[n] if n < len(expected) else MISSING
            other = found[n] if n < len(found) else MISSING
            yield from _compare(join_pointer(path, n), one, other)
    elif dump_json(expected) != dump_json(found):
        yield Difference(path, expected, found)


def _compare_objects(
    path: str, expected: dict[str, Any], found: dict[str, Any]
) -> Iterator[Difference]:
    for key in (*expected, *(key for key in found if key not in expected)):
        one, other = expected.get(key, MISSING), found.get(key, MISSING)
        yield from _compare(join_pointer(path, key), one, other)
    if list(expected) != list(found) and set(expected) == set(found):
        yield Difference(path, list(expected), list(found))  # the same entries in another order


def _cut(value: Any) -> str:
    text = dump_json(value)
    return text if len(text) <= 200 else f"{text[:199]}…"

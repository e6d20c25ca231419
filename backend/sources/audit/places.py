"""Where the rows of a JSON text end, in bytes: what a cut by position keeps of them."""

from collections.abc import Sequence

from backend.results.values import SCAN

_SPACE = " \t\r\n"


def find_row_ends(content: bytes, text: str, place: Sequence[str]) -> list[int]:
    """For each element of the list at `place` the byte of the file where it is complete."""
    at = _skip(text, 0)
    for key in place:
        at = _enter(text, at, key)
    ends = []
    at = _skip(text, at + 1)
    while text[at] != "]":
        _, end = SCAN(text, at)
        ends.append(end)
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at
    return _count_bytes(content, text, ends)


def _enter(text: str, at: int, wanted: str) -> int:
    """Where the value of a key of the object at `at` begins; of a repeated key the last one's."""
    found = at
    at = _skip(text, at + 1)
    while text[at] != "}":
        key, at = SCAN(text, at)
        at = _skip(text, _skip(text, at) + 1)
        if key == wanted:
            found = at
        _, at = SCAN(text, at)
        at = _skip(text, at)
        at = _skip(text, at + 1) if text[at] == "," else at
    return found


def _skip(text: str, at: int) -> int:
    while text[at] in _SPACE:
        at += 1
    return at


def _count_bytes(content: bytes, text: str, ends: Sequence[int]) -> list[int]:
    size = len(content) - len(text.encode())  # of a byte-order mark
    counted, before = [], 0
    for end in ends:
        size += len(text[before:end].encode())
        before = end
        counted.append(size)
    return counted

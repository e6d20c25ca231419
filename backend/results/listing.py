"""A list whose elements are made when they are wanted: what answers are packed from."""

from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class Listing(Protocol):
    """Length, elements in order, and a part of them without making the others."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Any]: ...

    def slice(self, start: int, end: int) -> "Listing":
        """Elements from `start` to before `end`, both within bounds."""
        ...


def holds_listing(value: Any) -> bool:
    """Whether a stored list stands in an object: it is longer than any short answer."""
    if isinstance(value, dict):
        return any(map(holds_listing, value.values()))
    return isinstance(value, Listing)

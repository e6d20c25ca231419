"""A stored document: its root with lists that are read when they are wanted, and its main table."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from backend.results.rows import Rows

MAX_KEYS = 20_000
"""Names of a table's fields that are kept; what is beyond can be asked for all the same."""

_DEEPEST_TABLE = 8


@dataclass(frozen=True)
class Document:
    """`root` is an object's own keys, `rows` of a bare list, or `value` of a bare text or number.

    `table` is what summary and structured queries speak of: the longest list of objects that the
    root leads to by keys alone, else the root as the only row; `place` is the path to it.
    """

    root: Mapping[str, Any]
    table: Rows
    keys: tuple[str, ...]
    place: tuple[str, ...]

    @classmethod
    def of(cls, value: Any) -> "Document":
        """A value that is at hand."""
        return make_document(make_root(value))


def make_root(value: Any) -> dict[str, Any]:
    """The keys by which paths enter a value."""
    if isinstance(value, dict):
        return value
    return {"rows": value} if isinstance(value, list | Rows) else {"value": value}


def make_document(root: dict[str, Any]) -> Document:
    """A document over its root."""
    candidates = list(_list_tables(root, ()))
    if not candidates:
        return Document(root, Rows.of([root]), tuple(islice(root, MAX_KEYS)), ())
    place, rows = max(candidates, key=lambda found: len(found[1]))
    return Document(root, rows, collect_keys(rows), place)


def _list_tables(value: Any, place: tuple[str, ...]) -> Iterable[tuple[tuple[str, ...], Rows]]:
    if isinstance(value, dict) and len(place) < _DEEPEST_TABLE:
        for key, entry in value.items():
            yield from _list_tables(entry, (*place, key))
    elif isinstance(value, list | Rows):
        rows = value if isinstance(value, Rows) else Rows.of(value)
        is_bare = place == ("rows",)
        if is_bare or (len(rows) and isinstance(rows.at(0), dict)):
            yield place, rows


def collect_keys(rows: Iterable[Any]) -> tuple[str, ...]:
    """The names of the rows' fields, in the order in which they come up."""
    keys: dict[str, None] = {}
    for row in rows:
        if isinstance(row, dict):
            keys.update(dict.fromkeys(row))
        if len(keys) >= MAX_KEYS:
            break
    return tuple(islice(keys, MAX_KEYS))

"""Answers as pages of a table for people: the same questions as a model's, with rows to leaf through."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from backend.results.asking import parse_query_text
from backend.results.cutting import cut, cut_text
from backend.results.document import Document
from backend.results.listing import Listing
from backend.results.path import read_path
from backend.results.query import run_query
from backend.results.rows import Rows
from backend.results.values import MISSING, write_json

MAX_COLUMNS = 40
_TEXT, _LONG_TEXT = 200, 4000
_KEYS = 12

KEY, VALUE = "key", "value"
"""The columns of what is no list of objects."""


@dataclass(frozen=True)
class Leaf:
    """Some rows of an answer as texts; `total` is of the whole, `omitted` counts further columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    start: int
    total: int
    omitted: int = 0

    @property
    def size(self) -> int:
        """Bytes of what is shown."""
        return sum(len(cell.encode()) for row in self.rows for cell in row)


@dataclass(frozen=True)
class Question:
    """A path, or else a structured query as JSON, and which rows of its answer are wanted."""

    path: str | None
    query: str | None
    start: int
    rows: int


def leaf_through(document: Document, asked: Question) -> Leaf:
    """The wanted rows of the answer; an object has a row a key, any other value is one row."""
    if asked.path is None:
        page = run_query(document, parse_query_text(asked.query or ""))
        return _leaf_list(page["rows"], asked.start, asked.rows)
    return leaf_value(read_path(document, asked.path), asked.start, asked.rows)


def leaf_value(value: Any, start: int, rows: int) -> Leaf:
    """The wanted rows of a value that is at hand, or of a list that is still unread."""
    if isinstance(value, list):
        value = Rows.of(value)
    if isinstance(value, Listing):
        return _leaf_list(value, start, rows)
    if isinstance(value, dict):
        keys = list(islice(value, start, start + rows))
        pairs = tuple((cut_text(key, _TEXT), _show(value[key])) for key in keys)
        return Leaf((KEY, VALUE), pairs, start, len(value))
    text = value if isinstance(value, str) else write_json(value)
    return Leaf((VALUE,), ((cut_text(text, _LONG_TEXT),),), 0, 1)


def _leaf_list(values: Listing, start: int, rows: int) -> Leaf:
    total = len(values)
    start = min(start, total)
    found = list(values.slice(start, min(start + rows, total)))
    if not all(isinstance(row, dict) for row in found):
        return Leaf((VALUE,), tuple((_show(row),) for row in found), start, total)
    keys = list(dict.fromkeys(key for row in found for key in row))
    names = tuple(cut_text(key, _TEXT) for key in keys[:MAX_COLUMNS])
    cells = tuple(_list_cells(row, keys[:MAX_COLUMNS]) for row in found)
    return Leaf(names, cells, start, total, max(0, len(keys) - MAX_COLUMNS))


def _list_cells(row: dict[str, Any], keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(_show(row[key]) if key in row else "" for key in keys)


def _show(value: Any) -> str:
    if value is MISSING:
        return ""
    if isinstance(value, str):
        return cut_text(value, _TEXT)
    return cut_text(write_json(cut(value, _TEXT, _KEYS)), _TEXT)

"""Blocks of rows as they are stored: the text of the rows, and beside it their columns.

Columns as bytes: a line of JSON that says what follows, then arrays or JSON values.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.results.columns import DictionaryColumn, ListColumn, make_column
from backend.results.document import MAX_KEYS
from backend.results.numbers import Column, NumberColumn, Positions
from backend.results.summary import LIST_SAMPLE, MAX_PROFILED, Profile
from backend.results.texts import TextColumn, densify
from backend.results.values import MISSING, parse_json, write_json

Array = NDArray[Any]


def pack_column(column: Column) -> bytes:
    """The bytes that `unpack_column` reads."""
    if isinstance(column, NumberColumn):
        tags = [] if column.tags is None else [column.tags]
        arrays = [_shrink(column.scaled), column.places, *tags]
        return _pack({"kind": "number", "places": column.max_places}, arrays)
    if isinstance(column, DictionaryColumn):
        absent, values = _write_values(list(column.uniques))
        return _pack({"kind": "dictionary", "absent": absent}, [_shrink(column.codes)], values)
    if isinstance(column, TextColumn):
        return _pack({"kind": "text"}, [_shrink(column.sizes)], column.content)
    absent, values = _write_values(column.values())
    return _pack({"kind": "list", "absent": absent}, [], values)


def unpack_column(content: bytes) -> Column:
    """The column again."""
    head, arrays, rest = _unpack(content)
    if head["kind"] == "number":
        tags = arrays[2] if len(arrays) > 2 else None
        return NumberColumn(arrays[0].astype(np.int64), arrays[1], head["places"], tags)
    if head["kind"] == "text":
        return TextColumn(rest, np.cumsum(arrays[0], dtype=np.uint32))
    values = _read_values(head["absent"], rest)
    if head["kind"] == "dictionary":
        return DictionaryColumn(arrays[0].astype(np.uint16), values)
    return ListColumn(values)


def _write_values(values: list[Any]) -> tuple[list[int], bytes]:
    absent = [n for n, value in enumerate(values) if value is MISSING]
    shown = [None if value is MISSING else value for value in values] if absent else values
    return absent, write_json(shown).encode()


def _read_values(absent: list[int], content: bytes) -> list[Any]:
    values = parse_json(content.decode())
    assert isinstance(values, list)
    for n in absent:
        values[n] = MISSING
    return values


def _shrink(array: Array) -> Array:
    """The same whole numbers in as few bytes as they need."""
    low, high = (int(array.min()), int(array.max())) if len(array) else (0, 0)
    kind = np.result_type(np.min_scalar_type(low), np.min_scalar_type(high))
    return array.astype(kind if kind.kind in "ui" else np.int64)


def _pack(head: dict[str, Any], arrays: list[Array], rest: bytes = b"") -> bytes:
    described = [[array.dtype.str, len(array)] for array in arrays]
    line = json.dumps({**head, "arrays": described}).encode()
    return b"".join([line, b"\n", *(array.tobytes() for array in arrays), rest])


def _unpack(content: bytes) -> tuple[dict[str, Any], list[Array], bytes]:
    line, _, rest = content.partition(b"\n")
    head = json.loads(line)
    arrays, at = [], 0
    for kind, count in head["arrays"]:
        arrays.append(np.frombuffer(rest, dtype=kind, count=count, offset=at))
        at += arrays[-1].nbytes
    return head, arrays, rest[at:]


MAX_KEPT = 256
"""Fields of a list that are kept as columns; others are read from the rows' text."""

_LONG_TEXT = 1024
_BETWEEN = ",\n"

LoadPart = Callable[[str], bytes]


@dataclass
class StoredList:
    """A list of a document that is kept in blocks; `place` are the keys that lead to it."""

    number: int
    place: tuple[str, ...]
    keys: dict[str, int] = field(default_factory=dict)
    blocks: list[dict[str, Any]] = field(default_factory=list)
    profiles: dict[str, Profile] = field(default_factory=dict)
    sample: list[Any] = field(default_factory=list)

    @property
    def size(self) -> int:
        """Its elements."""
        return sum(block["rows"] for block in self.blocks)

    def pack_block(self, rows: list[Any], texts: Sequence[str]) -> list[tuple[str, bytes]]:
        """The parts to store for the next rows: their text, and each column that is kept."""
        self.sample += rows[: LIST_SAMPLE - len(self.sample)]
        name = name_block(self.number, len(self.blocks))
        parts = [(f"{name}/text", _pack_text(texts))]
        block: dict[str, Any] = {"rows": len(rows), "kept": [], "text_only": []}
        for key, column in self._make_columns(rows).items():
            number = self.keys[key]
            if number < MAX_PROFILED:
                self._profile(key).add(column)
            if _is_worth_keeping(column, len(rows)):
                parts.append((f"{name}/{number}", pack_column(column)))
                block["kept"].append(number)
            else:
                block["text_only"].append(number)
        self.blocks.append(block)
        return parts

    def _make_columns(self, rows: list[Any]) -> dict[str, Column]:
        objects = [row for row in rows if isinstance(row, dict)]
        shapes = dict.fromkeys(map(tuple, objects))
        for shape in shapes:
            for key in islice(shape, MAX_KEYS):
                if key not in self.keys and len(self.keys) < MAX_KEYS:
                    self.keys[key] = len(self.keys)
        used = dict.fromkeys(key for shape in shapes for key in shape)
        kept = [key for key in used if self.keys.get(key, MAX_KEPT) < MAX_KEPT]
        if len(shapes) == 1 and len(objects) == len(rows):
            return {key: densify(make_column([row[key] for row in rows])) for key in kept}
        filled = [row if isinstance(row, dict) else {} for row in rows]
        return {
            key: densify(make_column([row.get(key, MISSING) for row in filled])) for key in kept
        }

    def _profile(self, key: str) -> Profile:
        return self.profiles.setdefault(key, Profile())

    def as_json(self) -> dict[str, Any]:
        """What a reader needs to find its way."""
        return {"place": list(self.place), "keys": list(self.keys), "blocks": self.blocks}


def name_block(number: int, block: int) -> str:
    """Where the parts of a block stand."""
    return f"list/{number}/{block}"


def _pack_text(texts: Sequence[str]) -> bytes:
    column = TextColumn.of([f"{text}{_BETWEEN}" for text in texts])
    content = column.content[: -len(_BETWEEN)]
    return b"".join([len(texts).to_bytes(4, "little"), column.ends.tobytes(), content])


def _is_worth_keeping(column: Column, rows: int) -> bool:
    """Not nested values and not long texts: these are as quick to read from the rows' text."""
    if isinstance(column, TextColumn):
        return len(column.content) <= rows * _LONG_TEXT
    if not isinstance(column, ListColumn):
        return True
    kinds = set(map(type, column.entries))
    texts = (len(entry) for entry in column.entries if isinstance(entry, str))
    return not kinds & {dict, list} and sum(texts) <= rows * _LONG_TEXT


@dataclass(frozen=True)
class StoredBlock:
    """A block whose parts are loaded when they are wanted."""

    name: str
    size: int
    kept: frozenset[int]
    text_only: frozenset[int]
    keys: dict[str, int]
    load: LoadPart

    def column(self, key: str) -> Column | None:
        """A field of all rows where it is kept as a column, or no row of the block has it."""
        number = self.keys.get(key)
        if number in self.kept:
            return unpack_column(self.load(f"{self.name}/{number}"))
        is_known = len(self.keys) < MAX_KEYS if number is None else number < MAX_KEPT
        if number in self.text_only or not is_known:
            return None
        return DictionaryColumn(np.zeros(self.size, dtype=np.uint16), [MISSING])

    def read(self, positions: Positions) -> list[Any]:
        """The rows at these positions."""
        text = _Text(self.load(f"{self.name}/text"))
        if len(positions) * 4 < self.size:
            return [text.row(position) for position in positions.tolist()]
        rows = text.rows
        return [rows[position] for position in positions.tolist()]


class _Text:
    """The text of a block's rows, parsed row by row or at once."""

    def __init__(self, content: bytes) -> None:
        count = int.from_bytes(content[:4], "little")
        self._ends = np.frombuffer(content, dtype=np.uint32, count=count, offset=4)
        self._text = content[4 + self._ends.nbytes :]

    @cached_property
    def rows(self) -> list[Any]:
        """All of them."""
        rows = parse_json(f"[{self._text.decode()}]")
        assert isinstance(rows, list)
        return rows

    def row(self, position: int) -> Any:
        """One of them."""
        start = int(self._ends[position - 1]) if position else 0
        end = int(self._ends[position]) - len(_BETWEEN)
        return parse_json(self._text[start:end].decode())

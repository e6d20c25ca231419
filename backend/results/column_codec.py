"""Columns as bytes: a line of JSON that says what follows, then arrays or JSON values."""

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.results.column import Column
from backend.results.columns import DictionaryColumn, ListColumn
from backend.results.number_column import NumberColumn
from backend.results.text_column import TextColumn
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

"""Reads a table out of a response: rows with typed columns, those that the arguments ask for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from backend.errors import ToolError
from backend.results.path import follow
from backend.results.path_grammar import FieldStep, Key, parse_field, parse_path
from backend.results.rows import Rows, read_field
from backend.results.values import MISSING, is_same
from backend.sources.cells import BadCellError, make_reader
from backend.sources.extraction import compile_pattern
from backend.sources.folding import fold_text
from backend.sources.spec import Column, Extract, Table

Row = dict[str, Any]

ABSENT = object()
"""Stands for what the source says it has none of."""

_LOOKED_AT = 1000


class ChangedError(Exception):
    """The response is not as the projection expects it."""


@dataclass(frozen=True)
class TableRows:
    """A table as read: `rows` have the declared columns, `extras` what else the raw rows hold."""

    rows: list[Row]
    extras: list[Row]

    def list_extra_keys(self) -> list[str]:
        """Keys of the raw rows that no column reads."""
        keys: dict[str, None] = {}
        for row in self.extras[:_LOOKED_AT]:
            keys.update(dict.fromkeys(row))
        return list(keys)


def read_table(root: Mapping[str, Any], table: Table, zone: ZoneInfo) -> TableRows:
    """All rows of the table; a `ChangedError` says what is not as it was."""
    raw = list(_list_raw(root, table))
    if len(raw) < table.min_rows:
        raise ChangedError(f"{table.from_ or 'the response'} has {len(raw)} rows")
    if table.extract is not None:
        raw = [row | _extract(row, table.extract, number) for number, row in enumerate(raw)]
    plain = {name: column for name, column in table.columns.items() if not column.folds}
    columns = [_read_column(raw, name, column, zone) for name, column in plain.items()]
    rows = [dict(zip(plain, values, strict=True)) for values in zip(*columns, strict=True)]
    for name, column in table.columns.items():
        for row in rows if column.folds else ():
            row[name] = fold_text(" ".join(str(row[part] or "") for part in column.folds))
    used = _list_used_keys(table)
    return TableRows(rows, [{k: v for k, v in row.items() if k not in used} for row in raw])


def _list_raw(root: Mapping[str, Any], table: Table) -> Iterator[Row]:
    value = dict(root) if table.from_ is None else read_root(root, table.from_, table.absent)
    if value is ABSENT:
        return
    if table.entries is not None:
        if not isinstance(value, dict):
            raise ChangedError(f"{table.from_ or 'the response'} is no object")
        for key, entry in value.items():
            if not isinstance(entry, dict):
                raise ChangedError(f"the entry {key!r} is no object")
            yield {table.entries: key} | entry
        return
    if not isinstance(value, list):
        raise ChangedError(f"{table.from_ or 'the response'} is no list")
    for row in value:
        yield row if isinstance(row, dict) else {"value": row}


def read_root(root: Mapping[str, Any], text: str, absent: Sequence[Any] = ()) -> Any:
    """What a path leads to, as a plain value; `ABSENT` where it, or its root, is one of `absent`."""
    path = parse_path(text)
    if _is_among(root.get(path.root, MISSING), absent):
        return ABSENT
    try:
        found = follow(root, path)
    except ToolError as error:
        raise ChangedError(f"{text}: {error.message}") from None
    value = list(found) if isinstance(found, Rows) else found
    return ABSENT if _is_among(value, absent) else value


def _is_among(value: Any, entries: Sequence[Any]) -> bool:
    return any(is_same(value, entry) for entry in entries)


def _extract(row: Row, extract: Extract, number: int) -> Row:
    text = row.get(extract.key)
    for pattern in extract.patterns:
        found = compile_pattern(pattern).read(text) if isinstance(text, str) else None
        if found is not None:
            return dict(found)
    raise ChangedError(f"{extract.key} of row {number} fits no pattern")


def _read_column(rows: list[Row], name: str, column: Column, zone: ZoneInfo) -> list[Any]:
    """The column's values; equal texts, of which a long column has many, are read once."""
    field = _make_field(name, column)
    read = make_reader(column, zone)
    known: dict[str, Any] = {}
    values = []
    for number, row in enumerate(rows):
        raw = row.get(field, MISSING) if isinstance(field, str) else read_field(row, field)
        if type(raw) is str and raw in known:
            values.append(known[raw])
            continue
        try:
            value = read(raw)
        except BadCellError as error:
            raise ChangedError(f"{name} of row {number} {error}") from None
        if type(raw) is str:
            known[raw] = value
        values.append(value)
    return values


def _make_field(name: str, column: Column) -> str | tuple[FieldStep, ...]:
    return parse_field(column.path) if column.path is not None else column.key or name


def _list_used_keys(table: Table) -> set[str]:
    used = {table.extract.key} if table.extract else set()
    for name, column in table.columns.items():
        field = _make_field(name, column)
        first = field[0] if isinstance(field, tuple) else Key(field)
        used.add(first.name if isinstance(first, Key) else name)
    return used

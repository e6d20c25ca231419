"""Reads a table out of a response: rows with typed columns, those that the arguments ask for.

Reads the cells of a column as its type: number, date or time.

Any other value is an error, since it means that the source has changed. A date that
cannot be read is never null or 0; only what the column lists as `none` is null.
"""

import datetime as dt
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from email.utils import parsedate_to_datetime
from typing import Any
from zoneinfo import ZoneInfo

from backend.errors import ToolError
from backend.results.document import follow
from backend.results.handle import shorten
from backend.results.path_grammar import FieldStep, Key, parse_field, parse_path
from backend.results.rows import Rows, read_field
from backend.results.values import MISSING, is_same, write_json
from backend.sources.binding import compile_pattern, fold_text
from backend.sources.spec import Column, Extract, Table

RFC822 = "rfc822"

_INTEGER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d{1,30})")
_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d{1,30})(?:\.\d{1,30})?")
_DATE_LIKE = re.compile(
    r"(?:[A-Za-z]{3,9},? )?"
    r"(?:\d{1,4}[-/.年]\d{1,2}[-/.月]\d{1,4}日?|\d{1,2} [A-Za-z]{3,9},? \d{2,4}"
    r"|[A-Za-z]{3,9} \d{1,2},? \d{2,4})(?:[ T,].{0,40})?"
)
_ISO = re.compile(r"\d{4}-\d{2}-\d{2}(?:[ T].*)?")


class BadCellError(ValueError):
    """A value that the column's type does not allow."""


Read = Callable[[Any], Any]


def make_reader(column: Column, zone: ZoneInfo) -> Read:
    """A function from a raw value to the column's value."""
    read_typed = _make_typed(column, zone)

    def read(value: Any) -> Any:
        if isinstance(value, str):
            return _read_text(value, column, read_typed)
        return _read_other(value, column, read_typed)

    return read


def _read_text(value: str, column: Column, read_typed: Read) -> Any:
    text = column.rename.get(value, value)
    if text in column.none:
        return None
    return text if text in column.allow else read_typed(text)


def _read_other(value: Any, column: Column, read_typed: Read) -> Any:
    if value is MISSING:
        if column.optional:
            return None
        raise BadCellError("is missing")
    if any(is_same(value, entry) for entry in column.none):
        return None
    return read_typed(value)


def _make_typed(column: Column, zone: ZoneInfo) -> Read:
    if column.type == "date":
        return lambda value: _read_date(value, column.format)
    if column.type == "time":
        return lambda value: _read_time(value, column.format, zone)
    return {
        "as_is": lambda value: value,
        "text": _read_plain_text,
        "integer": lambda value: _read_number(value, _INTEGER, int),
        "number": lambda value: _read_number(value, _NUMBER, Decimal),
    }[column.type]


def _read_plain_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise _refuse("a text", value)


def _read_number(value: Any, pattern: re.Pattern[str], make: Callable[[str], Any]) -> Any:
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and pattern.fullmatch(value.strip()):
        return make(value.strip().replace(",", ""))
    raise _refuse("a number", value)


def _read_date(value: Any, form: str | None) -> str:
    text = str(value) if isinstance(value, str | int) else ""
    try:
        if form is None:
            return dt.date.fromisoformat(text.strip()).isoformat()
        return dt.datetime.strptime(text.strip(), form).date().isoformat()  # noqa: DTZ007 - a day
    except ValueError:
        raise _refuse(f"a date {form or 'YYYY-MM-DD'}", value) from None


def _read_time(value: Any, form: str | None, zone: ZoneInfo) -> str:
    """In the source's own zone, so that times compare as texts."""
    text = value.strip() if isinstance(value, str) else ""
    try:
        moment = _parse_time(text, form)
    except (ValueError, TypeError, OverflowError):
        raise _refuse(f"a time {form or 'of ISO 8601'}", value) from None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=zone)
    return moment.astimezone(zone).isoformat(timespec="seconds")


def _parse_time(text: str, form: str | None) -> dt.datetime:
    if form == RFC822:
        return parsedate_to_datetime(text)
    if form is None:
        return dt.datetime.fromisoformat(text)
    return dt.datetime.strptime(text, form)  # noqa: DTZ007 - the caller adds the zone


def _refuse(wanted: str, value: Any) -> BadCellError:
    return BadCellError(f"should be {wanted}, not {shorten(write_json(value))}")


def looks_like_date(value: Any) -> bool:
    """Whether a text is a date in a form that does not sort as text."""
    if not isinstance(value, str):
        return False
    text = value.strip()
    return _ISO.fullmatch(text) is None and _DATE_LIKE.fullmatch(text) is not None


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

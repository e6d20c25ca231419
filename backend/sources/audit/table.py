"""A file as columns of values, each with the bytes that it takes in the file.

Where the rows of a JSON text end, in bytes: what a cut by position keeps of them.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal

from backend.errors import ConfigurationError
from backend.results.columns import make_column
from backend.results.document import collect_keys, find_table, make_root
from backend.results.numbers import Codes
from backend.results.values import MISSING, SCAN, parse_json, write_json

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


_CELL = {
    delimiter: re.compile(
        rb'("(?:[^"]|"")*"|[^"%b\r\n][^%b\r\n]*|)(%b|\r\n|\n|\r|\Z)' % ((found,) * 3)
    )
    for delimiter, found in ((b",", b","), (b";", b";"), (b"\t", b"\t"), (b"|", rb"\|"))
}
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,29})(?:\.[0-9]{1,18})?")
_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, eq=False)
class AuditedColumn:
    """One column: JSON values, None where a cell is empty; `size` are bytes with their separators."""

    name: str
    values: Sequence[Any]
    size: int

    @cached_property
    def factors(self) -> tuple[Codes, list[Any]]:
        """For each row the number of its value, and the values."""
        return make_column(list(self.values)).factorize()

    @property
    def is_numeric(self) -> bool:
        """Whether there are numbers, and nothing else but empty cells."""
        kinds = set(map(type, self.factors[1]))
        return bool(kinds & {int, Decimal}) and kinds <= {int, Decimal, type(None)}


@dataclass(frozen=True)
class AuditedTable:
    """All columns, and for each row the byte of the file where it is complete."""

    format: Literal["csv", "json"]
    size: int
    columns: Sequence[AuditedColumn]
    ends: Sequence[int]


def read_table(content: bytes) -> AuditedTable:
    """The table of a CSV with header, or of JSON: a list of objects, bare or in an object."""
    start = content.removeprefix(_MARK).lstrip()[:1]
    return _read_json(content) if start in (b"[", b"{") else _read_csv(content)


def _read_csv(content: bytes) -> AuditedTable:
    encoding = _find_encoding(content)
    lines = _split_csv(content)
    head = next(lines, None)
    if head is None or not any(cell for cell, _ in head[0]):
        raise ConfigurationError("the file is empty: a CSV has a header, JSON a list of objects")
    found, ends = _Cells(encoding), []
    found.add(head[0])
    for row, end in lines:
        if len(row) > 1 or row[0][0]:
            found.add(row)
            ends.append(end)
    return AuditedTable("csv", len(content), found.make_columns(), ends)


class _Cells:
    """Cells of a CSV by column, each text once however often it comes."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._texts: dict[bytes, str] = {}
        self._columns: list[list[str]] = []
        self._sizes: list[int] = []
        self._rows = 0

    def add(self, row: Sequence[tuple[bytes, int]]) -> None:
        """One more row; what it lacks is empty, and a column that it begins was so before."""
        while len(self._columns) < len(row):
            self._columns.append([""] * self._rows)
            self._sizes.append(0)
        for n, (cell, size) in enumerate(row):
            self._columns[n].append(self._read(cell))
            self._sizes[n] += size
        for column in self._columns[len(row) :]:
            column.append("")
        self._rows += 1

    def _read(self, cell: bytes) -> str:
        if cell not in self._texts:
            self._texts[cell] = _unquote(cell).decode(self._encoding)
        return self._texts[cell]

    def make_columns(self) -> list[AuditedColumn]:
        """The columns by the names of the first row."""
        names = _name_columns([column[0] for column in self._columns])
        sized = zip(names, self._columns, self._sizes, strict=True)
        return [AuditedColumn(name, _read_values(texts[1:]), size) for name, texts, size in sized]


def _name_columns(titles: Sequence[str]) -> list[str]:
    """A name of its own for each: a title may be empty, or come twice."""
    names: list[str] = []
    for n, title in enumerate(map(str.strip, titles)):
        is_own = bool(title) and title not in names
        names.append(title if is_own else f"{title} (column {n + 1})".strip())
    return names


def _find_encoding(content: bytes) -> str:
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            content.decode(encoding)
        except UnicodeDecodeError:
            continue
        return encoding
    raise ConfigurationError("the file is neither UTF-8 nor GB18030")


def _split_csv(content: bytes) -> Iterator[tuple[list[tuple[bytes, int]], int]]:
    """Rows of cells, each with its bytes up to the next one, and where the row ends."""
    first = content.split(b"\n", 1)[0]
    delimiter = max(_CELL, key=first.count)
    at = len(_MARK) if content.startswith(_MARK) else 0
    row: list[tuple[bytes, int]] = []
    while at < len(content):
        found = _CELL[delimiter].match(content, at)
        if found is None:
            raise ConfigurationError(f"at byte {at}: a quoted cell does not end as CSV has it")
        row.append((found[1], found.end() - at))
        at = found.end()
        if found[2] != delimiter:
            yield row, at
            row = []
        elif at == len(content):
            yield [*row, (b"", 0)], at


def _read_values(texts: Sequence[str]) -> list[Any]:
    """Numbers where all that is there are; None for an empty cell."""
    if all(not text or _NUMBER.fullmatch(text) for text in set(texts)):
        numbers = {text: _read_number(text) for text in set(texts) if text}
        return [numbers.get(text) for text in texts]
    return [text or None for text in texts]


def _unquote(cell: bytes) -> bytes:
    return cell[1:-1].replace(b'""', b'"') if cell[:1] == b'"' else cell.strip()


def _read_number(text: str) -> int | Decimal:
    return Decimal(text) if "." in text else int(text)


def _read_json(content: bytes) -> AuditedTable:
    try:
        text = content.decode("utf-8-sig")
        root = parse_json(text)
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(f"the file is not JSON: {error}") from None
    found = find_table(make_root(root))
    rows = [row for row in found[1] if isinstance(row, dict)] if found else []
    if found is None or not rows:
        raise ConfigurationError("there is no list of objects in the file")
    columns = [_make_json_column(key, rows) for key in collect_keys(rows)]
    place = () if isinstance(root, list) else found[0]
    return AuditedTable("json", len(content), columns, find_row_ends(content, text, place))


def _make_json_column(key: str, rows: Sequence[dict[str, Any]]) -> AuditedColumn:
    cells = [row.get(key, MISSING) for row in rows]
    name = len(write_json(key).encode()) + len(":,")
    size = sum(name + len(write_json(cell).encode()) for cell in cells if cell is not MISSING)
    values = [None if cell is MISSING or cell in ("", [], {}) else cell for cell in cells]
    return AuditedColumn(key, values, size)

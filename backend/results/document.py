"""A stored document: its root with lists that are read when they are wanted, and its main table.

A list whose elements are made when they are wanted: what answers are packed from.

Cuts values to what an answer has room for: texts, lists, objects, depth.

Answers path queries: one step after the other, each linear in what it looks at.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol, runtime_checkable

from backend.results.handle import refuse_field, refuse_index, refuse_kind
from backend.results.numbers import Column, Positions
from backend.results.path_grammar import (
    Every,
    Filter,
    Index,
    Key,
    Length,
    Path,
    Slice,
    Step,
    parse_path,
)
from backend.results.rows import Rows
from backend.results.values import kind_of

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


@dataclass(frozen=True)
class _RootBlock:
    """The root as the only row; its long lists are read only where somebody asks for it whole."""

    root: Mapping[str, Any]
    size: int = 1

    def column(self, _key: str) -> Column | None:
        """None: it is a row like any other."""
        return None

    def read(self, positions: Positions) -> list[Any]:
        """The root with its lists."""
        return [thaw(self.root)] * len(positions)


def thaw(value: Any, most: int | None = None) -> Any:
    """A value with its long lists read, each up to `most` elements."""
    if isinstance(value, Mapping):
        return {key: thaw(entry, most) for key, entry in value.items()}
    if isinstance(value, Rows):
        return list(value if most is None else value.slice(0, min(most, len(value))))
    return value


def make_root(value: Any) -> dict[str, Any]:
    """The keys by which paths enter a value."""
    if isinstance(value, dict):
        return value
    return {"rows": value} if isinstance(value, list | Rows) else {"value": value}


def make_document(
    root: dict[str, Any],
    place: tuple[str, ...] | None = None,
    keys: Sequence[str] | None = None,
) -> Document:
    """A document over its root; where its table stands and what keys it has may be known."""
    found = find_table(root) if place is None else (place, _follow(root, place))
    if found is None:
        return Document(root, Rows.over([_RootBlock(root)]), tuple(islice(root, MAX_KEYS)), ())
    rows = found[1]
    return Document(root, rows, collect_keys(rows) if keys is None else tuple(keys), found[0])


def find_table(root: dict[str, Any]) -> tuple[tuple[str, ...], Rows] | None:
    """The longest list of objects that the root leads to, of values that are at hand."""
    return max(_list_tables(root, ()), key=lambda found: len(found[1]), default=None)


def _follow(root: Mapping[str, Any], place: Sequence[str]) -> Rows:
    value: Any = root
    for key in place:
        value = value[key]
    return value if isinstance(value, Rows) else Rows.of(value)


def _list_tables(value: Any, place: tuple[str, ...]) -> Iterable[tuple[tuple[str, ...], Rows]]:
    if isinstance(value, dict) and len(place) < _DEEPEST_TABLE:
        for key, entry in value.items():
            yield from _list_tables(entry, (*place, key))
    elif isinstance(value, list) and (place == ("rows",) or _has_objects(value)):
        yield place, Rows.of(value)


def _has_objects(value: list[Any]) -> bool:
    return bool(value) and isinstance(value[0], dict)


def collect_keys(rows: Iterable[Any]) -> tuple[str, ...]:
    """The names of the rows' fields, in the order in which they come up."""
    keys: dict[str, None] = {}
    for row in rows:
        if isinstance(row, dict):
            keys.update(dict.fromkeys(row))
        if len(keys) >= MAX_KEYS:
            break
    return tuple(islice(keys, MAX_KEYS))


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


_DEEPEST = 4


def cut_text(text: str, limit: int) -> str:
    """At most `limit` code points, the last of them an ellipsis where something is gone."""
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def cut(value: Any, text_limit: int, key_limit: int, depth: int = 0) -> Any:
    """A value with short texts and few keys or elements; deep content becomes an ellipsis."""
    if isinstance(value, str):
        return cut_text(value, text_limit)
    if isinstance(value, Listing):
        value = list(value.slice(0, min(key_limit, len(value))))
    if not isinstance(value, dict | list):
        return value
    if value and depth == _DEEPEST:
        return "…"
    if isinstance(value, dict):
        return {
            cut_text(key, text_limit): cut(entry, text_limit, key_limit, depth + 1)
            for key, entry in islice(value.items(), key_limit)
        }
    return [cut(entry, text_limit, key_limit, depth + 1) for entry in value[:key_limit]]


_LOOKED_AT = 1000
"""Rows that are looked at for the names of their fields when none has the wanted one."""


def read_path(document: Document, text: str) -> Any:
    """What a path leads to: a JSON value, or `Rows` for a list whose elements are still unread."""
    return follow(document.root, parse_path(text))


def follow(root: Mapping[str, Any], path: Path) -> Any:
    """What a parsed path leads to."""
    if path.root not in root:
        raise refuse_field(path.root, root)
    value, is_mapped = _wrap(root[path.root]), False
    for step in path.steps:
        value, is_mapped = _take(value, step, is_mapped=is_mapped)
        value = _wrap(value)
    return value


def _wrap(value: Any) -> Any:
    return Rows.of(value) if isinstance(value, list) else value


def _take(value: Any, step: Step, *, is_mapped: bool) -> tuple[Any, bool]:
    """The value after a step, and whether a name after it maps over rows."""
    if isinstance(step, Key):
        return _take_key(value, step.name, is_mapped=is_mapped), is_mapped
    if isinstance(step, Index):
        return _take_index(value, step.at), False
    if isinstance(step, Length):
        return _count(value), False
    if isinstance(value, str) and isinstance(step, Slice):
        return value[step.start : step.end], False
    if not isinstance(value, Rows):
        raise refuse_kind(_name_step(step), kind_of(value))
    if isinstance(step, Slice):
        start, end, _ = slice(step.start, step.end).indices(len(value))
        return value.slice(start, end), True
    return (value.filter(step.condition) if isinstance(step, Filter) else value), True


def _name_step(step: Step) -> str:
    return {Every: "[*]", Slice: "[a:b]", Filter: "[?…]"}.get(type(step), "")


def _take_key(value: Any, name: str, *, is_mapped: bool) -> Any:
    if isinstance(value, dict):
        if name not in value:
            raise refuse_field(name, value)
        return value[name]
    if not isinstance(value, Rows):
        raise refuse_field(name, (), f"before it stands a value of type {kind_of(value)}")
    if not is_mapped:
        raise refuse_field(name, (), "a list has none; [*] before it maps over the elements")
    plucked = value.pluck(name)
    if len(value) and not len(plucked):
        raise refuse_field(name, _list_names(value))
    return plucked


def _list_names(rows: Rows) -> Iterable[str]:
    names: dict[str, None] = {}
    for row in islice(rows, _LOOKED_AT):
        if isinstance(row, dict):
            names.update(dict.fromkeys(row))
    return names


def _take_index(value: Any, at: int) -> Any:
    if not isinstance(value, Rows | str):
        raise refuse_index(at, 0)
    size = len(value)
    if not -size <= at < size:
        raise refuse_index(at, size)
    index = at % size
    return value.at(index) if isinstance(value, Rows) else value[index]


def _count(value: Any) -> int:
    if isinstance(value, Rows | str | dict):
        return len(value)
    raise refuse_field("length", (), f"a value of type {kind_of(value)} has none")

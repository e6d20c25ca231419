"""Answers path queries: one step after the other, each linear in what it looks at."""

from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any

from backend.results.document import Document
from backend.results.handle import refuse_field, refuse_index, refuse_kind
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

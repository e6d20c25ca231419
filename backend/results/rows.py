"""Rows of a document that are not read yet: the blocks, the selected positions, and a path of keys.

Each step of a query selects fewer positions or goes one key deeper; values are read only when they
are shown.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from backend.results.columns import make_column
from backend.results.numbers import Check, Codes, Column, Mask, Positions
from backend.results.path_grammar import (
    All,
    Comparison,
    Condition,
    Either,
    FieldStep,
    Index,
    Key,
    Length,
    Not,
)
from backend.results.values import MISSING


class Block(Protocol):
    """Some rows that stand together."""

    @property
    def size(self) -> int:
        """How many."""
        ...

    def column(self, key: str) -> Column | None:
        """A field of all rows where it is kept as a column."""
        ...

    def read(self, positions: Positions) -> list[Any]:
        """The rows at these positions."""
        ...


@dataclass(frozen=True)
class MemoryBlock:
    """Rows that are at hand as values."""

    values: list[Any]

    @property
    def size(self) -> int:
        """How many."""
        return len(self.values)

    def column(self, _key: str) -> Column | None:
        """None: the values are at hand anyway."""
        return None

    def read(self, positions: Positions) -> list[Any]:
        """The rows at these positions."""
        return [self.values[position] for position in positions.tolist()]


@dataclass(frozen=True)
class Part:
    """Those positions of a block that are meant, and the way from its rows to what is meant."""

    block: Block
    positions: Positions
    trail: tuple[str, ...] = ()

    def column(self, field: Sequence[FieldStep]) -> Column:
        """A field of what is meant."""
        if not self.trail and len(field) == 1 and isinstance(field[0], Key):
            kept = self.block.column(field[0].name)
            if kept is not None:
                is_whole = len(self.positions) == self.block.size
                return kept if is_whole else kept.take(self.positions)
        return make_column([read_field(value, field) for value in self.values()])

    def columns(self, keys: Sequence[str]) -> dict[str, Column]:
        """Several fields of whole rows; the rows are read at most once."""
        kept = {key: self.block.column(key) for key in keys}
        absent = [key for key, column in kept.items() if column is None]
        rows = self.values() if absent else []
        for key in absent:
            field = (Key(key),)
            kept[key] = make_column([read_field(row, field) for row in rows])
        return {key: column for key, column in kept.items() if column is not None}

    def values(self) -> list[Any]:
        """What is meant; `MISSING` where the trail leads nowhere."""
        if len(self.trail) == 1:
            kept = self.block.column(self.trail[0])
            if kept is not None:
                return kept.take(self.positions).values()
        rows = self.block.read(self.positions)
        for key in self.trail:
            rows = [row.get(key, MISSING) if isinstance(row, dict) else MISSING for row in rows]
        return rows

    def keep(self, mask: Mask) -> "Part":
        """Fewer positions."""
        return replace(self, positions=self.positions[mask])


@dataclass(frozen=True)
class Rows:
    """A list whose elements are read when they are wanted."""

    parts: tuple[Part, ...]

    @classmethod
    def of(cls, values: list[Any]) -> "Rows":
        """A list at hand."""
        return cls.over([MemoryBlock(values)])

    @classmethod
    def over(cls, blocks: Sequence[Block]) -> "Rows":
        """All rows of some blocks."""
        return cls(tuple(Part(b, np.arange(b.size, dtype=np.int32)) for b in blocks))

    def __len__(self) -> int:
        return sum(len(part.positions) for part in self.parts)

    def __iter__(self) -> Iterator[Any]:
        for part in self.parts:
            if len(part.positions):
                yield from part.values()

    def at(self, index: int) -> Any:
        """One element; `index` counts from 0 and is within bounds."""
        return next(iter(self.slice(index, index + 1)))

    def pick(self, indices: Codes) -> list[Any]:
        """The elements at these indices, in their order; each block is read once."""
        found: list[Any] = [None] * len(indices)
        offset = 0
        for part in self.parts:
            end = offset + len(part.positions)
            wanted = np.flatnonzero((indices >= offset) & (indices < end))
            if len(wanted):
                chosen = replace(part, positions=part.positions[indices[wanted] - offset])
                for place, value in zip(wanted.tolist(), chosen.values(), strict=True):
                    found[place] = value
            offset = end
        return found

    def slice(self, start: int, end: int) -> "Rows":
        """Elements from `start` to before `end`, both within bounds."""
        parts, offset = [], 0
        for part in self.parts:
            size = len(part.positions)
            low, high = max(start - offset, 0), min(end - offset, size)
            if low < high:
                parts.append(replace(part, positions=part.positions[low:high]))
            offset += size
        return Rows(tuple(parts))

    def filter(self, condition: Condition) -> "Rows":
        """Those for which the condition holds."""
        return self._narrow(lambda part: part.keep(match(part, condition)))

    def pluck(self, key: str) -> "Rows":
        """A field of each; those without it are left out."""
        return self._narrow(lambda part: _pluck(part, key))

    def _narrow(self, narrow: Callable[[Part], Part]) -> "Rows":
        narrowed = (narrow(part) for part in self.parts if len(part.positions))
        return Rows(tuple(part for part in narrowed if len(part.positions)))


def _pluck(part: Part, key: str) -> Part:
    kept = None if part.trail else part.block.column(key)
    if kept is not None:
        present = kept.present()[part.positions]
    else:
        values = part.values()
        present = np.array([isinstance(v, dict) and key in v for v in values], dtype=np.bool_)
    return replace(part.keep(present), trail=(*part.trail, key))


def read_field(value: Any, field: Sequence[FieldStep]) -> Any:
    """What the field path leads to in one value; `MISSING` where it leads nowhere."""
    for step in field:
        value = _read_step(value, step)
    return value


def _read_step(value: Any, step: FieldStep) -> Any:
    if isinstance(step, Key):
        return value.get(step.name, MISSING) if isinstance(value, dict) else MISSING
    if isinstance(step, Length):
        return len(value) if isinstance(value, list | dict | str) else MISSING
    if isinstance(step, Index) and isinstance(value, list | str):
        size = len(value)
        return value[step.at] if -size <= step.at < size else MISSING
    return MISSING


def match(part: Part, condition: Condition) -> Mask:
    """Where the condition holds among what is meant."""
    columns: dict[tuple[FieldStep, ...], Column] = {}

    def find(field: tuple[FieldStep, ...]) -> Column:
        if field not in columns:
            columns[field] = part.column(field)
        return columns[field]

    return _match(find, condition)


def _match(find: Callable[[tuple[FieldStep, ...]], Column], condition: Condition) -> Mask:
    if isinstance(condition, Comparison):
        return find(condition.field).mask(Check(condition.op, condition.operand))
    if isinstance(condition, Not):
        return ~_match(find, condition.part)
    masks = [_match(find, part) for part in condition.parts]
    combine = np.logical_and if isinstance(condition, All) else np.logical_or
    assert isinstance(condition, All | Either)
    return np.asarray(combine.reduce(masks))

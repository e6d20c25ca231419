"""Texts of a block as one run of UTF-8, from which only those are made that somebody wants."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend.results.column import Check, Codes, Mask, Positions
from backend.results.columns import ListColumn

_MANY = 4  # where more than one in four is wanted, all are made at once
_LATER = 0xC0, 0x80  # mask and value of a character's bytes after the first


@dataclass(frozen=True)
class TextColumn:
    """One text a row; `ends` are the bytes up to the end of each."""

    content: bytes
    ends: NDArray[np.uint32]

    @classmethod
    def of(cls, texts: Sequence[str]) -> "TextColumn":
        """The column of these texts, halves of surrogate pairs among them."""
        content = _encode("".join(texts))
        ends = np.cumsum(list(map(len, texts)), dtype=np.uint32)
        if not content.isascii():
            mask, later = _LATER
            firsts = np.flatnonzero((np.frombuffer(content, dtype=np.uint8) & mask) != later)
            ends = np.append(firsts, len(content)).astype(np.uint32)[ends]
        return cls(content, ends)

    def __len__(self) -> int:
        return len(self.ends)

    @cached_property
    def sizes(self) -> NDArray[np.uint32]:
        """Bytes of each."""
        return np.diff(self.ends, prepend=np.uint32(0))

    @cached_property
    def lengths(self) -> NDArray[np.uint32]:
        """Code points of each."""
        if self.content.isascii():
            return self.sizes
        mask, later = _LATER
        signs = np.frombuffer(self.content, dtype=np.uint8)
        before = np.zeros(len(signs) + 1, dtype=np.uint32)
        np.cumsum((signs & mask) != later, out=before[1:])
        return np.diff(before[self.ends], prepend=np.uint32(0))

    @property
    def matrix(self) -> NDArray[np.uint8] | None:
        """A row of bytes for each text, where all have as many."""
        size = int(self.sizes[0]) if len(self) else 0
        if not size or (self.sizes != size).any():
            return None
        return np.frombuffer(self.content, dtype=np.uint8).reshape(len(self), size)

    def take(self, positions: Positions) -> ListColumn:
        """The same field of fewer rows."""
        if len(positions) * _MANY > len(self):
            return ListColumn(self.values()).take(positions)
        ends = self.ends[positions].astype(np.int64)
        starts = ends - self.sizes[positions]
        pairs = zip(starts.tolist(), ends.tolist(), strict=True)
        return ListColumn([_decode(self.content[start:end]) for start, end in pairs])

    def mask(self, check: Check) -> Mask:
        """Where a comparison is true."""
        if check.op == "==" and isinstance(check.operand, str):
            return self._is_equal(_encode(check.operand))
        return ListColumn(self.values()).mask(check)

    def _is_equal(self, wanted: bytes) -> Mask:
        is_equal = np.asarray(self.sizes == len(wanted))
        matrix = self.matrix
        if matrix is not None and is_equal.all():
            return np.asarray((matrix == np.frombuffer(wanted, dtype=np.uint8)).all(axis=1))
        for position in np.flatnonzero(is_equal).tolist():
            end = int(self.ends[position])
            is_equal[position] = self.content[end - len(wanted) : end] == wanted
        return is_equal

    def present(self) -> Mask:
        """Everywhere."""
        return np.ones(len(self), dtype=np.bool_)

    def values(self) -> list[Any]:
        """The texts."""
        text = _decode(self.content)
        ends = np.cumsum(self.lengths, dtype=np.int64).tolist()
        return [text[start:end] for start, end in zip([0, *ends], ends, strict=False)]

    def factorize(self) -> tuple[Codes, list[Any]]:
        """For each row the number of its text among the distinct ones."""
        return ListColumn(self.values()).factorize()


def densify(column: Any) -> Any:
    """A column of texts alone as a `TextColumn`; any other as it is."""
    if isinstance(column, ListColumn) and column.is_text:
        return TextColumn.of(column.entries)
    return column


def _encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _decode(content: bytes) -> str:
    return content.decode("utf-8", "surrogatepass")

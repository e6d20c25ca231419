"""What every column of a block of rows can do, and the comparisons that are asked of it."""

from collections.abc import Callable
from dataclasses import dataclass
from operator import eq, ge, gt, le, lt
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from backend.results.values import Op, holds

Mask = NDArray[np.bool_]
Positions = NDArray[np.int32]
Codes = NDArray[np.intp]
Whole = NDArray[np.int64]

ORDERED: dict[Op, Callable[[Any, Any], Any]] = {"==": eq, "<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True)
class Check:
    """A comparison with a literal, for any value."""

    op: Op
    operand: Any

    def __call__(self, value: Any) -> bool:
        """Whether it is true of one value."""
        return holds(value, self.op, self.operand)


class Column(Protocol):
    """One field of some rows, in their order; a row without it has `MISSING`."""

    def __len__(self) -> int: ...

    def take(self, positions: Positions) -> "Column":
        """The same field of fewer rows."""
        ...

    def mask(self, check: Check) -> Mask:
        """Where a comparison is true."""
        ...

    def present(self) -> Mask:
        """Where a row has the field, be it null."""
        ...

    def values(self) -> list[Any]:
        """JSON values."""
        ...

    def factorize(self) -> tuple[Codes, list[Any]]:
        """For each row the number of its value among the distinct ones, missing as null."""
        ...

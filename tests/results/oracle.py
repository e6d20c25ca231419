"""Paths and queries once more, the plain way: loops over values, nothing clever."""

from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

TYPES = {str: "text", bool: "boolean", int: "number", Decimal: "number", type(None): "null"}


def type_of(value: Any) -> str:
    return TYPES.get(type(value), type(value).__name__)


def compare(row: Any, key: str, op: str, literal: Any) -> bool:
    """A comparison between a field and a literal."""
    if not isinstance(row, dict) or key not in row or type_of(row[key]) != type_of(literal):
        return op == "!="
    value = row[key]
    if op in {"==", "!="}:
        return bool(value == literal) == (op == "==")
    if type_of(value) not in {"number", "text"}:
        raise NotImplementedError
    order: dict[str, Callable[[Any, Any], bool]] = {
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
    }
    return order[op](value, literal)


def sort_key(value: Any) -> tuple[int, Any]:
    """Numbers, texts, booleans, null."""
    rank = {"number": 0, "text": 1, "boolean": 2, "null": 9}[type_of(value)]
    return rank, 0 if value is None else value


def group(rows: Sequence[Any], by: str, summed: str) -> list[dict[str, Any]]:
    """Count, sum, average, least and greatest of one field by another."""
    groups: dict[Any, list[Any]] = {}
    for row in rows:
        value = row.get(by)
        groups.setdefault((type_of(value), value), []).append(row)
    return [
        {
            by: members[0].get(by),
            "count": len(members),
            **figures([m[summed] for m in members if m.get(summed) is not None], summed),
        }
        for members in sorted(groups.values(), key=lambda m: sort_key(m[0].get(by)))
    ]


def figures(values: Sequence[Any], name: str) -> dict[str, Any]:
    """The figures of a column's values."""
    total = sum(values)
    return {
        f"count_{name}": len(values),
        f"sum_{name}": total,
        f"avg_{name}": mean(total, len(values)) if values else None,
        f"min_{name}": min(values, default=None),
        f"max_{name}": max(values, default=None),
    }


def mean(total: Any, count: int) -> Decimal:
    """Two places, half up."""
    return (Decimal(total) / count).quantize(Decimal("0.01"), ROUND_HALF_UP)

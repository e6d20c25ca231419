"""JSON values with exact numbers: read, written, compared and put in order.

A number is an `int` or a `Decimal` with the digits of its text, never a float: what is read is
written back digit by digit, and sums are exact.

Counts tokens of o200k_base, offline and exactly; the vocabulary loads with the first count.
"""

import json
import re
from collections.abc import Callable, Iterable
from decimal import ROUND_HALF_UP, Context, Decimal, DecimalException, Inexact, InvalidOperation
from enum import Enum
from functools import cache
from typing import Any, Literal

import quicktok

MAX_DEPTH = 100
"""Lists and objects within each other; deeper content is refused."""

Op = Literal["==", "!=", "<", "<=", ">", ">=", "in", "contains"]
Kind = Literal["missing", "null", "boolean", "number", "text", "list", "object"]


class Missing(Enum):
    """Stands where a row lacks a field, since null is a value."""

    MISSING = "missing"


MISSING = Missing.MISSING

_KINDS: dict[type, Kind] = {
    Missing: "missing",
    type(None): "null",
    bool: "boolean",
    int: "number",
    Decimal: "number",
    str: "text",
    list: "list",
    dict: "object",
}
_RANKS: dict[Kind, int] = {"number": 0, "text": 1, "boolean": 2, "list": 3, "object": 4}
_NULL_RANK = 5
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_CENT = Decimal("0.01")
_EXACT = Context(prec=4000, traps=[Inexact, InvalidOperation])
_AVERAGE = Context(prec=4100, rounding=ROUND_HALF_UP, traps=[InvalidOperation])
_PLAIN_DIGITS = 4000


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def _read_decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except DecimalException:
        raise ValueError(f"the number {text[:40]} is out of range") from None


DECODER = json.JSONDecoder(parse_float=_read_decimal, parse_constant=_refuse_constant)


SCAN: Callable[[str, int], tuple[Any, int]] = DECODER.scan_once  # type: ignore[attr-defined]
"""The value at a place of a text and where it ends; `StopIteration` where none begins."""


def parse_json(text: str) -> Any:
    """The value of a JSON text; `ValueError` where it is none."""
    return DECODER.decode(text)


def write_json(value: Any) -> str:
    """Compact JSON; halves of surrogate pairs are escaped, so that UTF-8 can hold the text."""
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except TypeError:  # a Decimal somewhere
        parts: list[str] = []
        _write(value, parts)
        text = "".join(parts)
    return _HALF_PAIR.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


def _write(value: Any, parts: list[str]) -> None:
    if isinstance(value, Decimal):
        parts.append(str(value))
    elif isinstance(value, dict):
        separator = "{"
        for key, entry in value.items():
            parts.append(f"{separator}{json.dumps(key, ensure_ascii=False)}:")
            _write(entry, parts)
            separator = ","
        parts.append("}" if value else "{}")
    elif isinstance(value, list | tuple):
        separator = "["
        for entry in value:
            parts.append(separator)
            _write(entry, parts)
            separator = ","
        parts.append("]" if value else "[]")
    else:
        parts.append(json.dumps(value, ensure_ascii=False))


def measure_depth(value: Any) -> int:
    """How many lists and objects stand within each other; never deeper than one past the limit."""
    depth, level = 0, [value]
    while level and depth <= MAX_DEPTH:
        nested = [entry for entry in level if isinstance(entry, dict | list)]
        level = [
            inner
            for entry in nested
            for inner in (entry.values() if isinstance(entry, dict) else entry)
        ]
        depth += bool(nested)
    return depth


def kind_of(value: Any) -> Kind:
    """The JSON type of a value."""
    return _KINDS[type(value)]


def is_same(one: Any, other: Any) -> bool:
    """Equal as JSON: numbers by value, and `true` is no 1."""
    kind = _KINDS[type(one)]
    if kind != _KINDS[type(other)]:
        return False
    if kind == "list":
        return len(one) == len(other) and all(map(is_same, one, other))
    if kind == "object":
        return one.keys() == other.keys() and all(is_same(one[key], other[key]) for key in one)
    return bool(one == other)


def holds(value: Any, op: Op, operand: Any) -> bool:
    """Whether a comparison is true; other types and missing fields compare false, `!=` true."""
    if op == "==":
        return value is not MISSING and is_same(value, operand)
    if op == "!=":
        return value is MISSING or not is_same(value, operand)
    if op == "in":
        return isinstance(operand, list) and any(is_same(value, entry) for entry in operand)
    if op == "contains":
        return _contains(value, operand)
    return _is_ordered(value, op, operand)


def _contains(value: Any, operand: Any) -> bool:
    if isinstance(value, str):
        return isinstance(operand, str) and operand in value
    return isinstance(value, list) and any(is_same(entry, operand) for entry in value)


def _is_ordered(value: Any, op: Op, operand: Any) -> bool:
    kind = _KINDS[type(value)]
    if kind != _KINDS[type(operand)]:
        return False
    if kind not in {"number", "text", "boolean"}:
        return op in {"<=", ">="} and is_same(value, operand)
    if op == "<":
        return bool(value < operand)
    if op == "<=":
        return bool(value <= operand)
    return bool(value > operand) if op == ">" else bool(value >= operand)


def order_key(value: Any) -> tuple[int, Any]:
    """Sorts numbers, then texts by code point, booleans, lists, objects; null and missing last."""
    kind = kind_of(value)
    if kind in {"null", "missing"}:
        return _NULL_RANK, 0
    return _RANKS[kind], write_canonical(value) if kind in {"list", "object"} else value


def identity_key(value: Any) -> Any:
    """Equal for values of one group: 1 and 1.0 are one, a missing field is null."""
    if type(value) is str:  # most are, and no other key is a text
        return value
    kind = kind_of(value)
    if kind == "missing":
        return "null", None
    return kind, write_canonical(value) if kind in {"list", "object"} else value


def write_canonical(value: Any) -> str:
    """The same text for all spellings of one value."""
    return write_json(_normalize(value))


def _normalize(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _normalize(value[key]) for key in sorted(value)}
    if isinstance(value, list):
        return [_normalize(entry) for entry in value]
    return _normalize_number(value) if kind_of(value) == "number" else value


def _normalize_number(number: int | Decimal) -> int | Decimal:
    try:
        return Decimal(number).normalize(_EXACT)
    except DecimalException:  # longer than anybody writes: its own spelling
        return number


def add_exactly(values: Iterable[int | Decimal | None]) -> int | Decimal | None:
    """The exact sum; None where it has more digits than anybody reads (4,000)."""
    total: int | Decimal = 0
    try:
        for value in values:
            if value is None:
                return None
            is_whole = isinstance(total, int) and isinstance(value, int)
            total = total + value if is_whole else _EXACT.add(Decimal(total), Decimal(value))
    except DecimalException:
        return None
    return make_plain(total)


def multiply_exactly(value: int | Decimal, count: int) -> int | Decimal | None:
    """`count` times a value; None as for sums."""
    if isinstance(value, int):
        return value * count
    try:
        return _EXACT.multiply(value, count)
    except DecimalException:
        return None


def make_plain(number: int | Decimal) -> int | Decimal:
    """A whole number as such instead of `1E+3`."""
    if isinstance(number, Decimal) and isinstance(number.as_tuple().exponent, int):
        exponent = int(number.as_tuple().exponent)
        if exponent > 0 and number.adjusted() < _PLAIN_DIGITS:
            return int(number)
    return number


def average(total: int | Decimal | None, count: int) -> Decimal | None:
    """Two places, half up; None of nothing, or of a sum that is none."""
    if total is None or not count:
        return None
    try:
        mean = _AVERAGE.quantize(_AVERAGE.divide(Decimal(total), Decimal(count)), _CENT)
    except DecimalException:
        return None
    return mean or abs(mean)  # no -0.00


_LONGEST_TOKEN = 128
"""Bytes; no token of o200k_base is longer, so a text has at least a 128th of its bytes in tokens."""


@cache
def _load() -> quicktok.Tokenizer:
    return quicktok.get_encoding("o200k_base")


def count_tokens(text: str) -> int:
    """Tokens of a text."""
    return int(_load().count(text))


def fits(value: Any, limit: int) -> bool:
    """Whether the compact JSON of a value has at most `limit` tokens; cheap where that is plain."""
    text = write_json(value)
    size = len(text.encode())
    if size <= limit:
        return True  # a token has at least a byte
    return size <= limit * _LONGEST_TOKEN and count_tokens(text) <= limit

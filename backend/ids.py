"""Prefixed ids that sort by the time they were made (`run_…`, `key_…`)."""

import secrets
import time

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32, lower case

_RANDOM_AND_TIME = 26


def is_id(prefix: str, text: str) -> bool:
    """Whether this could be an id of that prefix."""
    head, _, rest = text.partition("_")
    return head == prefix and len(rest) == _RANDOM_AND_TIME and set(rest) <= set(_ALPHABET)


def _encode(value: int, length: int) -> str:
    digits = []
    for _ in range(length):
        value, rest = divmod(value, 32)
        digits.append(_ALPHABET[rest])
    return "".join(reversed(digits))


def make_id(prefix: str) -> str:
    """A new id: prefix, `_`, 10 characters of milliseconds, 16 random ones (the ULID layout)."""
    milliseconds = time.time_ns() // 1_000_000
    return f"{prefix}_{_encode(milliseconds, 10)}{_encode(secrets.randbits(80), 16)}"

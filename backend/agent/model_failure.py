"""Puts a service's failure into the product's words, and says whether the same request may succeed.

An empty account, a wrong key and a request that cannot be read stay so: they are told at once.
"""

import datetime as dt
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from backend.agent.llm import ModelError
from backend.agent.retrying import AttemptError
from backend.clock import read_utc

_QUOTA_WAIT_SECONDS = 3600.0
"""A wait of hours is no rate limit any more: somebody has to act, or the day has to end."""

_LONGEST_MESSAGE = 300

_CODES = {401: "MODEL_AUTH", 402: "MODEL_QUOTA", 403: "MODEL_AUTH", 429: "MODEL_RATE_LIMITED"}
_MAY_PASS = frozenset({408, 409, 425, 429})


def fail(
    code: str, message: str, *, may_pass: bool = False, wait: float | None = None
) -> AttemptError:
    """A failed attempt."""
    return AttemptError(ModelError(message, code=code), may_pass=may_pass, wait=wait)


def explain_status(
    status: int, error: Any, message: str, headers: Mapping[str, str]
) -> AttemptError:
    """An answer with a status of 400 or more; `error` is the body's, whatever its shape."""
    wait = read_wait(headers)
    text = f"the model's service answered {status}: {message[:_LONGEST_MESSAGE]}"
    if status == 429 and (names_quota(error) or (wait or 0) >= _QUOTA_WAIT_SECONDS):
        return fail("MODEL_QUOTA", text)
    may_pass = status in _MAY_PASS or status >= 500
    unnamed = "MODEL_UNAVAILABLE" if may_pass else "MODEL_BAD_REQUEST"
    return fail(_CODES.get(status, unnamed), text, may_pass=may_pass, wait=wait)


def explain_event(error: Any) -> AttemptError:
    """An error that came as an event of a stream."""
    text = error.get("message") if isinstance(error, Mapping) else error
    message = f"the model's service broke off: {str(text)[:_LONGEST_MESSAGE]}"
    if names_quota(error):
        return fail("MODEL_QUOTA", message)
    return fail("MODEL_UNAVAILABLE", message, may_pass=True)


def names_quota(error: Any) -> bool:
    """Whether money is meant: waiting does not help against an empty account."""
    if not isinstance(error, Mapping):
        return False
    words = f"{error.get('code') or ''} {error.get('type') or ''}".lower()
    return "insufficient" in words or "billing" in words or "arrear" in words


def read_wait(headers: Mapping[str, str]) -> float | None:
    """Seconds until the service wants to be asked again: milliseconds, seconds or an HTTP date."""
    try:
        if "retry-after-ms" in headers:
            return max(0.0, float(headers["retry-after-ms"]) / 1000)
        return max(0.0, float(headers["retry-after"]))
    except KeyError:
        return None
    except ValueError:
        return _read_date(headers["retry-after"]) if "retry-after" in headers else None


def _read_date(text: str) -> float | None:
    try:
        then = parsedate_to_datetime(text)
    except ValueError:
        return None
    if then.tzinfo is None:
        then = then.replace(tzinfo=dt.UTC)
    return max(0.0, (then - read_utc()).total_seconds())

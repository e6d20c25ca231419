"""How long a response may be used again, by its own headers (the part of RFC 9111 that matters here).

A stale one is never given: it is asked for again, with its ETag or date, or fetched anew. `hishel`
does all of RFC 9111, but stores a body before its size is known to be allowed, and by the address
that was connected to, which here is the checked one and not the source's.
"""

import datetime as dt
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

_DIRECTIVE = re.compile(r'([a-z-]+)(?:\s*=\s*"?([^",]*)"?)?')
_LONGEST = 7 * 86_400


def count_fresh_seconds(headers: Mapping[str, str], fallback: int) -> int | None:
    """Seconds for which a response is fresh, 0 for one to be asked again; None: not to be kept.

    `fallback` holds where the headers say nothing.
    """
    directives = dict(_DIRECTIVE.findall(headers.get("cache-control", "").lower()))
    if "no-store" in directives or "private" in directives or headers.get("vary", "") == "*":
        return None
    if "no-cache" in directives:
        return 0
    age = _read_seconds(headers.get("age")) or 0
    for name in ("s-maxage", "max-age"):
        seconds = _read_seconds(directives.get(name))
        if seconds is not None:
            return min(max(seconds - age, 0), _LONGEST)
    expires = _count_until_expiry(headers)
    return min(fallback if expires is None else max(expires - age, 0), _LONGEST)


def _count_until_expiry(headers: Mapping[str, str]) -> int | None:
    if "expires" not in headers:
        return None
    expires, date = _read_date(headers["expires"]), _read_date(headers.get("date", ""))
    if expires is None or date is None:
        return 0  # `Expires: 0` and its like mean: already
    return int((expires - date).total_seconds())


def _read_seconds(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 12 else None


def _read_date(text: str) -> dt.datetime | None:
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)


def make_conditions(etag: str | None, modified: str | None) -> dict[str, str]:
    """Headers that ask for the response only where it has changed."""
    named = {"if-none-match": etag, "if-modified-since": modified}
    return {name: value for name, value in named.items() if value}


def read_retry_after(headers: Mapping[str, str], now: dt.datetime) -> float | None:
    """Seconds that the source asks to wait."""
    text = headers.get("retry-after", "").strip()
    seconds = _read_seconds(text)
    if seconds is not None:
        return float(seconds)
    moment = _read_date(text)
    return None if moment is None else max((moment - now).total_seconds(), 0.0)

"""Fetches a source's response whole: within its limits, again where that may help, or from the cache.

Whatever goes wrong becomes one `SourceError`; nothing here ends a run.

How long a response may be used again, by its own headers (the part of RFC 9111 that matters here).

A stale one is never given: it is asked for again, with its ETag or date, or fetched anew. `hishel`
does all of RFC 9111, but stores a body before its size is known to be allowed, and by the address
that was connected to, which here is the checked one and not the source's.
"""

import asyncio
import datetime as dt
import random
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Protocol

from backend.clock import read_utc
from backend.sources.choosing import (
    refuse_failure,
    refuse_host,
    refuse_size,
    refuse_time,
    refuse_type,
)
from backend.sources.exchange import (
    BadEncodingError,
    Exchange,
    ForbiddenTargetError,
    Reply,
    TooLargeError,
    UnreachableError,
)
from backend.sources.spec import Source

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


_PASSING = {429, 500, 502, 503, 504}
_FIRST_DELAY = 0.3
_ALIEN = ("text/html", "application/xhtml", "application/pdf", "application/zip")
_ALIEN_KINDS = ("image/", "audio/", "video/", "font/", "multipart/")


@dataclass(frozen=True)
class Fetched:
    """A response; `is_cached` where nothing new had to be read."""

    raw: bytes
    content_type: str | None
    is_cached: bool = False


@dataclass(frozen=True)
class Kept:
    """A response that may be used until `fresh_until`, and then be asked for by its marks."""

    raw: bytes
    content_type: str | None
    etag: str | None
    modified: str | None
    fresh_until: dt.datetime


class Cache(Protocol):
    """Responses by address."""

    async def find(self, address: str) -> Kept | None:
        """What is kept for the address, fresh or not."""
        ...

    async def keep(self, source: str, address: str, kept: Kept) -> None:
        """Keep it in place of what was kept."""
        ...

    async def drop(self, address: str) -> None:
        """Keep nothing for the address."""
        ...


@dataclass(frozen=True)
class Fetcher:
    """Fetches responses; `pause` waits between attempts."""

    exchange: Exchange
    cache: Cache | None = None
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def fetch(self, source: Source, address: str) -> Fetched:
        """The response, whole; a `SourceError` says why there is none."""
        try:
            async with asyncio.timeout(source.timeout_seconds):
                return await self._fetch(source, address)
        except TimeoutError:
            raise refuse_time(source.name, source.timeout_seconds) from None
        except TooLargeError:
            raise refuse_size(source.name, source.max_bytes) from None
        except BadEncodingError as error:
            raise refuse_type(source.name, str(error)) from None
        except ForbiddenTargetError as error:
            raise refuse_host(source.name, str(error)) from None
        except UnreachableError as error:
            raise refuse_failure(source.name, str(error)) from None

    async def _fetch(self, source: Source, address: str) -> Fetched:
        kept = await self.cache.find(address) if self.cache else None
        if kept is not None and read_utc() < kept.fresh_until:
            return Fetched(kept.raw, kept.content_type, is_cached=True)
        conditions = make_conditions(kept.etag, kept.modified) if kept else {}
        reply = await self._ask(source, address, conditions)
        if reply.status == 304 and kept is not None:
            await self._keep(source, address, reply.headers, kept)
            return Fetched(kept.raw, kept.content_type, is_cached=True)
        if reply.status != 200:
            raise refuse_failure(source.name, f"HTTP status {reply.status}")
        content_type = reply.headers.get("content-type")
        if _is_alien(content_type):
            raise refuse_type(source.name, f"content type {content_type}")
        new = Kept(
            reply.body,
            content_type,
            reply.headers.get("etag"),
            reply.headers.get("last-modified"),
            read_utc(),
        )
        await self._keep(source, address, reply.headers, new)
        return Fetched(reply.body, content_type)

    async def _keep(
        self, source: Source, address: str, headers: Mapping[str, str], kept: Kept
    ) -> None:
        if self.cache is None:
            return
        seconds = count_fresh_seconds(headers, source.cache_seconds)
        is_marked = kept.etag or kept.modified
        if seconds is None or not (seconds or is_marked):
            await self.cache.drop(address)
            return
        until = read_utc() + dt.timedelta(seconds=seconds)
        etag = headers.get("etag", kept.etag)
        modified = headers.get("last-modified", kept.modified)
        fresh = Kept(kept.raw, kept.content_type, etag, modified, until)
        await self.cache.keep(source.name, address, fresh)

    async def _ask(self, source: Source, address: str, headers: Mapping[str, str]) -> Reply:
        """The reply; what may pass is tried again, while there is time."""
        for attempt in range(source.retries):
            wait = _FIRST_DELAY * (1 << attempt) * (1 + random.random()) / 2  # noqa: S311 - jitter
            try:
                reply = await self.exchange.get(address, headers, source.max_bytes)
            except UnreachableError:
                await self.pause(wait)
                continue
            if reply.status not in _PASSING:
                return reply
            asked = read_retry_after(reply.headers, read_utc())
            if asked is not None and asked > source.timeout_seconds:
                return reply
            await self.pause(max(wait, asked or 0))
        return await self.exchange.get(address, headers, source.max_bytes)


def _is_alien(content_type: str | None) -> bool:
    """A page, a picture, an archive: a server's error page often comes as a 200."""
    kind = (content_type or "").strip().lower()
    return kind.startswith(_ALIEN) or kind.startswith(_ALIEN_KINDS)

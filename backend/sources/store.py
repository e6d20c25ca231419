"""The sources for the tools of a run: lists those that are switched on, and asks one.

Read anew at every call, so that what an admin switches on or off holds from the next call on.

Asks a source: builds the address, fetches the response, makes the facts of it.

Responses kept in the database, so that all processes ask a source once.

Only the source's own marks and times decide about their use; see `freshness`.
"""

import asyncio
import datetime as dt
import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from pydantic import ValidationError

from backend.clock import read_utc
from backend.db.session import Engine, Statements, transaction
from backend.results.sealing import Seal, UnreadableError
from backend.sources.fetch import Fetched, Fetcher, Kept
from backend.sources.projection import Projection, build_address, fill_arguments, project
from backend.sources.queries import (
    SourceRow,
    drop_response,
    find_response,
    list_sources_alone,
    make_room,
    put_response,
)
from backend.sources.spec import Source


class Fetches(Protocol):
    """Where responses come from."""

    async def fetch(self, source: Source, address: str, /) -> Fetched:
        """The response, whole."""
        ...


@dataclass(frozen=True)
class AtHand:
    """A response that is at hand, whatever the address."""

    raw: bytes

    async def fetch(self, _source: Source, _address: str) -> Fetched:
        """The bytes."""
        return Fetched(self.raw, None)


@dataclass(frozen=True)
class Asked:
    """What came out: the facts, and what they were made of."""

    projection: Projection
    address: str
    fetched: Fetched


async def ask_source(fetcher: Fetches, source: Source, given: Mapping[str, Any]) -> Asked:
    """The facts for checked arguments; a `SourceError` where the source gives none."""
    arguments = fill_arguments(source, given)
    address = build_address(source, given_or_default(source, given))
    fetched = await fetcher.fetch(source, address)
    projection = await asyncio.to_thread(
        project, source, fetched.raw, arguments, fetched.content_type
    )
    return Asked(projection, address, fetched)


def given_or_default(source: Source, given: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments as an address spells them: not folded."""
    return {
        argument.name: argument.default
        if given.get(argument.name) is None
        else given[argument.name]
        for argument in source.arguments
    }


log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Offer:
    """A source and whether it is switched on."""

    source: Source
    enabled: bool


def list_offers(rows: Iterable[SourceRow]) -> list[Offer]:
    """Sources of rows; one that this version cannot read is left out, and the log says so."""
    offers = []
    for row in rows:
        try:
            offers.append(Offer(_read_spec(row.spec), row.enabled))
        except ValidationError as error:
            log.warning("source %s is not offered: %s faults", row.name, error.error_count())
    return offers


@lru_cache(maxsize=256)
def _read_spec(text: str) -> Source:
    return Source.model_validate(json.loads(text))


class SourceStore:
    """The rows of `data_source`, and the way to what they name."""

    def __init__(self, statements: Statements, fetcher: Fetcher) -> None:
        self._statements, self._fetcher = statements, fetcher

    async def list(self) -> Sequence[Offer]:
        """All sources by name."""
        return list_offers(await list_sources_alone(self._statements))

    async def ask(self, source: Source, given: Mapping[str, Any]) -> Asked:
        """The facts for checked arguments; a `SourceError` where the source gives none."""
        return await ask_source(self._fetcher, source, given)


MAX_BYTES = 500_000_000
UNUSED = dt.timedelta(days=7)


class ResponseCache:
    """The table `source_response`; `secret` encrypts what is kept from now on."""

    def __init__(self, engine: Engine, secret: str | None) -> None:
        self._engine, self._seal = engine, Seal(secret)

    async def find(self, address: str) -> Kept | None:
        """What is kept for the address; None also where it cannot be opened."""
        async with transaction(self._engine) as session:
            row = await find_response(session, address, read_utc())
            if row is None:
                return None
            try:
                raw = self._seal.open(row.content, _name_place(address))
            except UnreadableError:
                return None
            return Kept(raw, row.content_type, row.etag, row.modified, row.fresh_until)

    async def keep(self, source: str, address: str, kept: Kept) -> None:
        """Keep it, and make room for it."""
        now = read_utc()
        values = {
            "address": address,
            "source": source,
            "content": self._seal.close(kept.raw, _name_place(address)),
            "size_bytes": len(kept.raw),
            "content_type": kept.content_type,
            "etag": kept.etag,
            "modified": kept.modified,
            "fresh_until": kept.fresh_until,
            "used_at": now,
        }
        async with transaction(self._engine) as session:
            await put_response(session, values)
            await make_room(session, MAX_BYTES, now - UNUSED)

    async def drop(self, address: str) -> None:
        """Keep nothing for the address."""
        async with transaction(self._engine) as session:
            await drop_response(session, address)


def _name_place(address: str) -> str:
    return f"source response {address}"

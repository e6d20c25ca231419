"""Asks a source: address, response, projection; what a tool, a test by hand and a bench have in common."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from backend.sources.arguments import build_address, fill_arguments
from backend.sources.fetch import Fetched
from backend.sources.projection import Projection, project
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

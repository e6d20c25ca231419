"""The sources as a run's tools reach them: which are switched on, and asking one.

Read anew at every call, so that what an admin switches on or off holds from the next call on.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from backend.db.session import Engine, transaction
from backend.sources.asking import Asked, ask_source
from backend.sources.fetch import Fetcher
from backend.sources.queries import list_sources
from backend.sources.spec import Source
from backend.sources.tables import DataSource

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Offer:
    """A source and whether it is switched on."""

    source: Source
    enabled: bool


def list_offers(rows: Sequence[DataSource]) -> list[Offer]:
    """Sources of rows; one that this version cannot read is left out, and the log says so."""
    offers = []
    for row in rows:
        try:
            offers.append(Offer(row.source, row.enabled))
        except ValidationError as error:
            log.warning("source %s is not offered: %s faults", row.name, error.error_count())
    return offers


class SourceStore:
    """The rows of `data_source`, and the way to what they name."""

    def __init__(self, engine: Engine, fetcher: Fetcher) -> None:
        self._engine, self._fetcher = engine, fetcher

    async def list(self) -> Sequence[Offer]:
        """All sources by name."""
        async with transaction(self._engine) as session:
            return list_offers(await list_sources(session))

    async def ask(self, source: Source, given: Mapping[str, Any]) -> Asked:
        """The facts for checked arguments; a `SourceError` where the source gives none."""
        return await ask_source(self._fetcher, source, given)

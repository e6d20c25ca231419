"""The sources as a run's tools reach them: which are switched on, and asking one.

Read anew at every call, so that what an admin switches on or off holds from the next call on.
"""

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import ValidationError

from backend.db.statements import Statements
from backend.sources.asking import Asked, ask_source
from backend.sources.fetch import Fetcher
from backend.sources.queries import SourceRow, list_sources_alone
from backend.sources.spec import Source

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

"""Responses kept in the database, so that all processes ask a source once.

Only the source's own marks and times decide about their use; see `freshness`.
"""

import datetime as dt

from backend.clock import read_utc
from backend.db.session import Engine, transaction
from backend.results.sealing import Seal, UnreadableError
from backend.sources.fetch import Kept
from backend.sources.queries import drop_response, find_response, make_room, put_response

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

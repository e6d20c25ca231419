"""The stored results of a run: its tools store one here, and ask about one.

Stored results as lists show them to people and programs: head and summary, newest first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from pydantic import Field

from backend.document import Document as Delivered
from backend.document import Moment
from backend.results.asking import answer
from backend.results.document import Document
from backend.results.handle import Owner, Reader, ResultError
from backend.results.queries import show_head
from backend.results.store import ResultStore
from backend.results.values import write_json
from backend.text import Locale


@dataclass(frozen=True)
class RunResults:
    """The store for one run; `ancestors` are the runs whose results it may read beside its own."""

    store: ResultStore
    owner: Owner
    locale: Locale
    ancestors: tuple[str, ...] = ()

    async def put(self, content: Any, tool: str, filters: Mapping[str, Any]) -> dict[str, Any]:
        """What the model gets instead of the content, once that is stored."""
        chunks = (write_json(value).encode() for value in [content])  # written when it is stored
        stored = await self.store.put(
            chunks, self.owner, tool=tool, filters=filters, locale=self.locale
        )
        return _make_document(stored.as_json())

    async def ask(self, handle: str, path: str | None, query: Any) -> dict[str, Any]:
        """The answer to a question, at most 500 tokens; refusals are in the traveller's language."""
        run = self.owner.run_id
        reader = Reader(
            f"model in {run}", self.owner.tenant, (*filter(None, [run]), *self.ancestors)
        )

        def ask(document: Document) -> tuple[dict[str, Any], int]:
            return answer(document, path, query, self.locale)

        try:
            return _make_document(await self.store.read(handle, reader, ask))
        except ResultError as error:
            raise error.say(self.locale) from None


def _make_document(value: dict[str, Any]) -> dict[str, Any]:
    return {key: make_plain_json(entry) for key, entry in value.items()}


def make_plain_json(value: Any) -> Any:
    """The value for JSON libraries that know no decimals: as floats where these are as exact.

    A number that a float would change stays exact as a text of its digits.
    """
    if isinstance(value, Mapping):
        return {key: make_plain_json(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [make_plain_json(entry) for entry in value]
    if isinstance(value, Decimal):
        near = float(value)
        return near if Decimal(repr(near)) == value else str(value)
    return value


class ResultItem(Delivered):
    """A large result that a run has stored."""

    id: str = Field(description="Its handle.")
    state: Literal["pending", "ready", "failed", "expired"]
    run_id: str | None
    tool: str | None
    bytes: int
    created_at: Moment
    last_read_at: Moment
    pinned: bool
    expires_at: Moment | None = Field(
        description="If nobody reads it any more; null while a run needs it, or where it is pinned."
    )
    summary: dict[str, Any] | None = Field(description="Null where there is none (any more).")


async def list_overview(
    store: ResultStore, reader: Reader, limit: int, before: str | None = None
) -> dict[str, Any]:
    """A page of the results that the reader may see; a summary where the content is there."""
    heads = await store.list(reader, limit + 1, before)
    items = []
    for head in heads[:limit]:
        shown = show_head(head)
        del shown["tenant"]
        summary = await store.read_summary(head.id) if shown["state"] == "ready" else None
        items.append({**shown, "summary": summary})
    return {"items": items, "next_cursor": items[-1]["id"] if len(heads) > limit else None}

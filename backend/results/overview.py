"""Stored results as lists show them to people and programs: head and summary, newest first."""

from typing import Any

from backend.results.handle import Reader
from backend.results.queries import show_head
from backend.results.store import ResultStore


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

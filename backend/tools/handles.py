"""Puts a result that is too long for the context behind a handle; without a store it stays as it is.

Only results whose size nobody controls: a page or one item in detail always comes as it is.
"""

from collections.abc import Mapping
from typing import Any, Protocol

from backend.results.tokens import count_tokens
from backend.results.values import write_json
from backend.tools.limits import ToolLimit


class Results(Protocol):
    """A run's stored results."""

    async def put(self, content: Any, tool: str, filters: Mapping[str, Any]) -> dict[str, Any]:
        """Store a result; gives handle, state, summary and hint."""
        ...

    async def ask(self, handle: str, path: str | None, query: Any) -> dict[str, Any]:
        """Answer a question about a stored result."""
        ...


def needs_handle(content: Any, limit: ToolLimit) -> bool:
    """Whether a tool's row wants this result behind a handle."""
    if limit.handle_mode == "auto":
        return count_tokens(write_json(content)) > limit.handle_threshold_tokens
    return limit.handle_mode == "always"


async def put_away(
    content: dict[str, Any],
    tool: str,
    asked: Mapping[str, Any],
    limit: ToolLimit,
    results: Results,
) -> dict[str, Any]:
    """What the model reads: the content, or, once that is stored, its handle and summary."""
    return await results.put(content, tool, asked) if needs_handle(content, limit) else content

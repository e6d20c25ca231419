"""Tries a source by hand: what came, what of it the model would read, and how long that is."""

from typing import Any

from backend.results.run_results import make_plain_json
from backend.results.tokens import count_tokens
from backend.results.values import write_json
from backend.sources.asking import Fetches, ask_source
from backend.sources.spec import Source
from backend.text import Locale
from backend.tools.arguments import read_arguments
from backend.tools.source_arguments import make_arguments


async def try_source(
    source: Source, fetcher: Fetches, arguments: str, locale: Locale = "en"
) -> dict[str, Any]:
    """What a call with these arguments (JSON) would give; a `ToolError` says why nothing."""
    args = read_arguments(make_arguments(source), arguments, locale)
    given = args.model_dump(mode="json", exclude_none=True)
    asked = await ask_source(fetcher, source, given)
    sent = asked.projection.as_sent()
    text = write_json(sent)
    return {
        "name": source.name,
        "address": asked.address,
        "arguments": given,
        "cached": asked.fetched.is_cached,
        "raw_bytes": len(asked.fetched.raw),
        "projected_bytes": len(write_json(asked.projection.answer).encode()),
        "sent_bytes": len(text.encode()),
        "sent_tokens": count_tokens(text),
        "answer": make_plain_json(sent),
    }

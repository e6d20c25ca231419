"""Questions to a stored document as every way in asks them: packed for a model, or whole."""

from typing import Any

from backend.results.document import Document, thaw
from backend.results.listing import Listing
from backend.results.packing import pack_page, pack_value
from backend.results.path import read_path
from backend.results.query import run_query
from backend.results.refusals import refuse_query
from backend.results.values import parse_json, write_json
from backend.text import Locale


def answer(
    document: Document, path: str | None, query: Any, locale: Locale
) -> tuple[dict[str, Any], int]:
    """The answer as a model sees it, at most 500 tokens, and its size in bytes."""
    if path is not None:
        packed = pack_value(read_path(document, path), locale)
    else:
        packed = pack_page(run_query(document, query), locale)
    return packed, len(write_json(packed).encode())


def write_whole(document: Document, path: str | None, query: Any) -> tuple[str, int]:
    """The whole answer as JSON, and its size in bytes."""
    if path is not None:
        value = read_path(document, path)
        text = f'{{"value":{write_listing(value) if isinstance(value, Listing) else write_json(thaw(value))}}}'
    else:
        page = run_query(document, query)
        rest = write_json({key: page[key] for key in ("total", "returned", "cursor")})
        text = f'{{"rows":{write_listing(page["rows"])},{rest[1:]}'
    return text, len(text.encode())


def write_listing(values: Listing) -> str:
    """A list element by element, so that the values never stand in memory together."""
    return f"[{','.join(map(write_json, values))}]"


def parse_query_text(text: str) -> Any:
    """The JSON of a structured query."""
    try:
        return parse_json(text)
    except (ValueError, RecursionError) as error:
        raise refuse_query(
            f"the query must be JSON: {error}", f"query 必须是 JSON：{error}"
        ) from None

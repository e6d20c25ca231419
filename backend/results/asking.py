"""Answers questions about a stored document: cut to a size for a model, or whole.

Cuts an answer to at most 500 tokens: whole if it fits, else its first and last elements.

Answers as pages of a table for people: the same questions as a model's, with rows to leaf through.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from backend.results.document import (
    Document,
    Listing,
    cut,
    cut_text,
    holds_listing,
    read_path,
    thaw,
)
from backend.results.handle import refuse_query
from backend.results.query import run_query
from backend.results.rows import Rows
from backend.results.values import MISSING, fits, parse_json, write_json
from backend.text import Locale

MAX_TOKENS = 500
MAX_FIRST, MAX_LAST = 10, 5

_CUTS = ((200, 12), (100, 12), (50, 8), (25, 6), (10, 4))
_CHARACTERS = (200, 150, 100, 50, 25)
_HINTS: dict[str, dict[Locale, str]] = {
    "list": {
        "zh-CN": "答案过长：共 {total} 项，只显示首尾。可用 [a:b] 取一段、[?条件] 过滤，"
        "或用 query 的 group_by、aggregate 统计",
        "en": "too long: of {total} elements only the first and last are shown. Take a part with"
        " [a:b], filter with [?cond], or count with group_by and aggregate of a query",
    },
    "text": {
        "zh-CN": "文本过长：共 {total} 个字符，只显示首尾。可用 [a:b] 取一段",
        "en": "too long: of {total} characters only the first and last are shown. Take a part"
        " with [a:b]",
    },
    "object": {
        "zh-CN": "对象过长：共 {total} 个键，只显示首尾。请在路径后加 .键名",
        "en": "too long: of {total} keys only the first and last are shown. Go on with .name",
    },
    "page": {
        "zh-CN": "答案过长：符合条件的共 {total} 行，只显示本页首尾。请用 select 取较少的列、"
        "用更小的 limit，或 group_by、aggregate",
        "en": "too long: {total} rows match, and only the first and last of this page are shown."
        " Select fewer fields, take a smaller limit, or use group_by and aggregate",
    },
}

Build = Callable[[Sequence[Any], Sequence[Any]], dict[str, Any]]


def pack_value(value: Any, locale: Locale) -> dict[str, Any]:
    """The answer to a path: `{"value": …}`, or what of it fits."""
    if isinstance(value, Listing):
        head = list(islice(value, MAX_TOKENS + 1))  # an element takes a token at least
        if len(head) == len(value) and fits({"value": head}, MAX_TOKENS):
            return {"value": head}
        return _pack_list(value, len(value), _HINTS["list"][locale])
    if not holds_listing(value) and fits({"value": value}, MAX_TOKENS):
        return {"value": value}
    if not isinstance(value, dict):  # a text, or a number of thousands of digits
        return _pack_text(str(value), _HINTS["text"][locale])
    entries = [{key: entry} for key, entry in value.items()]
    first, last = entries[:MAX_FIRST], entries[MAX_FIRST:][-MAX_LAST:]
    return _pack_entries(first, last, len(entries), _HINTS["object"][locale])


def pack_page(page: dict[str, Any], locale: Locale) -> dict[str, Any]:
    """The answer to a structured query, or what of its rows fits."""
    rows = page["rows"]
    head = list(islice(rows, MAX_TOKENS + 1))
    whole = {**page, "rows": head}
    if len(head) == len(rows) and fits(whole, MAX_TOKENS):
        return whole
    return _pack_list(rows, page["total"], _HINTS["page"][locale])


def _pack_list(values: Listing, total: int, hint: str) -> dict[str, Any]:
    size = len(values)
    first = list(values.slice(0, min(MAX_FIRST, size)))
    last = list(values.slice(max(size - MAX_LAST, len(first)), size))
    return _pack_entries(first, last, total, hint)


def _pack_entries(
    first: Sequence[Any], last: Sequence[Any], total: int, hint: str
) -> dict[str, Any]:
    """As many elements as fit, cut more and more until there is room for one of them."""

    def build(head: Sequence[Any], tail: Sequence[Any]) -> dict[str, Any]:
        shown = {"first": list(head), "last": list(tail)}
        return {"truncated": True, "total": total, **shown, "hint": hint.format(total=total)}

    for text_limit, key_limit in _CUTS:
        heads = [cut(entry, text_limit, key_limit) for entry in first]
        tails = [cut(entry, text_limit, key_limit) for entry in last]
        packed = _leave_out(heads, tails, build)
        if packed is not None:
            return packed
    return build((), ())


def _leave_out(heads: list[Any], tails: list[Any], build: Build) -> dict[str, Any] | None:
    """Elements go from the middle, where the longer side ends, until the rest fits."""
    while heads or tails:
        packed = build(heads, tails)
        if fits(packed, MAX_TOKENS):
            return packed
        if len(heads) > len(tails):
            heads = heads[:-1]
        else:
            tails = tails[1:]
    return None


def _pack_text(text: str, hint: str) -> dict[str, Any]:
    total = len(text)
    for count in _CHARACTERS:
        packed = {
            "truncated": True,
            "total": total,
            "first": text[:count],
            "last": text[-count:],
            "hint": hint.format(total=total),
        }
        if fits(packed, MAX_TOKENS):
            return packed
    return {**packed, "first": cut_text(text, 10), "last": ""}


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


MAX_COLUMNS = 40
_TEXT, _LONG_TEXT = 200, 4000
_KEYS = 12

KEY, VALUE = "key", "value"
"""The columns of what is no list of objects."""


@dataclass(frozen=True)
class Leaf:
    """Some rows of an answer as texts; `total` is of the whole, `omitted` counts further columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    start: int
    total: int
    omitted: int = 0

    @property
    def size(self) -> int:
        """Bytes of what is shown."""
        return sum(len(cell.encode()) for row in self.rows for cell in row)


@dataclass(frozen=True)
class Question:
    """A path, or else a structured query as JSON, and which rows of its answer are wanted."""

    path: str | None
    query: str | None
    start: int
    rows: int


def leaf_through(document: Document, asked: Question) -> Leaf:
    """The wanted rows of the answer; an object has a row a key, any other value is one row."""
    if asked.path is None:
        page = run_query(document, parse_query_text(asked.query or ""))
        return _leaf_list(page["rows"], asked.start, asked.rows)
    return leaf_value(read_path(document, asked.path), asked.start, asked.rows)


def leaf_value(value: Any, start: int, rows: int) -> Leaf:
    """The wanted rows of a value that is at hand, or of a list that is still unread."""
    if isinstance(value, list):
        value = Rows.of(value)
    if isinstance(value, Listing):
        return _leaf_list(value, start, rows)
    if isinstance(value, dict):
        keys = list(islice(value, start, start + rows))
        pairs = tuple((cut_text(key, _TEXT), _show(value[key])) for key in keys)
        return Leaf((KEY, VALUE), pairs, start, len(value))
    text = value if isinstance(value, str) else write_json(value)
    return Leaf((VALUE,), ((cut_text(text, _LONG_TEXT),),), 0, 1)


def _leaf_list(values: Listing, start: int, rows: int) -> Leaf:
    total = len(values)
    start = min(start, total)
    found = list(values.slice(start, min(start + rows, total)))
    if not all(isinstance(row, dict) for row in found):
        return Leaf((VALUE,), tuple((_show(row),) for row in found), start, total)
    keys = list(dict.fromkeys(key for row in found for key in row))
    names = tuple(cut_text(key, _TEXT) for key in keys[:MAX_COLUMNS])
    cells = tuple(_list_cells(row, keys[:MAX_COLUMNS]) for row in found)
    return Leaf(names, cells, start, total, max(0, len(keys) - MAX_COLUMNS))


def _list_cells(row: dict[str, Any], keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(_show(row[key]) if key in row else "" for key in keys)


def _show(value: Any) -> str:
    if value is MISSING:
        return ""
    if isinstance(value, str):
        return cut_text(value, _TEXT)
    return cut_text(write_json(cut(value, _TEXT, _KEYS)), _TEXT)

"""An answer of at most 500 tokens: whole where it fits, else its first and last elements."""

from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from backend.results.cutting import cut, cut_text
from backend.results.listing import Listing, holds_listing
from backend.results.tokens import fits
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

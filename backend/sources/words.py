"""The words of a piece of HTML, in one pass over it whatever it holds.

The standard library's parser goes back again and again over tags that are never closed.
"""

import html
import re
from collections.abc import Iterator

_SILENT = {"script", "style", "template", "noscript"}
_INLINE = {"a", "b", "i", "em", "strong", "span", "u", "sub", "sup", "small", "font"}
_NAME = re.compile(r"/?([A-Za-z][A-Za-z0-9]{0,30})")


def strip_html(text: str) -> str:
    """The words on one line, without scripts and styles."""
    return " ".join(html.unescape("".join(_list_pieces(text))).split())


def _list_pieces(text: str) -> Iterator[str]:
    """Texts between tags; a block is a space. A `<` that begins no tag is a text."""
    low, at, last = text.lower(), 0, text.rfind(">")
    while (start := text.find("<", at)) >= 0:
        yield text[at:start]
        end, piece = _read_tag(text, low, start, last)
        yield piece
        at = end
    yield text[at:]


def _read_tag(text: str, low: str, start: int, last: int) -> tuple[int, str]:
    """Where what begins at `start` ends, and what is left of it; `last` is the last `>`."""
    named = _NAME.match(text, start + 1)
    if start >= last or (named is None and text[start + 1] not in "!?"):
        return start + 1, "<"
    if text.startswith("<!--", start):
        end = text.find("-->", start)
        return (len(text) if end < 0 else end + 3), " "
    end = text.find(">", start) + 1
    name = named[1].lower() if named else ""
    if name in _SILENT and text[start + 1] != "/":
        close = low.find(f"</{name}", end)
        return (len(text) if close < 0 else close), " "
    return end, "" if name in _INLINE else " "

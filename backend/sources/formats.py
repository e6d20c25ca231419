"""Text to a document's root, by format: JSON, CSV, RSS, XML. What is cut off or odd is refused.

CSV and RSS know only texts; the projection's columns give them types.
"""

import csv
import io
from collections.abc import Callable
from typing import Any, Literal

from backend.results.document import make_root
from backend.results.values import MAX_DEPTH, measure_depth, parse_json
from backend.sources.markup import BadMarkupError, Element, make_value, parse_xml
from backend.sources.words import strip_html

Format = Literal["json", "csv", "rss", "xml"]

MAX_COLUMNS = 10_000
_HTML = {"description", "encoded", "summary", "content"}


class BadFormatError(ValueError):
    """The response is not what its format says."""


def parse(text: str, kind: Format, delimiter: str = ",") -> dict[str, Any]:
    """The root: an object's own keys, or `rows` for a list and for CSV; `items` for a feed."""
    if not text.strip():
        raise BadFormatError("it is empty")
    if kind == "csv":
        return {"rows": _parse_csv(text, delimiter)}
    return _PARSERS[kind](text)


def _parse_json(text: str) -> dict[str, Any]:
    try:
        value = parse_json(text)
    except (ValueError, RecursionError) as error:
        raise BadFormatError(f"no JSON: {error}") from None
    if measure_depth(value) > MAX_DEPTH:
        raise BadFormatError(f"nested deeper than {MAX_DEPTH}")
    return make_root(value)


def _parse_csv(text: str, delimiter: str) -> list[dict[str, str]]:
    """Rows by header; every row has as many cells as the header, or the file was cut off."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        header = _name_columns(next(reader))
        size = len(header)
        rows = []
        for cells in reader:
            if len(cells) != size:
                if not cells:
                    continue
                raise BadFormatError(f"line {reader.line_num} has {len(cells)} cells, not {size}")
            rows.append(dict(zip(header, cells, strict=True)))
    except csv.Error as error:
        raise BadFormatError(f"no CSV at line {reader.line_num}: {error}") from None
    return rows


def _name_columns(cells: list[str]) -> list[str]:
    """Names for all: an empty one is called by its place, one that comes twice gets a number."""
    if len(cells) > MAX_COLUMNS:
        raise BadFormatError(f"it has {len(cells)} columns, more than {MAX_COLUMNS}")
    names: dict[str, None] = {}
    copies: dict[str, int] = {}
    for number, cell in enumerate(cells, start=1):
        name = wanted = " ".join(cell.split()) or f"column_{number}"
        while name in names:
            copies[wanted] = copies.get(wanted, 1) + 1
            name = f"{wanted}_{copies[wanted]}"
        names[name] = None
    return list(names)


def _parse_rss(text: str) -> dict[str, Any]:
    """The channel's own texts, and `items`; RSS 2.0, RSS 1.0 and Atom."""
    root = _parse_markup(text)
    if root.name not in {"rss", "RDF", "feed"}:
        raise BadFormatError(f"no feed: its root is <{root.name[:40]}>")
    channel = root if root.name == "feed" else root.find("channel")
    if channel is None:
        raise BadFormatError("a feed without a channel")
    holder = root if root.name == "RDF" else channel
    entries = [child for child in holder.children if child.name in {"item", "entry"}]
    return {**_read_texts(channel), "items": [_read_texts(entry) for entry in entries]}


def _read_texts(element: Element) -> dict[str, Any]:
    """The first of each plain child; HTML as its words."""
    made: dict[str, Any] = {}
    for child in element.children:
        if child.children and child.name not in _HTML:
            continue
        text = child.all_text or child.attributes.get("href", "")
        words = strip_html(text) if child.name in _HTML else " ".join(text.split())
        made.setdefault(child.name, words)
    return made


def _parse_any_xml(text: str) -> dict[str, Any]:
    root = _parse_markup(text)
    return {root.name: make_value(root)}


def _parse_markup(text: str) -> Element:
    try:
        return parse_xml(text)
    except BadMarkupError as error:
        raise BadFormatError(str(error)) from None


_PARSERS: dict[Format, Callable[[str], dict[str, Any]]] = {
    "json": _parse_json,
    "rss": _parse_rss,
    "xml": _parse_any_xml,
}

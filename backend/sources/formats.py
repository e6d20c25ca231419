"""Text to a document's root, by format: JSON, CSV, RSS, XML. What is cut off or odd is refused.

CSV and RSS know only texts; the projection's columns give them types.

XML as values; document types, and with them entities, are refused.

The words of a piece of HTML, in one pass over it whatever it holds.

The standard library's parser goes back again and again over tags that are never closed.
"""

import csv
import html
import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal
from xml.parsers import expat

from backend.results.document import make_root
from backend.results.values import MAX_DEPTH, measure_depth, parse_json

MAX_ELEMENT_DEPTH = 60


class BadMarkupError(ValueError):
    """What is no XML, or asks for more than reading."""


@dataclass
class Element:
    """An element; names are without namespace, as feeds differ in prefixes."""

    name: str
    attributes: dict[str, str]
    children: list["Element"] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """Its own text."""
        return "".join(self.texts)

    @property
    def all_text(self) -> str:
        """Its own text and that of all within it."""
        return " ".join([self.text, *(child.all_text for child in self.children)]).strip()

    def find(self, name: str) -> "Element | None":
        """The first child of that name."""
        return next((child for child in self.children if child.name == name), None)


class _Builder:
    def __init__(self) -> None:
        self.root: Element | None = None
        self._open: list[Element] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self._open) >= MAX_ELEMENT_DEPTH:
            raise BadMarkupError(f"nested deeper than {MAX_ELEMENT_DEPTH}")
        element = Element(_strip_prefix(name), attributes)
        if self._open:
            self._open[-1].children.append(element)
        else:
            self.root = element
        self._open.append(element)

    def end(self, _name: str) -> None:
        self._open.pop()

    def add_text(self, text: str) -> None:
        if self._open:
            self._open[-1].texts.append(text)

    def refuse_doctype(self, *_: Any) -> None:
        raise BadMarkupError("a document type, which data needs not have")


def parse_xml(text: str) -> Element:
    """The root element of a text that is already decoded."""
    parser, builder = expat.ParserCreate(), _Builder()
    parser.buffer_text = True
    parser.StartElementHandler = builder.start
    parser.EndElementHandler = builder.end
    parser.CharacterDataHandler = builder.add_text
    parser.StartDoctypeDeclHandler = builder.refuse_doctype
    try:
        parser.Parse(text.lstrip(), True)  # noqa: FBT003 - of another's making
    except expat.ExpatError as error:
        raise BadMarkupError(f"no XML: {expat.ErrorString(error.code)}") from None
    assert builder.root is not None
    return builder.root


def make_value(element: Element) -> Any:
    """An element as JSON: text alone, or attributes (`@name`), children and text (`#text`)."""
    own = " ".join(element.text.split())
    if not element.children and not element.attributes:
        return own
    value: dict[str, Any] = {f"@{name}": text for name, text in element.attributes.items()}
    for child in element.children:
        value.setdefault(child.name, []).append(make_value(child))
    made = {
        key: entry[0] if isinstance(entry, list) and len(entry) == 1 else entry
        for key, entry in value.items()
    }
    return made | ({"#text": own} if own else {})


def _strip_prefix(name: str) -> str:
    return name.rpartition(":")[2]


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

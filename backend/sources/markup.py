"""XML as values; document types, and with them entities, are refused."""

from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

MAX_DEPTH = 60


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
        if len(self._open) >= MAX_DEPTH:
            raise BadMarkupError(f"nested deeper than {MAX_DEPTH}")
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

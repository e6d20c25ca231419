"""Reads the guide's topics, turns one into HTML, and finds the sections that hold some words.

A topic is a Markdown file of the same name in `en` and in `zh`. The first heading is its title, the
first paragraph says what it is about. Links between topics are written `[text](topic.md#section)`,
so they work on the page, and in any reader of Markdown files too.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path
from typing import Any, Literal, get_args

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from backend.errors import NotFoundError
from backend.text import quote, suggest

Language = Literal["en", "zh"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

HERE = Path(__file__).parent
MOST_FOUND = 40
LONGEST_QUERY = 200
_EXCERPT = 160


@dataclass(frozen=True)
class Group:
    """Topics that belong together, in the order in which they are read."""

    title: dict[Language, str]
    topics: tuple[str, ...]


GROUPS: tuple[Group, ...] = (
    Group(
        {"en": "First steps", "zh": "入门教程"},
        ("first-plan", "first-integration", "first-tuning", "first-replay", "own-data"),
    ),
    Group(
        {"en": "How to", "zh": "操作指南"},
        (
            "for-travel-apps",
            "changing-a-plan",
            "in-a-browser",
            "language-models",
            "for-admins",
            "sources",
            "large-results",
            "for-developers",
        ),
    ),
    Group(
        {"en": "Concepts", "zh": "核心概念"},
        (
            "funnel",
            "life-of-a-run",
            "planning-rules",
            "wishes",
            "impossible-requests",
            "replay",
            "worth-of-a-plan",
            "catalogue",
        ),
    ),
    Group(
        {"en": "Reference", "zh": "参考"},
        (
            "http-api",
            "command-line",
            "parameters",
            "tools",
            "constraints",
            "events",
            "settings",
            "file-formats",
            "glossary",
        ),
    ),
    Group(
        {"en": "Operations", "zh": "运维"},
        (
            "deploy",
            "tls-and-proxy",
            "sizing",
            "monitoring",
            "backup",
            "upgrade",
            "security",
            "troubleshooting",
        ),
    ),
    Group(
        {"en": "The project", "zh": "项目"},
        (
            "code-map",
            "benchmarks",
            "context-savings",
            "misbehaving-models",
            "changelog",
        ),
    ),
    Group(
        {"en": "Decisions", "zh": "设计决策"},
        (
            "decision-backend-folder",
            "decision-two-searches",
            "decision-prices-in-minutes",
            "decision-no-model-schedules",
            "decision-embedded-postgresql",
            "decision-numpy-columns",
            "decision-own-fetching",
            "decision-modelled-trains",
        ),
    ),
)
"""All topics; a file that is not named here, or is missing in a language, fails a test."""

TOPICS = tuple(topic for group in GROUPS for topic in group.topics)


@dataclass(frozen=True)
class Section:
    """A heading with the text below it; the first one of a topic has the topic's title."""

    topic: str
    title: str
    heading: str
    anchor: str
    text: str


@dataclass(frozen=True)
class Hit:
    """A section that holds all the words, with the text around the first of them."""

    section: Section
    excerpt: str


def read_topic(topic: str, language: Language) -> str:
    """The Markdown of a topic; a `NotFoundError` names near ones."""
    if topic not in TOPICS:
        near = suggest(topic, TOPICS)
        raise NotFoundError(f"the guide has no topic {quote(topic)}; near: {near}")
    return _read(topic, language)


@cache
def _read(topic: str, language: Language) -> str:
    return (HERE / language / f"{topic}.md").read_text(encoding="utf-8")


def read_title(topic: str, language: Language) -> str:
    """The first heading."""
    return list_sections(topic, language)[0].heading


def read_lead(topic: str, language: Language) -> str:
    """The first paragraph as plain text: what the topic is about."""
    return list_sections(topic, language)[0].text.split("\n\n")[0].strip()


def render_html(topic: str, language: Language) -> str:
    """The topic as HTML, to be placed under an address that ends in the topic's name."""
    tokens = _parse(read_topic(topic, language))
    names = iter(list_anchors(tokens))
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            token.attrSet("id", next(names))
        if token.type == "inline":
            _point_to_pages(token)
            _code_may_break(token)
        if token.type == "table_open":
            token.meta = {"label": _name_table(tokens, place)}
    return str(_make_parser().renderer.render(tokens, _make_parser().options, {}))


def list_anchors(tokens: Sequence[Token]) -> list[str]:
    """The id of each heading in order: its words with hyphens, numbered where two are the same."""
    made: list[str] = []
    for place, token in enumerate(tokens):
        if token.type != "heading_open":
            continue
        words = re.sub(r"[^\w\s-]", "", _plain(tokens[place + 1])).lower().split()
        name = "-".join(words) or "section"
        same = sum(1 for other in made if other == name or other.startswith(f"{name}--"))
        made.append(f"{name}--{same + 1}" if same else name)
    return made


@cache
def list_sections(topic: str, language: Language) -> tuple[Section, ...]:
    """The topic cut at its headings, as plain text."""
    tokens = _parse(read_topic(topic, language))
    names = iter(list_anchors(tokens))
    found: list[list[str]] = []
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            found.append([_plain(tokens[place + 1]), next(names), ""])
        elif token.type in ("inline", "fence") and tokens[place - 1].type != "heading_open":
            found[-1][2] += _plain(token) + ("\n\n" if _ends_block(tokens, place) else " ")
    title = found[0][0]
    return tuple(Section(topic, title, *part) for part in found)


def search(words: str, language: Language) -> list[Hit]:
    """Sections that hold every word, best first: words in a heading count more than in the text."""
    wanted = words[:LONGEST_QUERY].lower().split()
    if not wanted:
        return []
    rated = [
        (_rate(section, wanted), place, section)
        for place, section in enumerate(_list_all(language))
    ]
    best = sorted((-rate, place, section) for rate, place, section in rated if rate)
    return [Hit(section, _cut_around(section.text, wanted)) for _, _, section in best[:MOST_FOUND]]


def mark(text: str, words: str) -> str:
    """The text as HTML with the words marked."""
    wanted = sorted(words[:LONGEST_QUERY].lower().split(), key=len, reverse=True)
    pattern = "|".join(re.escape(word) for word in wanted)
    if not pattern:
        return escape(text)
    parts = re.split(f"({pattern})", text, flags=re.IGNORECASE)
    return "".join(
        f"<mark>{escape(part)}</mark>" if place % 2 else escape(part)
        for place, part in enumerate(parts)
    )


def _list_all(language: Language) -> Iterator[Section]:
    for topic in TOPICS:
        yield from list_sections(topic, language)


def _rate(section: Section, wanted: Sequence[str]) -> int:
    heading, title = section.heading.lower(), section.title.lower()
    text = section.text.lower()
    if not all(word in heading or word in title or word in text for word in wanted):
        return 0
    return sum(
        1 + 20 * (word in heading) + 5 * (word in title) + min(5, text.count(word))
        for word in wanted
    )


def _cut_around(text: str, wanted: Sequence[str]) -> str:
    flat = " ".join(text.split())
    places = [place for word in wanted if (place := flat.lower().find(word)) >= 0]
    start = max(0, min(places, default=0) - _EXCERPT // 3)
    end = start + _EXCERPT
    before, after = "…" if start else "", "…" if end < len(flat) else ""
    return f"{before}{flat[start:end].strip()}{after}"


@cache
def _make_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    parser.add_render_rule("table_open", _open_table)
    parser.add_render_rule("table_close", _close_table)
    parser.add_render_rule("fence", _write_code)
    return parser


def _parse(markdown: str) -> list[Token]:
    """Tokens without the comments, which mark the parts that are made from the code."""
    return _make_parser().parse(re.sub(r"^<!--.*?-->\n?", "", markdown, flags=re.M | re.S))


def _plain(token: Token) -> str:
    if token.type == "fence":
        return token.content
    parts = (
        child.content if child.type in ("text", "code_inline") else " "
        for child in token.children or ()
        if child.type in ("text", "code_inline", "softbreak", "hardbreak")
    )
    return "".join(parts)


def _ends_block(tokens: Sequence[Token], place: int) -> bool:
    following = tokens[place + 1].type if place + 1 < len(tokens) else ""
    return following not in ("th_close", "td_close")


def _point_to_pages(token: Token) -> None:
    """`topic.md#section` is a file; the page of the topic has its name alone."""
    for child in token.children or ():
        if child.type == "link_open":
            address = str(child.attrGet("href"))
            child.attrSet("href", re.sub(r"^([a-z-]+)\.md(?=#|$)", r"\1", address))


def _code_may_break(token: Token) -> None:
    """A long path or address in a line of text may break after a slash on a narrow screen."""
    for child in token.children or ():
        if child.type == "code_inline":
            child.attrSet("translate", "no")


def _name_table(tokens: Sequence[Token], place: int) -> str:
    """The nearest heading above: what a screen reader calls the table's scrolling box."""
    above = (n for n in range(place, -1, -1) if tokens[n].type == "heading_open")
    return _plain(tokens[next(above) + 1])


def _open_table(_: RendererHTML, tokens: Sequence[Token], place: int, *__: Any) -> str:
    label = escape(str(tokens[place].meta.get("label", "")), quote=True)
    head = f'<div class="scroll" role="region" tabindex="0" aria-label="{label}">'
    return f'{head}<table class="list">\n'


def _close_table(*_: Any) -> str:
    return "</table></div>\n"


def _write_code(_: RendererHTML, tokens: Sequence[Token], place: int, *__: Any) -> str:
    return f'<pre tabindex="0"><code>{escape(tokens[place].content, quote=False)}</code></pre>\n'

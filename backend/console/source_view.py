"""What a source's page shows: a field an argument, sizes as bars, the projected parts as tables."""

from collections.abc import Mapping
from typing import Any
from xml.sax.saxutils import escape

from markupsafe import Markup

from backend.console.render import translate
from backend.results.leafing import Leaf, leaf_value
from backend.sources.spec import Argument, Source
from backend.text import Locale

ROWS = 50
"""Rows that are shown of a part; the numbers beside it are of all."""

BESIDE = ("kept", "shown", "left_out")
"""What tells about the answer and is no part of it."""

SIZES = ("raw", "projected", "sent")
_WIDTH, _ROW, _BAR = 340, 48, 16


def list_fields(source: Source, typed: Mapping[str, str]) -> list[dict[str, Any]]:
    """The arguments with the kind of field that each is filled in with, and what was typed."""
    return [
        {
            "id": name_field(argument),
            "kind": _choose_kind(argument),
            "argument": argument,
            "value": typed.get(name_field(argument), ""),
        }
        for argument in source.arguments
    ]


def name_field(argument: Argument) -> str:
    """The form's field for an argument; none of its other fields begins like that."""
    return f"arg-{argument.name}"


def _choose_kind(argument: Argument) -> str:
    if argument.many:
        return "lines"
    return "choice" if argument.choices else argument.type


def read_arguments(source: Source, typed: Mapping[str, str]) -> dict[str, Any]:
    """What was typed as the call's arguments; empty is left out, and a wrong value stays as it is."""
    given = [
        (argument, typed.get(name_field(argument), "").strip()) for argument in source.arguments
    ]
    return {argument.name: _read(argument, text) for argument, text in given if text}


def _read(argument: Argument, text: str) -> Any:
    if argument.many:
        return [line.strip() for line in text.splitlines() if line.strip()]
    if argument.type == "boolean":
        return {"true": True, "false": False}.get(text, text)
    if argument.type in {"integer", "number"}:
        return _read_number(text)
    return text


def _read_number(text: str) -> int | float | str:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def draw_sizes(tried: Mapping[str, Any], locale: Locale) -> Markup:
    """A bar a size, in proportion: what came, what the projection keeps, what a model is sent."""
    sizes = {name: tried[f"{name}_bytes"] for name in SIZES}
    most = max(*sizes.values(), 1)
    parts = []
    for n, (name, size) in enumerate(sizes.items()):
        top = n * _ROW
        words = f"{translate(locale, f'sources.{name}')} {translate(locale, 'sources.bytes', n=f'{size:,}')}"
        parts.append(
            f'<text class="beside" x="0" y="{top + 14}">{escape(words)}</text>'
            f'<rect class="bar step-{0 if name == "raw" else 2}" x="0" y="{top + 20}"'
            f' width="{max(2.0, _WIDTH * size / most):.1f}" height="{_BAR}" rx="3"/>'
        )
    title = escape(translate(locale, "sources.sizes"), {'"': "&quot;"})
    return Markup(  # noqa: S704 - every text in it is escaped above
        f'<svg class="sizes" viewBox="0 0 {_WIDTH} {_ROW * len(SIZES)}" role="img"'
        f' aria-label="{title}">{"".join(parts)}</svg>'
    )


def show_parts(answer: Mapping[str, Any]) -> list[tuple[str, Leaf]]:
    """The parts of what a model would read, each with its first rows."""
    return [
        (name, leaf_value(part, 0, ROWS)) for name, part in answer.items() if name not in BESIDE
    ]

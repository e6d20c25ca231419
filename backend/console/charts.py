"""Charts as SVG, made here: they need no script and print as they are."""

from collections.abc import Mapping
from math import log10
from typing import Any
from xml.sax.saxutils import escape

from markupsafe import Markup

from backend.console.render import translate
from backend.text import Locale

STEPS = ("catalogue", "in_cities", "pool", "listed", "opened", "selected")
KINDS = ("poi", "hotel", "train")

_WIDTH, _ROW, _LEFT, _TOP = 720, 64, 84, 28
_BAR = 38
_LEDGER = 160


def draw_funnel(funnel: Mapping[str, Mapping[str, Any]], locale: Locale) -> Markup:
    """A row a kind, a bar a step, its height the logarithm of its number: 1,912 and 9 in one view."""
    width = (_WIDTH - _LEFT) / len(STEPS)
    parts = [
        _write(_LEFT + (n + 0.5) * width, 16, translate(locale, f"funnel.{step}"), "head")
        for n, step in enumerate(STEPS)
    ]
    for row, kind in enumerate(kind for kind in KINDS if kind in funnel):
        bottom = _TOP + (row + 1) * _ROW - 6
        parts.append(_write(0, bottom - 12, translate(locale, f"kind.{kind}"), "kind"))
        most = max(funnel[kind][step] for step in STEPS)
        for n, step in enumerate(STEPS):
            count = funnel[kind][step]
            height = _BAR * (log10(count + 1) / log10(most + 1)) if most else 0
            left = _LEFT + n * width
            parts.append(
                f'<rect class="bar step-{n}" x="{left + 6:.1f}" y="{bottom - height:.1f}"'
                f' width="{width - 12:.1f}" height="{height:.1f}" rx="3"/>'
            )
            parts.append(_write(left + width / 2, bottom - height - 4, f"{count:,}", "count"))
    height = _TOP + _ROW * len([kind for kind in KINDS if kind in funnel]) + 4
    title = escape(translate(locale, "funnel.title"))
    words = escape(describe_funnel(funnel, locale))
    return Markup(  # noqa: S704 - every text in it is escaped above
        f'<svg class="funnel" viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{words}">'
        f"<title>{title}</title>{''.join(parts)}</svg>"
    )


def draw_ledger(ledger: Mapping[str, Any], locale: Locale) -> Markup:
    """A bar a request: what it held by kind of part; the line below it was cached."""
    requests = ledger["requests"]
    most = max((request["total"]["tokens"] for request in requests), default=0)
    if not most:
        return Markup("")
    width = min(48.0, (_WIDTH - _LEFT) / len(requests))
    parts = [_write(0, 16, translate(locale, "ledger.tokens"), "kind")]
    for n, request in enumerate(requests):
        left, bottom = _LEFT + n * width, float(_TOP + _LEDGER)
        for kind, tokens in _sum_parts(request["parts"]).items():
            height = _LEDGER * tokens / most
            bottom -= height
            parts.append(_bar(f"part-{kind}", (left + 2, bottom), width - 4, height))
        cached = _LEDGER * min(request["reported"]["cached_tokens"] / most, 1)
        level = _TOP + _LEDGER - cached
        parts.append(
            f'<line class="cached" x1="{left:.1f}" x2="{left + width:.1f}" y1="{level:.1f}" y2="{level:.1f}"/>'
        )
        parts.append(_write(left + width / 2, _TOP + _LEDGER + 14, str(request["turn"]), "count"))
    parts.append(_write(_LEFT, _TOP - 6, f"{most:,}", "count"))
    words = escape(translate(locale, "ledger.title"))
    return Markup(  # noqa: S704 - every text in it is escaped above
        f'<svg class="funnel" viewBox="0 0 {_WIDTH} {_TOP + _LEDGER + 22}" role="img"'
        f' aria-label="{words}">{"".join(parts)}</svg>'
    )


PARTS = ("system", "request", "tools", "model", "results")
"""What a request to the model holds, from the bottom of its bar."""


def _sum_parts(parts: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    """Tokens by kind of part; every part with a name of its own is what a tool answered."""
    sums = dict.fromkeys(PARTS, 0)
    for name, size in parts.items():
        kind = "request" if name == "nudge" else name
        sums[kind if kind in sums else "results"] += size["tokens"]
    return sums


def _bar(kind: str, corner: tuple[float, float], width: float, height: float) -> str:
    x, y = corner
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"/>'
    )


def describe_funnel(funnel: Mapping[str, Mapping[str, Any]], locale: Locale) -> str:
    """The same in words, for those who do not see it."""
    return "; ".join(
        f"{translate(locale, f'kind.{kind}')}: "
        + " → ".join(str(funnel[kind][step]) for step in STEPS)
        for kind in KINDS
        if kind in funnel
    )


def _write(x: float, y: float, text: str, kind: str) -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'

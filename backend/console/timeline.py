"""Runs along a time axis with the changes of parameters marked on it, as SVG."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

from markupsafe import Markup

from backend.console.render import translate
from backend.text import Locale

MARKED = 40
"""The newest changes of a span that are marked and listed; more would cover each other."""

_KNOBS = frozenset({"param", "tool", "source"})
_WIDTH, _LEFT, _TOP, _BAR = 720, 40, 40, 110
_CLOSE = 30
"""Marks so near to each other share a number: theirs would cover each other."""


def mark_changes(changes: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What was turned in the span, numbered, oldest first; edits of the catalogue are no knobs."""
    knobs = [change for change in changes if change["kind"] in _KNOBS][-MARKED:]
    return [{**change, "number": number} for number, change in enumerate(knobs, 1)]


def draw_timeline(
    stats: Mapping[str, Any], marks: Sequence[Mapping[str, Any]], locale: Locale
) -> Markup:
    """A bar a part of the span: valid plans below, runs without one above; a line a change."""
    parts = stats["timeline"]
    most = max(1, *(part["runs"] for part in parts))
    width = (_WIDTH - _LEFT) / len(parts)
    drawn = [_write(_LEFT - 6, _TOP + 10, f"{most:,}", "end")]
    for n, part in enumerate(parts):
        drawn += _draw_part(part, _LEFT + n * width, width, _BAR / most)
    base = _TOP + _BAR
    drawn.append(f'<line class="axis" x1="{_LEFT}" x2="{_WIDTH}" y1="{base}" y2="{base}"/>')
    since, until = (dt.datetime.fromisoformat(stats[end]) for end in ("since", "until"))
    for share, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        moment = since + share * (until - since)
        label = moment.astimezone(dt.UTC).strftime("%m-%d %H:%M")
        drawn.append(_write(_LEFT + share * (_WIDTH - _LEFT), base + 16, label, anchor))
    places = [
        _LEFT + (dt.datetime.fromisoformat(mark["at"]) - since) / (until - since) * (_WIDTH - _LEFT)
        for mark in marks
    ]
    drawn += _draw_marks(places)
    words = translate(locale, "stats.chart", runs=stats["runs"], changes=len(marks))
    return Markup(  # noqa: S704 - every text in it is escaped above
        f'<svg class="timeline-chart" viewBox="0 0 {_WIDTH} {base + 24}" role="img"'
        f' aria-label="{escape(words)}">{"".join(drawn)}</svg>'
    )


def _draw_part(part: Mapping[str, Any], left: float, width: float, scale: float) -> list[str]:
    """Succeeded, without a plan, and the others, from the bottom."""
    others = part["runs"] - part["succeeded"] - part["without_plan"]
    bottom = float(_TOP + _BAR)
    drawn = []
    counts = (("good", part["succeeded"]), ("bad", part["without_plan"]), ("other", others))
    for kind, count in counts:
        height = count * scale
        bottom -= height
        if count:
            drawn.append(
                f'<rect class="{kind}" x="{left + 1:.1f}" y="{bottom:.1f}"'
                f' width="{width - 2:.1f}" height="{height:.1f}"/>'
            )
    return drawn


def _draw_marks(places: Sequence[float]) -> Iterator[str]:
    """A line each, and the numbers of those that stand close together in one."""
    first = 0
    for n, x in enumerate(places):
        yield f'<line class="mark" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 12}" y2="{_TOP + _BAR}"/>'
        if n + 1 == len(places) or places[n + 1] - places[first] > _CLOSE:
            text = str(n + 1) if n == first else f"{first + 1}–{n + 1}"
            anchor = "end" if x > _WIDTH - _CLOSE else "middle"
            yield _write((places[first] + x) / 2, _TOP - 16, text, anchor)
            first = n + 1


def _write(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'

"""Draws the outcomes of a sweep: what a plan is worth over what a model would have to read for it.

Settings stand as numbers in the picture and by name in a list below: their names are longer than the
gaps between them.
"""

import math
from collections.abc import Iterator, Sequence
from xml.sax.saxutils import escape

from backend.bench.sweep import Outcome

WIDTH, HEIGHT = 900, 460
LEFT, RIGHT, TOP, BOTTOM = 80, 30, 50, 60
LINE = 18
TICKS = 5
SOUND, FAULTY = "#1f6f8b", "#c0392b"
NEAR = 20
"""Dots closer than this share the place of their numbers."""


def draw_sweep(outcomes: Sequence[Outcome]) -> str:
    """An SVG: tokens to the right, profit upwards, the efficient ones filled and joined."""
    place = _Scale(outcomes)
    efficient = sorted((o for o in outcomes if o.is_efficient), key=lambda o: o.tokens)
    way = " ".join(f"{place.x(o.tokens):.1f},{place.y(o.profit):.1f}" for o in efficient)
    height = HEIGHT + LINE * (len(outcomes) + 2)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}"'
            ' font-family="sans-serif" font-size="12" fill="#333">',
            f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
            *place.draw_axes(),
            f'<polyline points="{way}" fill="none" stroke="{SOUND}" stroke-dasharray="4 3"/>',
            *_draw_dots(place, outcomes),
            *_list_settings(outcomes, _least_errors(outcomes)),
            "</svg>\n",
        ]
    )


class _Scale:
    """Where values stand in the picture."""

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        self._tokens = _mark_span([outcome.tokens for outcome in outcomes])
        self._profits = _mark_span([outcome.profit for outcome in outcomes])

    def x(self, tokens: float) -> float:
        low, high = self._tokens[0], self._tokens[-1]
        return LEFT + (tokens - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(self, profit: float) -> float:
        low, high = self._profits[0], self._profits[-1]
        return HEIGHT - BOTTOM - (profit - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    def draw_axes(self) -> Iterator[str]:
        bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
        for tokens in self._tokens:
            x = self.x(tokens)
            yield f'<path d="M{x:.1f} {TOP}V{bottom}" stroke="#eee"/>'
            yield f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{tokens:,g}</text>'
        for profit in self._profits:
            y = self.y(profit)
            yield f'<path d="M{LEFT} {y:.1f}H{right}" stroke="#eee"/>'
            yield f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{profit:,g}</text>'
        yield f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#999"/>'
        middle = (LEFT + right) / 2
        yield f'<text x="{middle}" y="{bottom + 40}" text-anchor="middle">tokens a run</text>'
        yield f'<text x="{LEFT}" y="{TOP - 22}">profit a run; filled: on the efficient frontier; red: more errors than others</text>'


def _draw_dots(place: _Scale, outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The dots, and each number beside the first dot that is near; under it those it hides."""
    least = _least_errors(outcomes)
    labels: list[tuple[float, float, list[int]]] = []
    for n, outcome in enumerate(outcomes, 1):
        x, y = place.x(outcome.tokens), place.y(outcome.profit)
        color = FAULTY if outcome.errors > least else SOUND
        fill = color if outcome.is_efficient else "#fff"
        told = f"{n}. {outcome.setting}: {outcome.errors} errors, {outcome.seconds:.2f} s"
        yield (
            f'<g><title>{escape(told)}</title><circle cx="{x:.1f}" cy="{y:.1f}" r="5"'
            f' fill="{fill}" stroke="{color}" stroke-width="2"/></g>'
        )
        near = next((k for k in labels if math.hypot(k[0] - x, k[1] - y) < NEAR), None)
        if near is None:
            labels.append((x, y, [n]))
        else:
            near[2].append(n)
    for x, y, numbers in labels:
        told = ", ".join(map(str, numbers))
        yield f'<text x="{x:.1f}" y="{y - 12:.1f}" text-anchor="middle" font-size="11">{told}</text>'


def _list_settings(outcomes: Sequence[Outcome], least: int) -> Iterator[str]:
    columns = (LEFT, 430, 520, 620, 720, 820)
    heads = ("setting", "errors", "delivered", "profit", "must-sees", "tokens")
    yield from _write_line(HEIGHT, columns, heads, "#777")
    for n, o in enumerate(outcomes, 1):
        cells = (
            f"{n}. {o.setting or 'today’s'}",
            str(o.errors),
            f"{o.delivered:.0%}",
            f"{o.profit:,.0f}",
            f"{o.must_sees:.0%}",
            f"{o.tokens:,.0f}",
        )
        y = HEIGHT + LINE * n
        color = FAULTY if o.errors > least else SOUND
        fill = color if o.is_efficient else "#fff"
        yield f'<circle cx="{LEFT - 14}" cy="{y - 4}" r="4" fill="{fill}" stroke="{color}"/>'
        yield from _write_line(y, columns, cells, "#333")


def _write_line(
    y: float, columns: Sequence[float], cells: Sequence[str], color: str
) -> Iterator[str]:
    for x, cell in zip(columns, cells, strict=True):
        yield f'<text x="{x}" y="{y}" fill="{color}">{escape(cell)}</text>'


def _least_errors(outcomes: Sequence[Outcome]) -> int:
    """What no setting gets below: requests that nobody can plan have errors under each."""
    return min((outcome.errors for outcome in outcomes), default=0)


def _mark_span(values: Sequence[float]) -> list[float]:
    """Round numbers from below the least to above the most, never only one."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    step = _round_step((high - low) / TICKS or max(1.0, abs(high) / 20))
    first, last = math.floor(low / step), math.ceil(high / step)
    return [round(n * step, 6) for n in range(first, max(last, first + 1) + 1)]


def _round_step(least: float) -> float:
    """1, 2 or 5 times a power of ten, not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least)

"""Draws the outcomes of a sweep: what a plan is worth over what a model would have to read for it."""

from collections.abc import Sequence
from xml.sax.saxutils import escape

from backend.bench.sweep import Outcome

WIDTH, HEIGHT = 900, 520
LEFT, RIGHT, TOP, BOTTOM = 80, 30, 40, 60


def draw_sweep(outcomes: Sequence[Outcome]) -> str:
    """An SVG: tokens to the right, profit upwards, the efficient ones filled and joined."""
    place = _Scale(outcomes)
    dots = [_draw_dot(place, outcome) for outcome in outcomes]
    efficient = sorted((o for o in outcomes if o.is_efficient), key=lambda o: o.tokens)
    way = " ".join(f"{place.x(o.tokens):.1f},{place.y(o.profit):.1f}" for o in efficient)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
            ' font-family="sans-serif" font-size="12" fill="#333">',
            f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
            *place.draw_axes(),
            f'<polyline points="{way}" fill="none" stroke="#1f6f8b" stroke-dasharray="4 3"/>',
            *dots,
            "</svg>\n",
        ]
    )


class _Scale:
    """Where values stand in the picture."""

    def __init__(self, outcomes: Sequence[Outcome]) -> None:
        self._tokens = _find_span([outcome.tokens for outcome in outcomes])
        self._profits = _find_span([outcome.profit for outcome in outcomes])

    def x(self, tokens: float) -> float:
        low, high = self._tokens
        return LEFT + (tokens - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(self, profit: float) -> float:
        low, high = self._profits
        return HEIGHT - BOTTOM - (profit - low) / (high - low) * (HEIGHT - TOP - BOTTOM)

    def draw_axes(self) -> list[str]:
        bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
        lines = [
            f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#999"/>',
            f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 15}" text-anchor="middle">'
            "tokens a run</text>",
            f'<text x="{LEFT}" y="{TOP - 15}">profit a run; filled: on the efficient frontier</text>',
        ]
        for share in (0.0, 0.25, 0.5, 0.75, 1.0):
            tokens = self._tokens[0] + share * (self._tokens[1] - self._tokens[0])
            profit = self._profits[0] + share * (self._profits[1] - self._profits[0])
            lines += [
                f'<text x="{self.x(tokens):.1f}" y="{bottom + 18}" text-anchor="middle">'
                f"{tokens:,.0f}</text>",
                f'<text x="{LEFT - 8}" y="{self.y(profit) + 4:.1f}" text-anchor="end">'
                f"{profit:,.0f}</text>",
            ]
        return lines


def _draw_dot(place: _Scale, outcome: Outcome) -> str:
    x, y = place.x(outcome.tokens), place.y(outcome.profit)
    color = "#c0392b" if outcome.errors else "#1f6f8b"
    fill = color if outcome.is_efficient else "#fff"
    told = f"{outcome.setting}: {outcome.errors} errors, {outcome.seconds:.2f} s"
    return (
        f'<g><title>{escape(told)}</title><circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{fill}"'
        f' stroke="{color}" stroke-width="2"/>'
        f'<text x="{x + 9:.1f}" y="{y - 7:.1f}" font-size="10">{escape(outcome.setting)}</text></g>'
    )


def _find_span(values: Sequence[float]) -> tuple[float, float]:
    """From the least to the most with some air; never empty."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    air = (high - low) * 0.08 or max(1.0, abs(high) * 0.05)
    return low - air, high + air

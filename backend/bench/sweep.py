"""Plans the same requests under each combination of settings, and says which are worth having.

Only values travel to the processes that plan: a request's pool as text, and the return limits.

Draws the outcomes of a sweep: what a plan is worth over what a model would have to read for it.

Settings stand as numbers in the picture and by name in a list below: their names are longer than the
gaps between them.
"""

import asyncio
import itertools
import math
import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from multiprocessing import active_children, get_context
from typing import Any
from xml.sax.saxutils import escape

from backend.agent.builtin_planner import BuiltinPlanner
from backend.bench.measured_run import MeasuredRun, measure_run
from backend.params.registry import ParamValue
from backend.pool.snapshot import Snapshot
from backend.replay.memory_run import Setting as RunSetting
from backend.replay.memory_run import plan_in_memory
from backend.tools.queries import override_rows


@dataclass(frozen=True)
class Setting:
    """One combination: parameters by key, return limits by tool."""

    params: Mapping[str, ParamValue]
    limits: Mapping[str, int]

    @property
    def name(self) -> str:
        """`POOL_POI_SIZE=20 list_pois=10`."""
        return " ".join(f"{key}={value}" for key, value in {**self.params, **self.limits}.items())


@dataclass(frozen=True)
class Outcome:
    """What a setting came to over all requests; means a run, but for `errors` and `runs`."""

    setting: str
    runs: int
    errors: int
    delivered: float
    profit: float
    must_sees: float
    calls: float
    tokens: float
    seconds: float
    is_efficient: bool = False

    def as_json(self) -> dict[str, Any]:
        """JSON values."""
        return asdict(self)

    @property
    def merits(self) -> tuple[float, ...]:
        """More is better in each."""
        return (-self.errors, self.delivered, self.profit, self.must_sees, -self.tokens)


@dataclass(frozen=True)
class Work:
    """One pool and the limits to try on it; `settings` are numbers of settings."""

    snapshot: str
    limits: tuple[tuple[int, dict[str, int]], ...]


def combine(
    params: Mapping[str, Sequence[ParamValue]], limits: Mapping[str, Sequence[int]]
) -> list[Setting]:
    """Every combination of the given values, the last one varying quickest."""
    combined = itertools.product(
        _list_choices(params),
        _list_choices(limits),
    )
    return [Setting(chosen, rows) for chosen, rows in combined]


def _list_choices(values: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    chosen = itertools.product(*values.values())
    return [dict(zip(values, choice, strict=True)) for choice in chosen]


def group_work(settings: Sequence[Setting], pools: Sequence[Mapping[str, str]]) -> Iterator[Work]:
    """A piece of work for each different pool of each request; pools are by `name_params`."""
    for by_params in pools:
        tried: dict[str, list[tuple[int, dict[str, int]]]] = {}
        for n, setting in enumerate(settings):
            text = by_params[name_params(setting)]
            tried.setdefault(text, []).append((n, dict(setting.limits)))
        yield from (Work(text, tuple(limits)) for text, limits in tried.items())


def name_params(setting: Setting) -> str:
    """What settings with the same pools share."""
    return repr(sorted(setting.params.items()))


def run_work(
    work: Sequence[Work],
    processes: int | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[tuple[int, MeasuredRun]]:
    """Plan everything, with the number of each run's setting.

    Whatever ends this early, such as Ctrl-C, ends the processes too.
    """
    count = min(processes or os.cpu_count() or 1, len(work)) or 1
    found: list[tuple[int, MeasuredRun]] = []
    if count == 1:
        for n, piece in enumerate(work, 1):
            found += plan_piece(piece)
            on_progress(n, len(work))
        return found
    with (
        ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool,
        _ending_children(),
    ):
        with _holding_interrupts():
            pieces = pool.map(plan_piece, work)
        for n, measured in enumerate(pieces, 1):
            found += measured
            on_progress(n, len(work))
    return found


@contextmanager
def _ending_children() -> Iterator[None]:
    """Kill the planning processes where the block is left by an exception: nobody reads them."""
    others = set(active_children())
    try:
        yield
    except BaseException:
        for child in set(active_children()) - others:
            child.kill()
        raise


@contextmanager
def _holding_interrupts() -> Iterator[None]:
    """Start processes that Ctrl-C does not reach: a terminal sends it to all of them.

    Each would end with a traceback of its own; this process hears it and ends them.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def plan_piece(work: Work) -> list[tuple[int, MeasuredRun]]:
    """Plan one pool under each of its limits."""
    snapshot = Snapshot.model_validate_json(work.snapshot)
    return [(n, asyncio.run(_plan(snapshot, work.snapshot, rows))) for n, rows in work.limits]


async def _plan(snapshot: Snapshot, text: str, rows: Mapping[str, int]) -> MeasuredRun:
    began, worked = time.monotonic(), time.process_time()
    setting = RunSetting(limits=lambda: override_rows({}, rows))
    export = await plan_in_memory(snapshot, BuiltinPlanner(), setting)
    seconds = (time.monotonic() - began, time.process_time() - worked)
    request = snapshot.request.model_dump(mode="json")
    result = {**export.result, "status": export.run["status"], "request": request}
    return measure_run(request, result, text, export.steps, seconds)


def summarize(
    settings: Sequence[Setting], measured: Sequence[tuple[int, MeasuredRun]]
) -> list[Outcome]:
    """An outcome a setting, those on the efficient frontier marked: no other is better in all."""
    outcomes = [
        _add_up(setting.name, [run for at, run in measured if at == n])
        for n, setting in enumerate(settings)
    ]
    return [mark(outcome, outcomes) for outcome in outcomes]


def mark(outcome: Outcome, others: Sequence[Outcome]) -> Outcome:
    """The outcome, marked where no other is as good in everything and better in something."""
    is_beaten = any(
        other.merits != outcome.merits
        and all(its >= mine for its, mine in zip(other.merits, outcome.merits, strict=True))
        for other in others
    )
    return Outcome(**{**asdict(outcome), "is_efficient": not is_beaten})


def _add_up(name: str, runs: Sequence[MeasuredRun]) -> Outcome:
    asked = sum(run.must_sees for run in runs)
    return Outcome(
        setting=name,
        runs=len(runs),
        errors=sum(len(run.errors) for run in runs),
        delivered=_mean([run.is_delivered for run in runs]),
        profit=_mean([run.profit for run in runs]),
        must_sees=sum(run.must_sees_kept for run in runs) / asked if asked else 1.0,
        calls=_mean([run.calls for run in runs]),
        tokens=_mean([run.tokens for run in runs]),
        seconds=_mean([run.seconds for run in runs]),
    )


def _mean(values: Sequence[float]) -> float:
    return round(sum(values) / len(values), 3) if values else 0.0


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

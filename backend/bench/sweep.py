"""Plans the same requests under each combination of settings, and says which are worth having.

Only values travel to the processes that plan: a request's pool as text, and the return limits.
"""

import asyncio
import itertools
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from multiprocessing import get_context
from typing import Any

from backend.agent.builtin_planner import BuiltinPlanner
from backend.bench.measured_run import MeasuredRun, measure_run
from backend.params.registry import ParamValue
from backend.pool.snapshot import Snapshot
from backend.replay.memory_run import Setting as RunSetting
from backend.replay.memory_run import plan_in_memory
from backend.runs.limit_reader import override_rows


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
    work: Sequence[Work], processes: int | None = None, tell: Callable[[int], None] = lambda _: None
) -> list[tuple[int, MeasuredRun]]:
    """Plan everything, with the number of each run's setting; `tell` hears of finished pieces."""
    count = min(processes or os.cpu_count() or 1, len(work)) or 1
    found: list[tuple[int, MeasuredRun]] = []
    if count == 1:
        for n, piece in enumerate(work, 1):
            found += plan_piece(piece)
            tell(n)
        return found
    with ProcessPoolExecutor(count, mp_context=get_context("spawn")) as pool:
        for n, measured in enumerate(pool.map(plan_piece, work), 1):
            found += measured
            tell(n)
    return found


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

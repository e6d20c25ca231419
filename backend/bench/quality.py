"""How good the plans are: seeded requests over the seed catalogue, each a run as any other.

Every run takes the real path, from the request's check through pool, tools and run log to the
result, in a database of its own; nothing but the queue is left out.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from backend.bench.measured_run import MeasuredRun, measure_run
from backend.bench.queries import draw_requests, make_empty_database, read_vocabulary
from backend.bootstrap import insert_missing_rows, make_planners, make_store
from backend.catalogue.seed import seed_catalogue
from backend.db.migrate import upgrade
from backend.db.session import Engine, make_engine, transaction
from backend.runs.life.commands import start_run
from backend.runs.life.result import show_run
from backend.runs.log.queries import hold_run, read_snapshot_text
from backend.runs.log.run_log import read_steps
from backend.runs.work.workflow import Planners, advance_run
from backend.settings import Settings

TENANT = "bench"
SHOWN_FAULTS = 10
MINUTES_AN_HOUR = 60


@dataclass(frozen=True)
class Bench:
    """An installation with the seed catalogue."""

    engine: Engine
    planners: Planners


async def run_quality_bench(
    url: str,
    settings: Settings,
    drawing: tuple[int, int],
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> dict[str, Any]:
    """Plan as many trips as `drawing` says, by its seed, one after the other; JSON values."""
    requests, seed = drawing
    async with install(url, settings) as bench:
        async with transaction(bench.engine) as session:
            vocabulary = await read_vocabulary(session)
        drawn = draw_requests(vocabulary, requests, seed)
        await _plan(bench, draw_requests(vocabulary, 1, seed + 1)[0])  # loads what is loaded once
        runs = []
        for n, raw in enumerate(drawn, 1):
            runs.append(await _plan(bench, raw))
            on_progress(n, requests)
        return summarise(runs, seed)


@asynccontextmanager
async def install(url: str, settings: Settings) -> AsyncIterator[Bench]:
    async with make_empty_database(url) as address:
        await asyncio.to_thread(upgrade, address)
        engine = make_engine(address)
        try:
            await insert_missing_rows(engine)
            async with transaction(engine) as session:
                await seed_catalogue(session)
            yield Bench(engine, make_planners(settings, make_store(settings, engine)))
        finally:
            await engine.dispose()


async def _plan(bench: Bench, raw: Mapping[str, Any]) -> MeasuredRun:
    began, cpu_began = time.perf_counter(), time.process_time()
    started = await start_run(bench.engine, None, TENANT, raw)
    async with hold_run(bench.engine, started.run_id):
        await advance_run(bench.engine, bench.planners, started.run_id)
    result = (await show_run(bench.engine, started.run_id, TENANT)).as_json()
    seconds = time.perf_counter() - began, time.process_time() - cpu_began
    async with transaction(bench.engine) as session:
        snapshot = await read_snapshot_text(session, started.run_id)
    steps = await read_steps(bench.engine, started.run_id)
    return measure_run(raw, result, snapshot, steps, seconds)


def summarise(runs: list[MeasuredRun], seed: int) -> dict[str, Any]:
    """Counts over all runs; means over those that were delivered."""
    delivered = [run for run in runs if run.is_delivered]
    bounded = [run.profit / run.bound for run in delivered if run.bound]
    busy = sum(run.busy_minutes for run in delivered)
    return {
        "requests": len(runs),
        "seed": seed,
        "delivered": len(delivered),
        "explained": sum(run.is_explained for run in runs),
        "without_errors": sum(run.is_delivered and not run.errors for run in runs),
        "relaxed": sum(run.is_relaxed for run in runs),
        "must_sees": {
            "asked": sum(run.must_sees for run in runs),
            "kept": sum(run.must_sees_kept for run in runs),
            "explained": sum(run.must_sees_explained for run in runs),
        },
        "profit_of_bound": _average(bounded),
        "visits_a_day": _divide(sum(r.visits for r in delivered), sum(r.days for r in delivered)),
        "transit_share": _divide(sum(run.transit_minutes for run in delivered), busy),
        "tokens": _average([run.tokens for run in runs], 0),
        "calls": _average([run.calls for run in runs], 1),
        "seconds": _spread([run.seconds for run in runs]),
        "cpu_seconds": _spread([run.cpu_seconds for run in runs]),
        "faults": [run.describe() for run in runs if run.is_fault][:SHOWN_FAULTS],
    }


def _spread(values: list[float]) -> dict[str, float]:
    return {"median": round(median(values), 3), "worst": round(max(values), 3)}


def _average(values: list[float], digits: int = 3) -> float | None:
    return round(fmean(values), digits) if values else None


def _divide(part: float, whole: float) -> float | None:
    return round(part / whole, 3) if whole else None


def describe_quality(report: Mapping[str, Any]) -> list[str]:
    """The report as lines."""
    must, seconds, cpu = report["must_sees"], report["seconds"], report["cpu_seconds"]
    return [
        f"{report['requests']} requests (seed {report['seed']}): {report['delivered']} delivered,"
        f" {report['without_errors']} of them without errors; {report['explained']} explained,"
        f" {report['relaxed']} of them with a relaxation",
        f"must-sees: {must['kept']} of {must['asked']} kept, {must['explained']} more explained",
        f"points of visits: {report['profit_of_bound']} of an upper bound, in the mean",
        f"{report['visits_a_day']} visits a day, {report['transit_share']} of the time in transit",
        f"{report['calls']} calls and {report['tokens']} tokens a run, in the mean",
        f"seconds: {seconds['median']} in the median, {seconds['worst']} at worst;"
        f" of this process {cpu['median']} and {cpu['worst']}",
        *(f"neither delivered nor explained: {fault}" for fault in report["faults"]),
    ]

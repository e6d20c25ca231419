"""`waypool bench`: measure the product on this machine.

`waypool bench loop`: how configured language models do the job.

`waypool bench pages`: how soon the console's pages come.

`waypool bench replay`: runs exported, and verified where there is no database.

`waypool bench results` and `waypool bench context`: what large results cost, and what they save.
"""

import asyncio
import datetime as dt
from functools import partial
from pathlib import Path
from typing import Any

import click

from backend.bench.checkout import get_part
from backend.bench.context.report import describe_context, run_context_bench
from backend.bench.loop import describe_loop, measure_loop
from backend.bench.planner import Result, average, list_tasks, measure
from backend.bench.pool import describe_report, run_pool_bench
from backend.bench.quality import describe_quality, run_quality_bench
from backend.bench.replays.report import Wanted, describe_replays, run_replay_bench
from backend.bench.results import describe_results, run_results_bench
from backend.bench.runs.scenarios import SCENARIOS
from backend.bench.sense import ORIGINS, describe_sense, run_sense_bench
from backend.bootstrap import make_models
from backend.cli.database import with_engine
from backend.cli.output import FAILED, Output, json_option, read_json, show_progress
from backend.console.app import list_page_paths
from backend.db.connect import open_database
from backend.db.session import Engine, transaction
from backend.errors import ConfigurationError
from backend.params.queries import read_params
from backend.pool.request_faults import resolve_request
from backend.pool.service import CandidatePoolService
from backend.settings import read_settings
from backend.text import quote


@click.command("loop")
@click.option("--request", "source", required=True, metavar="FILE",
              help="The trip to plan, as JSON; '-': stdin.")  # fmt: skip
@click.option("--model", "names", multiple=True, metavar="NAME",
              help="A configured model; may be repeated.  [default: all]")  # fmt: skip
@click.option("--runs", type=click.IntRange(1, 1000), default=1, show_default=True,
              help="Trips by each model.")  # fmt: skip
@json_option
@click.pass_obj
def bench_loop(output: Output, source: str, names: tuple[str, ...], runs: int) -> None:
    """Let configured models plan a trip: turns, invalid calls, tokens, seconds, and the end.

    The pool comes from the catalogue; nothing is stored. The built-in planner takes over where a
    model stops short, as in a run.
    """
    settings = read_settings()
    models = make_models(settings)
    if models is None:
        raise ConfigurationError("no language model is configured; set WAYPOOL_MODEL")
    for name in names:
        models.find(name)
    raw = read_json(source)

    async def work(engine: Engine) -> list[dict[str, Any]]:
        async with transaction(engine) as session:
            params = await read_params(session)
            request = await resolve_request(session, raw, params)
            snapshot = await CandidatePoolService(session).build(request, params)
        measured = []
        for name in names or models.names:
            for _ in range(runs):
                run = await measure_loop(snapshot, partial(models.open, name))
                measured.append({"model": name, **run.as_json()})
        return measured

    with show_progress("planning"):
        report = {"items": with_engine(work, settings), "next_cursor": None}
    output.show(report, "\n".join(describe_loop(report)))


@click.command("pages")
@click.option("--requests", type=click.IntRange(1, 10_000), default=30,
              show_default=True, metavar="N", help="Requests for each address, after three.")  # fmt: skip
@click.option("--runs", type=click.IntRange(1, 1000), default=24,
              show_default=True, metavar="N", help="Ended runs of a model's double.")  # fmt: skip
@json_option
@click.pass_obj
@click.pass_context
def bench_pages(context: click.Context, output: Output, requests: int, runs: int) -> None:
    """Ask for every page of the console from a server of its own, with the seed catalogue.

    Pages are found by following their links. Status 1 where a median is over 100 ms, or a page with
    its style and scripts over 200 KB as sent; the map's library is not counted in.
    """
    measure_pages = get_part("pages.measure").measure_pages
    with show_progress("asking for every page"):
        report = asyncio.run(measure_pages(list_page_paths(), requests, runs))
    output.show(report.as_json(), "\n".join(report.describe()))
    context.exit(0 if report.is_met else FAILED)


@click.command("replay")
@click.option("--runs", type=click.IntRange(0, 10_000), default=100,
              show_default=True, metavar="N", help="Runs of the built-in planner.")  # fmt: skip
@click.option("--scripted", type=click.IntRange(0, 10_000), default=30,
              show_default=True, metavar="N", help="Runs of a scripted model.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0,
              show_default=True, metavar="S", help="Which trips.")  # fmt: skip
@click.option("--python", "pythons", multiple=True, metavar="PATH",
              help="Another Python with Waypool's libraries, to verify too.")  # fmt: skip
@click.option("--keep", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
              help="Keep the exports there.")  # fmt: skip
@json_option
@click.pass_obj
@click.pass_context
def bench_replay(
    context: click.Context,
    output: Output,
    runs: int,
    scripted: int,
    seed: int,
    pythons: tuple[str, ...],
    keep: Path | None,
) -> None:
    """Make runs over the seed catalogue, export them, and verify them without a database.

    The scripted model errs, repeats itself, asks a source and what lies behind its handles, while
    an admin changes limits and switches. Each export is verified in processes of other time zones
    and hash seeds, after the database of the runs is dropped. Status 1 where anything differs.
    """
    settings = read_settings()
    wanted = Wanted(runs, scripted, seed, pythons)
    with show_progress("making runs and verifying them"), open_database(settings) as url:
        report = asyncio.run(run_replay_bench(url, settings, wanted, keep))
    output.show(report, "\n".join(describe_replays(report)))
    context.exit(FAILED if report["differences"] else 0)


@click.command("results")
@click.option("--rows", type=click.IntRange(1000, 20_000_000), default=1_000_000,
              show_default=True, metavar="N", help="Made-up rows of the stored result.")  # fmt: skip
@click.option("--reads", type=click.IntRange(10, 100_000), default=1000,
              show_default=True, metavar="N", help="Reads of a foreign and an unknown handle.")  # fmt: skip
@json_option
@click.pass_obj
def bench_results(output: Output, rows: int, reads: int) -> None:
    """Store a large result and ask it, beside DuckDB and Polars with the same rows in memory.

    In a database of its own that is dropped at the end; the rows stand in a temporary file.
    """
    with show_progress("storing and asking"), open_database(read_settings()) as url:
        report = asyncio.run(run_results_bench(url, rows, reads))
    output.show(report, "\n".join(describe_results(report)))


@click.command("context")
@click.option("--seed", type=click.IntRange(0), default=7,
              show_default=True, metavar="S", help="Which made-up responses.")  # fmt: skip
@json_option
@click.pass_obj
def bench_context(output: Output, seed: int) -> None:
    """Six questions to sources under four strategies, and one trip: what stands in the context.

    The responses are made up, of the sizes of a public measurement; the answers come from a
    deterministic reader that may use only what stands in its context.
    """
    settings = read_settings()
    with show_progress("asking under four strategies"), open_database(settings) as url:
        report = asyncio.run(run_context_bench(url, settings, seed))
    output.show(report, "\n".join(describe_context(report)))


@click.group()
def bench() -> None:
    """Measure how long things take here and how good they are, each beside what it is compared with."""


bench.add_command(bench_results)
bench.add_command(bench_context)
bench.add_command(bench_loop)
bench.add_command(bench_pages)
bench.add_command(bench_replay)


@bench.command("pool")
@click.option("--places", type=click.IntRange(1000, 20_000_000), default=1_000_000,
              show_default=True, metavar="N", help="Made-up places in all.")  # fmt: skip
@click.option("--cities", type=click.IntRange(1, 10_000), default=300,
              show_default=True, metavar="M", help="Cities to deal them out over.")  # fmt: skip
@json_option
@click.pass_obj
def bench_pool(output: Output, places: int, cities: int) -> None:
    """Build pools in a large catalogue, in a database of its own that is dropped at the end."""
    with show_progress("building pools"), open_database(read_settings()) as url:
        report = asyncio.run(run_pool_bench(url, places, cities))
    output.show(report, "\n".join(describe_report(report)))


@bench.command("quality")
@click.option("--requests", type=click.IntRange(1, 100_000), default=200,
              show_default=True, metavar="N", help="Trips to plan.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0,
              show_default=True, metavar="S", help="Which trips.")  # fmt: skip
@json_option
@click.pass_obj
def bench_quality(output: Output, requests: int, seed: int) -> None:
    """Plan drawn trips over the seed catalogue by the built-in planner, and rate the plans.

    Each is a run as any other, one after the other, in a database of its own that is dropped at
    the end. Points are popularity, interests served and must-sees; the bound forgets ways, hours
    within a day and the budget.
    """
    settings = read_settings()
    with show_progress("planning") as on_progress, open_database(settings) as url:
        report = asyncio.run(run_quality_bench(url, settings, (requests, seed), on_progress))
    output.show(report, "\n".join(describe_quality(report)))


@bench.command("sense")
@click.option("--itineraries", "source", type=click.Path(exists=True, dir_okay=False, path_type=Path),
              default=None, help="Published trips, one JSON object a line; else no consensus.")  # fmt: skip
@click.option("--date", type=click.DateTime(["%Y-%m-%d"]), default="2026-05-12",
              show_default=True, help="When the trips begin.")  # fmt: skip
@click.option("--days", type=click.IntRange(1, 30), default=3,
              show_default=True, metavar="N", help="How long they are.")  # fmt: skip
@click.option("--city", "cities", multiple=True, type=click.Choice(sorted(ORIGINS)), metavar="ID",
              help="Where they go; may be repeated.  [default: all sixteen]")  # fmt: skip
@json_option
@click.pass_obj
def bench_sense(
    output: Output,
    source: Path | None,
    date: dt.datetime,
    days: int,
    cities: tuple[str, ...],
) -> None:
    """Plan three tastes of each city by the built-in planner, and count what a local would look at.

    In a database of its own that is dropped at the end.
    """
    settings = read_settings()
    trips = source.read_text(encoding="utf-8").splitlines() if source else []
    asked = (date.date(), days, cities or tuple(sorted(ORIGINS)))
    with show_progress("planning") as on_progress, open_database(settings) as url:
        report = asyncio.run(run_sense_bench(url, settings, asked, trips, on_progress))
    output.show(report, "\n".join(describe_sense(report)))


@bench.command("runs")
@click.argument("names", nargs=-1, metavar="[SCENARIO]...",
                type=click.Choice([scenario.name for scenario in SCENARIOS]))  # fmt: skip
@click.option("--scale", type=click.FloatRange(0.01, 1), default=1.0, show_default=True,
              help="A part of the full size; demands on time hold at full size only.")  # fmt: skip
@json_option
@click.pass_obj
@click.pass_context
def bench_runs(
    context: click.Context, output: Output, names: tuple[str, ...], scale: float
) -> None:
    """Queue, kill, restart, read along, compare: each scenario on a PostgreSQL and processes of its own.

    Scenarios: throughput, wide, kills, readers, overhead; all unless named. Status 1 where something
    is missed that one demands. The comparison with other loops needs the extra 'bench'.
    """
    reports = []
    for scenario in SCENARIOS:
        if not names or scenario.name in names:
            with show_progress(scenario.name):
                report = asyncio.run(scenario.measure(scale))
            reports.append(report)
            output.say("\n".join(report.describe()))
    if output.is_json:
        output.show({"items": [report.as_json() for report in reports]}, "")
    context.exit(0 if all(report.is_met for report in reports) else FAILED)


class _Seconds(click.ParamType[tuple[float, ...]]):
    """Numbers of seconds, separated by commas."""

    name = "seconds"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        """Each number from 0.1 to 3600."""
        try:
            numbers = tuple(float(part) for part in value.split(","))
        except ValueError:
            self.fail(f"{quote(value)} is no list of seconds such as 1,5", param, ctx)
        if not all(0.1 <= number <= 3600 for number in numbers):
            self.fail(f"{quote(value)}: seconds lie between 0.1 and 3600", param, ctx)
        return tuple(dict.fromkeys(numbers))


@bench.command("planner")
@click.argument(
    "folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path)
)
@click.option("--best", "best", metavar="FILE.csv",
              type=click.Path(exists=True, dir_okay=False, path_type=Path),
              help="Best known values: instance,m,best.  [default: best.csv in DIR]")  # fmt: skip
@click.option("--seconds", type=_Seconds(), default="1", show_default=True, metavar="S[,S…]",
              help="Time for each instance, by the wall clock.")  # fmt: skip
@json_option
@click.pass_obj
def bench_planner(
    output: Output, folder: Path, best: Path | None, seconds: tuple[float, ...]
) -> None:
    """Solve the orienteering instances in DIR and compare with the best known values.

    Gaps are percents of the best value. An instance without a best value is solved for one tour
    and is not in the mean. One thread.
    """
    results = []
    output.say(f"{'instance':<10}{'m':>3}{'seconds':>9}{'value':>8}{'best':>8}{'gap %':>8}")
    for result in measure(list_tasks(folder, best), seconds):
        results.append(result)
        output.say(_describe(result))
    for limit in seconds:
        mean = average(results, limit)
        output.say(f"mean gap in {limit:g} s: {'none' if mean is None else f'{mean:.2f} %'}")
    if output.is_json:
        output.show([result.as_json() for result in results], "")


def _describe(result: Result) -> str:
    best = "-" if result.best is None else str(result.best)
    gap = "-" if result.gap is None else f"{result.gap:.2f}"
    return (
        f"{result.instance:<10}{result.m:>3}{result.seconds:>9g}{result.value:>8}{best:>8}{gap:>8}"
    )

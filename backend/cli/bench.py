"""`waypool bench`: measure the product on this machine."""

import asyncio
from pathlib import Path

import click

from backend.bench.planner import Result, average, list_tasks, measure
from backend.bench.pool import describe_report, run_pool_bench
from backend.bench.quality import describe_quality, run_quality_bench
from backend.bench.runs.scenarios import SCENARIOS
from backend.cli.bench_loop import bench_loop
from backend.cli.bench_pages import bench_pages
from backend.cli.bench_replay import bench_replay
from backend.cli.bench_results import bench_context, bench_results
from backend.cli.output import FAILED, Output, json_option
from backend.db.connect import open_database
from backend.settings import read_settings
from backend.text import quote


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
    with open_database(read_settings()) as url:
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
    with open_database(settings) as url:
        report = asyncio.run(run_quality_bench(url, settings, requests, seed))
    output.show(report, "\n".join(describe_quality(report)))


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

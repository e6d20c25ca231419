"""`waypool bench`: measure the product on this machine."""

import asyncio

import click

from backend.bench.pool import describe_report, run_pool_bench
from backend.cli.output import Output, json_option
from backend.db.connect import open_database
from backend.settings import read_settings


@click.group()
def bench() -> None:
    """Measure how long things take here, each beside what it is compared with."""


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

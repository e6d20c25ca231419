"""`waypool bench results`: what large results cost, in time, memory and context."""

import asyncio

import click

from backend.bench.results import describe_results, run_results_bench
from backend.cli.output import Output, json_option
from backend.db.connect import open_database
from backend.settings import read_settings


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
    with open_database(read_settings()) as url:
        report = asyncio.run(run_results_bench(url, rows, reads))
    output.show(report, "\n".join(describe_results(report)))

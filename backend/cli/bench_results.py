"""`waypool bench results` and `waypool bench context`: what large results cost, and what they save."""

import asyncio

import click

from backend.bench.context.report import describe_context, run_context_bench
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
    with open_database(settings) as url:
        report = asyncio.run(run_context_bench(url, settings, seed))
    output.show(report, "\n".join(describe_context(report)))

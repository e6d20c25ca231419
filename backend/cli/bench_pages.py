"""`waypool bench pages`: how soon the console's pages come."""

import asyncio

import click

from backend.bench.pages.measure import measure_pages
from backend.cli.output import FAILED, Output, json_option
from backend.console.app import list_page_paths


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
    report = asyncio.run(measure_pages(list_page_paths(), requests, runs))
    output.show(report.as_json(), "\n".join(report.describe()))
    context.exit(0 if report.is_met else FAILED)

"""`waypool bench replay`: runs exported, and verified where there is no database."""

import asyncio
from pathlib import Path

import click

from backend.bench.replays.report import Wanted, describe_replays, run_replay_bench
from backend.cli.output import FAILED, Output, json_option
from backend.db.connect import open_database
from backend.settings import read_settings


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
    with open_database(settings) as url:
        report = asyncio.run(run_replay_bench(url, settings, wanted, keep))
    output.show(report, "\n".join(describe_replays(report)))
    context.exit(FAILED if report["differences"] else 0)

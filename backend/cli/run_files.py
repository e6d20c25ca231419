"""`waypool runs export|diff|bisect`: a run as a file that replays anywhere, and two runs side by side."""

import asyncio

import click

from backend.agent.replies import dump_json
from backend.cli.output import Output, json_option, write_text
from backend.cli.replay import load_run
from backend.replay.bisect import bisect_runs, write_causes
from backend.replay.redaction import redact
from backend.replay.run_diff import diff_runs, write_diff


@click.command()
@click.argument("run_id", metavar="RUN")
@click.option("--redact", "is_redacted", is_flag=True, help="Tokens for the traveller's words.")
@click.option(
    "--output", "-o", "target", default="-", show_default=True, metavar="FILE", help="'-': stdout."
)
def export(run_id: str, is_redacted: bool, target: str) -> None:
    """Write a run as JSON: snapshot, log, results behind handles, result, hashes; no secrets.

    It replays without a database. RUN may be a file too, to redact it.
    """
    whole = load_run(run_id)
    bare = asyncio.run(redact(whole)) if is_redacted else whole
    write_text(target, dump_json(bare.document))


@click.command("diff")
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@json_option
@click.pass_obj
def diff_command(output: Output, one: str, other: str) -> None:
    """Show what differs between two runs, or exports of runs.

    Request, parameters, pool, calls, plan by day, tokens and cost.
    """
    found = diff_runs(load_run(one), load_run(other))
    output.show(found, lambda: write_diff(found))


@click.command("bisect")
@click.argument("one", metavar="A")
@click.argument("other", metavar="B")
@json_option
@click.pass_obj
def bisect_command(output: Output, one: str, other: str) -> None:
    """Say which recorded input alone makes the plans of two runs differ.

    Code, request, catalogue, each parameter, return limits, the model's replies.
    """
    causes = asyncio.run(bisect_runs(load_run(one), load_run(other)))
    document = {"causes": [cause.as_json() for cause in causes]}
    output.show(document, lambda: write_causes(causes))

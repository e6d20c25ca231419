"""`waypool runs export`: a run as a file that replays anywhere."""

import asyncio

import click

from backend.agent.replies import dump_json
from backend.cli.output import write_text
from backend.cli.replay import load_run
from backend.replay.redaction import redact


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

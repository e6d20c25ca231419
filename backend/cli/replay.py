"""`waypool replay`: what a run did, checked byte for byte, step by step, or done again with a change."""

import asyncio
import re
from pathlib import Path

import click

from backend.bootstrap import make_store
from backend.cli.database import with_engine
from backend.cli.output import FAILED, Output, json_option, read_json, warn
from backend.db.session import Engine
from backend.replay.building import build_export
from backend.replay.export import RunExport, read_export
from backend.replay.playback import DifferenceError, play_back
from backend.replay.transcript import show_turns, write_turn
from backend.replay.verify import Verification, verify
from backend.settings import read_settings

_RUN_ID = re.compile(r"run_[0-9a-z]{26}")


def load_run(source: str) -> RunExport:
    """The export in a file, or that of the run with this id; `-` is standard input."""
    if _RUN_ID.fullmatch(source) and not Path(source).exists():
        settings = read_settings()

        async def work(engine: Engine) -> RunExport:
            return await build_export(engine, make_store(settings, engine), source, None)

        return with_engine(work, settings)
    return read_export(read_json(source))


@click.command()
@click.argument("source", metavar="RUN|FILE")
@click.option("--until", type=click.IntRange(1), metavar="STEP", help="Play to this step.")
@json_option
@click.pass_obj
@click.pass_context
def replay(context: click.Context, output: Output, source: str, until: int | None) -> None:
    """Verify a run, or what was exported of one.

    The pool is computed again by the rules, the recorded replies drive the real tools; outcomes and
    itinerary must come out byte for byte. The first difference is shown, and the exit status is 1.

    With --until STEP it shows instead what the model saw at each turn to there.
    """
    export = load_run(source)
    if until is not None:
        _show_turns(output, export, until)
        return
    verification = asyncio.run(verify(export))
    output.show(verification.as_json(), lambda: _describe(verification))
    context.exit(0 if verification.is_same else FAILED)


def _show_turns(output: Output, export: RunExport, until: int) -> None:
    try:
        seen = asyncio.run(play_back(export, until=until))
    except DifferenceError as error:
        warn(f"it differs from the recording: {error.message}")
        raise
    turns = list(show_turns(seen.turns))
    output.show({"turns": turns}, lambda: "\n\n".join(map(write_turn, turns)) or "no turn to there")


def _describe(verification: Verification) -> str:
    redacted = " (a redacted export)" if verification.is_redacted else ""
    if verification.difference is None:
        taken = f", {verification.recorded} from outside" if verification.recorded else ""
        return (
            f"{verification.run_id}{redacted}: the same byte for byte;"
            f" {verification.computed} calls computed again{taken}"
        )
    difference = verification.difference
    return f"{verification.run_id}{redacted}: {verification.check} differ at {difference}"

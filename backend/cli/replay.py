"""`waypool replay`: what a run did, checked byte for byte, step by step, or done again with a change."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import click

from backend.bootstrap import make_store
from backend.cli.database import with_engine
from backend.cli.itinerary_text import print_result
from backend.cli.limit_option import limit_option
from backend.cli.output import FAILED, Output, json_option, read_json, warn
from backend.cli.param_option import param_option
from backend.cli.replay_live import replay_file, replay_stored
from backend.db.session import Engine
from backend.params.registry import ParamValue
from backend.replay.building import build_export
from backend.replay.export import RunExport, read_export
from backend.replay.live import Change
from backend.replay.playback import DifferenceError, Seen, play_back
from backend.replay.transcript import show_turns, write_turn
from backend.replay.verify import Verification, verify
from backend.settings import read_settings

_RUN_ID = re.compile(r"run_[0-9a-z]{26}")


def is_run_id(source: str) -> bool:
    """Whether a stored run is meant, and no file."""
    return _RUN_ID.fullmatch(source) is not None and not Path(source).exists()


def load_run(source: str) -> RunExport:
    """The export in a file, or that of the run with this id; `-` is standard input."""
    if is_run_id(source):
        settings = read_settings()

        async def work(engine: Engine) -> RunExport:
            return await build_export(engine, make_store(settings, engine), source, None)

        return with_engine(work, settings)
    return read_export(read_json(source))


@click.command()
@click.argument("source", metavar="RUN|FILE")
@click.option("--until", type=click.IntRange(1), metavar="STEP", help="Play to this step.")
@click.option("--step", "is_stepped", is_flag=True, help="Turn by turn, a key for the next.")
@click.option("--live", "is_live", is_flag=True, help="Plan again on the run's snapshot.")
@click.option("--planner", type=click.Choice(["builtin", "openai"]), help="Who plans; live.")
@click.option("--model", metavar="M", help="Another language model; live.")
@click.option("--base-url", metavar="U", help="Its address; live, and only with --model.")
@param_option
@limit_option
@json_option
@click.pass_obj
@click.pass_context
def replay(
    context: click.Context,
    output: Output,
    source: str,
    until: int | None,
    is_stepped: bool,
    is_live: bool,
    planner: Literal["builtin", "openai"] | None,
    model: str | None,
    base_url: str | None,
    params: dict[str, ParamValue],
    limits: dict[str, int],
) -> None:
    """Verify a run, or what was exported of one; or plan it again with something changed.

    Verify: the pool is computed again by the rules, the recorded replies drive the real tools;
    outcomes and itinerary must come out byte for byte. The first difference is shown, exit status 1.

    --until STEP shows instead what the model saw at each turn to there, with the ledger; --step
    all turns, one at a time.

    --live, or any of --planner, --model, --param, --limit: a new run on the same snapshot, stored
    beside the original; of a FILE it is only printed.
    """
    change = Change(planner, model, params, limits)
    if base_url is not None and model is None:
        raise click.UsageError("--base-url needs --model")
    if planner == "builtin" and model is not None:
        raise click.UsageError("--planner builtin asks no model; leave --model or --planner out")
    if is_live or change != Change():
        if until is not None or is_stepped:
            raise click.UsageError("--until and --step show the recorded run; it cannot be live")
        result = (
            replay_stored(source, change, base_url)
            if is_run_id(source)
            else replay_file(load_run(source), change, base_url)
        )
        if output.is_json:
            output.show(result, "")
        else:
            print_result(output.console, result)
        context.exit(FAILED if result["status"] == "failed" else 0)
    export = load_run(source)
    if until is not None or is_stepped:
        context.exit(_show_turns(output, export, until, is_stepped=is_stepped))
    verification = asyncio.run(verify(export))
    output.show(verification.as_json(), lambda: _describe(verification))
    context.exit(0 if verification.is_same else FAILED)


def _show_turns(output: Output, export: RunExport, until: int | None, *, is_stepped: bool) -> int:
    """The turns as far as the replay comes; the exit status, 1 where it differs from the recording."""
    seen, difference = Seen(), None
    try:
        asyncio.run(play_back(export, until=until, seen=seen))
    except DifferenceError as error:
        difference = error.difference
    turns = list(show_turns(seen))
    if output.is_json:
        output.show({"turns": turns, "difference": difference and difference.as_json()}, "")
    elif is_stepped:
        _walk(output, turns)
    else:
        told = [write_turn(turn, is_last=turn is turns[-1]) for turn in turns]
        output.say("\n\n".join(told) or "no turn to there")
    if difference is not None and not output.is_json:
        warn(f"here it differs from the recording: {difference}")
    return 0 if difference is None else FAILED


def _walk(output: Output, turns: Sequence[dict[str, Any]]) -> None:
    """One turn at a time; where nobody sits at a terminal, all at once."""
    for n, turn in enumerate(turns, 1):
        output.say(write_turn(turn, is_last=n == len(turns)))
        if n < len(turns):
            click.pause(f"── {n} of {len(turns)} turns; any key for the next, Ctrl+C to end")


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

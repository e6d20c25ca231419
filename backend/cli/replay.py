"""`waypool replay`: what a run did, checked byte for byte, step by step, or done again with a change.

Carries a live replay out: of a stored run as a stored run, of a file in memory.
"""

import asyncio
import re
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Literal

import click

from backend.agent.builtin_planner import REVISION_PHASES, BuiltinPlanner
from backend.agent.llm import LlmClient
from backend.bootstrap import make_models, make_planners, make_store
from backend.cli.database import with_engine
from backend.cli.itinerary_text import print_result
from backend.cli.options import limit_option, param_option
from backend.cli.output import FAILED, Output, json_option, read_json, show_progress, warn
from backend.db.session import Engine
from backend.errors import ConfigurationError
from backend.params.registry import ParamValue
from backend.pool.plan_request import PlannerChoice
from backend.replay.export import RunExport, read_export
from backend.replay.live import Change, build_export, run_live, start_live
from backend.replay.playback import DifferenceError, Seen, play_back, show_turns, write_turn
from backend.replay.verify import UNKNOWN_MAKER, OtherVersion, Verification, verify
from backend.runs.life.result import show_run
from backend.runs.log.queries import hold_run
from backend.runs.work.workflow import advance_run
from backend.settings import Settings, read_settings


def choose_settings(change: Change, base_url: str | None) -> Settings:
    """The settings, with the model and the address of this once."""
    given = {"model": change.model, "openai_base_url": base_url}
    settings = read_settings()
    return settings.model_copy(update={key: value for key, value in given.items() if value})


def replay_stored(run_id: str, change: Change, base_url: str | None) -> dict[str, Any]:
    """The result of a new run on a stored run's snapshot."""
    settings = choose_settings(change, base_url)

    async def work(engine: Engine) -> dict[str, Any]:
        child = await start_live(engine, None, run_id, None, change)
        planners = make_planners(settings, make_store(settings, engine))
        async with hold_run(engine, child):
            await advance_run(engine, planners, child)
        return (await show_run(engine, child, None)).as_json()

    return with_engine(work, settings)


def replay_file(export: RunExport, change: Change, base_url: str | None) -> dict[str, Any]:
    """The result of a run in memory; nothing is stored."""
    settings = choose_settings(change, base_url)

    async def work() -> RunExport:
        used: PlannerChoice = export.result.get("planner_used") or "builtin"
        if change.choose_planner(used) != "openai":
            is_revision = any(step.kind == "revision_begun" for step in export.steps)
            planner = BuiltinPlanner(REVISION_PHASES) if is_revision else BuiltinPlanner()
            return await run_live(export, change, planner)
        async with _open_model(settings, change.model) as llm:
            return await run_live(export, change, llm)

    ended = asyncio.run(work())
    return {
        "id": ended.run["id"],
        "status": ended.run["status"],
        "parent_run_id": export.run["id"],
        "request": ended.snapshot.request.model_dump(mode="json"),
        "snapshot_sha256": ended.snapshot.sha256,
        **ended.result,
    }


def _open_model(settings: Settings, model: str | None) -> AbstractAsyncContextManager[LlmClient]:
    models = make_models(settings)
    if models is None:
        raise ConfigurationError("no language model is configured; set WAYPOOL_MODEL or --model")
    return models.open(model)


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
@click.option("--strict", "is_strict", is_flag=True, help="Only what this Waypool made is good.")
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
    is_strict: bool,
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
    Where another Waypool made the run, the recorded outcomes are taken and all differences are shown,
    exit status 0; with --strict it is 1.

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
        with show_progress("planning again"):
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
    with show_progress("verifying"):
        verification = asyncio.run(verify(export))
    output.show(verification.as_json(), lambda: _describe(verification))
    context.exit(0 if verification.is_good(is_strict=is_strict) else FAILED)


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
    if verification.other is not None:
        return f"{verification.run_id}{redacted}: {_describe_other(verification.other)}"
    if verification.difference is None:
        taken = f", {verification.recorded} from outside" if verification.recorded else ""
        return (
            f"{verification.run_id}{redacted}: the same byte for byte;"
            f" {verification.computed} calls computed again{taken}"
        )
    difference = verification.difference
    return f"{verification.run_id}{redacted}: {verification.check} differ at {difference}"


def _describe_other(other: OtherVersion) -> str:
    made_by = other.made_by
    maker = (
        f"Waypool {made_by.version}, planner revision {made_by.planner_revision}"
        if made_by != UNKNOWN_MAKER
        else "a Waypool that did not say which"
    )
    lines = [f"made by {maker}; the recorded answers hold together"]
    lines += [f"  this one differs at {difference}" for difference in other.differences]
    return "\n".join(lines if other.differences else [f"{lines[0]}, this one gives the same"])

"""`waypool plan` and `waypool ask`: one run from request or sentence to itinerary, without a server."""

import sys
from dataclasses import dataclass

import click

from backend.bootstrap import make_fetcher, make_planners, make_store
from backend.cli.database import with_engine
from backend.cli.itinerary_text import print_result
from backend.cli.options import TENANT, CommandT, export_options, write_exports
from backend.cli.output import FAILED, Output, json_option, read_json, show_progress
from backend.db.session import Engine
from backend.errors import RequestRefusedError
from backend.reading.reading import NeedDocument
from backend.runs.life.admission import check_model
from backend.runs.life.commands import answer_run, start_run
from backend.runs.life.result import RunDocument, show_run
from backend.runs.log.queries import hold_run
from backend.runs.work.workflow import advance_run, open_means
from backend.settings import read_settings
from backend.sources.store import SourceStore


def _run_options(command: CommandT) -> CommandT:
    """The options of every command that plans."""
    for option in (
        click.option("--model", default=None, help="A configured model.  [default: the first]"),
        click.option("--deadline", type=click.IntRange(1, 2**31), default=None, metavar="SECONDS",
                     help="End by then, with what there is.  [default: RUN_DEADLINE_SECONDS]"),
        click.option("--tenant", type=TENANT, default="default", show_default=True,
                     help="Whose run it is."),
    ):  # fmt: skip
        command = option(command)
    return command


@click.command()
@click.option(
    "--request", "source", required=True, metavar="FILE", help="The request as JSON; '-': stdin."
)
@_run_options
@export_options
@json_option
@click.pass_obj
@click.pass_context
def plan(
    context: click.Context,
    output: Output,
    source: str,
    tenant: str,
    deadline: int | None,
    model: str | None,
) -> None:
    """Plan an itinerary and print it; the run is kept as any other."""
    asked = _Asked(read_json(source), tenant, deadline, model)
    with show_progress("planning"):
        result = _plan(context, asked)
    _finish(context, output, result)


@click.command()
@click.argument("text", required=False)
@click.option("--yes", is_flag=True, help="Take the defaults instead of asking.")
@_run_options
@export_options
@json_option
@click.pass_obj
@click.pass_context
def ask(
    context: click.Context,
    output: Output,
    text: str | None,
    *,
    yes: bool,
    tenant: str,
    deadline: int | None,
    model: str | None,
) -> None:
    """Plan from TEXT (or the input) in your own words; what is missing is asked for here.

    Without a terminal the defaults are taken.
    """
    is_told = text is not None and sys.stdin.isatty() and not yes
    said = sys.stdin.read().strip() if text is None else text
    asked = _Asked({"text": said, "ask": is_told}, tenant, deadline, model)
    _finish(context, output, _plan(context, asked))


@dataclass(frozen=True)
class _Asked:
    """A body, and what is wished for beside it."""

    raw: object
    tenant: str
    deadline: int | None
    model: str | None


def _plan(context: click.Context, asked: _Asked) -> RunDocument:
    settings = read_settings()

    async def work(engine: Engine) -> RunDocument:
        async with open_means(engine) as means:
            sources = SourceStore(means.statements, make_fetcher(settings, engine))
            planners = make_planners(settings, make_store(settings, engine), sources)
            check_model(asked.model, planners.model_names)
            started = await start_run(
                engine,
                None,
                asked.tenant,
                asked.raw,
                deadline_seconds=asked.deadline,
                model=asked.model,
                has_model=bool(planners.models),
            )
            while True:
                if context.command is ask:
                    await _ask_back(engine, started.run_id, asked.tenant)
                async with hold_run(engine, started.run_id):  # one with questions stays as it is
                    await advance_run(engine, planners, started.run_id, means=means)
                result = await show_run(engine, started.run_id, asked.tenant)
                if not (result.needs and context.command is ask):  # a model may have read the text
                    break
        if result.itinerary:
            await write_exports(context, engine, started.run_id)
        return result

    return with_engine(work, settings)


async def _ask_back(engine: Engine, run_id: str, tenant: str) -> None:
    """Ask until the answers are sound; Ctrl-C leaves the run with its questions."""
    while (run := await show_run(engine, run_id, tenant)).needs:
        answers = [{"field": need.field, "value": _prompt(need)} for need in run.needs]
        try:
            await answer_run(engine, None, run_id, tenant, {"answers": answers})
        except RequestRefusedError as refused:
            for fault in refused.faults:
                click.echo(fault.message, err=True)


def _prompt(need: NeedDocument) -> str:
    choices = ", ".join(str(choice) for choice in need.choices[:12])
    hint = f" ({choices})" if choices else ""
    return str(click.prompt(f"{need.question}{hint}", default=str(need.default), err=True))


def _finish(context: click.Context, output: Output, result: RunDocument) -> None:
    if output.is_json:
        output.show(result, "")
    else:
        print_result(output.console, result.as_json())
    context.exit(FAILED if result.status == "failed" else 0)

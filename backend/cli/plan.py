"""`waypool plan`: one run from request to itinerary, without a server."""

import click

from backend.bootstrap import make_fetcher, make_planners, make_store
from backend.cli.database import with_engine
from backend.cli.itinerary_text import print_result
from backend.cli.options import TENANT, export_options, write_exports
from backend.cli.output import FAILED, Output, json_option, read_json, show_progress
from backend.db.session import Engine
from backend.runs.life.admission import check_model
from backend.runs.life.commands import start_run
from backend.runs.life.result import RunDocument, show_run
from backend.runs.log.queries import hold_run
from backend.runs.work.workflow import advance_run, open_means
from backend.settings import read_settings
from backend.sources.store import SourceStore


@click.command()
@click.option(
    "--request", "source", required=True, metavar="FILE", help="The request as JSON; '-': stdin."
)
@click.option(
    "--tenant", type=TENANT, default="default", show_default=True, help="Whose run it is."
)
@click.option("--deadline", type=click.IntRange(1, 2**31), default=None, metavar="SECONDS",
              help="End by then, with what there is.  [default: RUN_DEADLINE_SECONDS]")  # fmt: skip
@click.option("--model", default=None, help="A configured model.  [default: the first]")
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
    raw = read_json(source)
    settings = read_settings()

    async def work(engine: Engine) -> RunDocument:
        async with open_means(engine) as means:
            sources = SourceStore(means.statements, make_fetcher(settings, engine))
            planners = make_planners(settings, make_store(settings, engine), sources)
            check_model(model, planners.model_names)
            started = await start_run(
                engine, None, tenant, raw, deadline_seconds=deadline, model=model
            )
            async with hold_run(engine, started.run_id):  # one with questions stays as it is
                await advance_run(engine, planners, started.run_id, means=means)
        result = await show_run(engine, started.run_id, tenant)
        if result.itinerary:
            await write_exports(context, engine, started.run_id)
        return result

    with show_progress("planning"):
        result = with_engine(work, settings)
    if output.is_json:
        output.show(result, "")
    else:
        print_result(output.console, result.as_json())
    context.exit(FAILED if result.status == "failed" else 0)

"""`waypool bench loop`: how configured language models do the job."""

from functools import partial
from typing import Any

import click

from backend.bench.loop import describe_loop, measure_loop
from backend.bootstrap import make_models
from backend.cli.database import with_engine
from backend.cli.output import Output, json_option, read_json
from backend.db.session import Engine, transaction
from backend.errors import ConfigurationError
from backend.params.queries import read_params
from backend.pool.request_faults import resolve_request
from backend.pool.service import CandidatePoolService
from backend.settings import read_settings


@click.command("loop")
@click.option("--request", "source", required=True, metavar="FILE",
              help="The trip to plan, as JSON; '-': stdin.")  # fmt: skip
@click.option("--model", "names", multiple=True, metavar="NAME",
              help="A configured model; may be repeated.  [default: all]")  # fmt: skip
@click.option("--runs", type=click.IntRange(1, 1000), default=1, show_default=True,
              help="Trips by each model.")  # fmt: skip
@json_option
@click.pass_obj
def bench_loop(output: Output, source: str, names: tuple[str, ...], runs: int) -> None:
    """Let configured models plan a trip: turns, invalid calls, tokens, seconds, and the end.

    The pool comes from the catalogue; nothing is stored. The built-in planner takes over where a
    model stops short, as in a run.
    """
    settings = read_settings()
    models = make_models(settings)
    if models is None:
        raise ConfigurationError("no language model is configured; set WAYPOOL_MODEL")
    for name in names:
        models.find(name)
    raw = read_json(source)

    async def work(engine: Engine) -> list[dict[str, Any]]:
        async with transaction(engine) as session:
            params = await read_params(session)
            request = await resolve_request(session, raw, params)
            snapshot = await CandidatePoolService(session).build(request, params)
        measured = []
        for name in names or models.names:
            for _ in range(runs):
                run = await measure_loop(snapshot, partial(models.open, name))
                measured.append({"model": name, **run.as_json()})
        return measured

    report = {"items": with_engine(work, settings), "next_cursor": None}
    output.show(report, "\n".join(describe_loop(report)))

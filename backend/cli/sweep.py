"""`waypool sweep`: the same requests under many settings, and which settings are worth having."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import click
from rich.box import SIMPLE
from rich.table import Table

from backend.bench.sweep import (
    Outcome,
    Setting,
    combine,
    draw_sweep,
    group_work,
    name_params,
    run_work,
    summarize,
)
from backend.cli.database import with_engine
from backend.cli.options import read_rows
from backend.cli.output import (
    OnProgress,
    Output,
    json_option,
    read_json,
    show_progress,
    warn,
    write_text,
)
from backend.db.session import Engine, Session, transaction
from backend.errors import ConfigurationError, NotFoundError, RequestRefusedError
from backend.params.queries import read_params
from backend.params.registry import ParamValue, find_param, parse_value
from backend.pool.request_faults import resolve_request
from backend.pool.service import CandidatePoolService
from backend.runs.log.queries import list_runs
from backend.tools.registry import get_tool

_LAST = re.compile(r"last:([0-9]{1,4})")
MAX_SETTINGS = 200


def _split(text: str) -> tuple[str, list[str]]:
    name, equals, values = text.partition("=")
    if not equals or not values:
        raise click.BadParameter(f"{text!r} is not of the form NAME=VALUE,VALUE,…")
    return name.strip(), values.split(",")


def read_param_choices(
    _context: click.Context, _option: click.Parameter, texts: tuple[str, ...]
) -> dict[str, list[ParamValue]]:
    """Values to try by key, checked; star bands separate their stars by '+'."""
    choices = {}
    for key, values in map(_split, texts):
        param = find_param(key)
        if param.key in choices:
            raise click.BadParameter(f"{param.key} is given twice; join its values by commas")
        choices[param.key] = [parse_value(param, value.replace("+", ",")) for value in values]
    return choices


def read_limit_choices(
    _context: click.Context, _option: click.Parameter, texts: tuple[str, ...]
) -> dict[str, list[int]]:
    """Return limits to try by tool, checked."""
    return {
        name: [read_rows(get_tool(name), value) for value in values]
        for name, values in map(_split, texts)
    }


@click.command()
@click.option(
    "--param",
    "params",
    multiple=True,
    metavar="KEY=V,V,…",
    callback=read_param_choices,
    help="Values of a parameter to try, e.g. POOL_POI_SIZE=20,40,60; may be repeated.",
)
@click.option(
    "--limit",
    "limits",
    multiple=True,
    metavar="TOOL=N,N,…",
    callback=read_limit_choices,
    help="Return limits of a tool to try, e.g. list_pois=10,25,50; may be repeated.",
)
@click.option(
    "--runs",
    "source",
    default="last:50",
    show_default=True,
    metavar="last:N|FILE",
    help="The requests of the last runs (no replays), or a JSON list of requests.",
)
@click.option("--processes", type=click.IntRange(1, 64), help="Default: one a core.")
@click.option("--svg", "picture", metavar="FILE", help="Also draw the outcomes.")
@json_option
@click.pass_obj
def sweep(
    output: Output,
    params: dict[str, list[ParamValue]],
    limits: dict[str, list[int]],
    source: str,
    processes: int | None,
    picture: str | None,
) -> None:
    """Plan past requests again with the built-in planner under every combination of settings.

    On today's catalogue; nothing is stored. A setting is efficient where no other has as few errors,
    as many plans, profit and must-sees for as few tokens.
    """
    settings = combine(params, limits)
    if len(settings) > MAX_SETTINGS:
        raise click.UsageError(f"{len(settings)} settings are too many: at most {MAX_SETTINGS}")
    with show_progress("building pools") as on_progress:
        pools = with_engine(lambda engine: build_pools(engine, source, settings, on_progress))
    work = list(group_work(settings, pools))
    with show_progress("planning") as on_progress:
        outcomes = summarize(settings, run_work(work, processes, on_progress))
    if picture is not None:
        write_text(picture, draw_sweep(outcomes))
    document = {"requests": len(pools), "items": [outcome.as_json() for outcome in outcomes]}
    if output.is_json:
        output.show(document, "")
    else:
        output.console.print(_tabulate(settings, outcomes))


async def build_pools(
    engine: Engine, source: str, settings: Sequence[Setting], on_progress: OnProgress
) -> list[dict[str, str]]:
    """Snapshots of each request by the parameters of the settings; without reserve, it is not read.

    A request that today's catalogue refuses is left out and told of, unless it is the only one.
    """
    async with transaction(engine) as session:
        today = await read_params(session)
        requests = await _read_requests(session, source)
        chosen = {name_params(setting): setting.params for setting in settings}
        pools = []
        for n, raw in enumerate(requests, 1):
            try:
                pools.append(await _build_pools_of(session, raw, today, chosen))
            except RequestRefusedError as error:
                if len(requests) == 1:
                    raise
                first = error.faults[0]
                warn(f"request {n} is left out: {first.pointer}: {first.message}")
            on_progress(n, len(requests))
    if not pools:
        raise ConfigurationError(f"none of the {len(requests)} requests can be planned today")
    return pools


async def _build_pools_of(
    session: Session,
    raw: Mapping[str, Any],
    today: Mapping[str, ParamValue],
    chosen: Mapping[str, Mapping[str, ParamValue]],
) -> dict[str, str]:
    made = {}
    for name, params in chosen.items():
        values = {**today, "POOL_RESERVE_SIZE": 0, **params}
        request = await resolve_request(session, raw, values)
        made[name] = (await CandidatePoolService(session).build(request, values)).as_text()
    return made


async def _read_requests(session: Session, source: str) -> Sequence[Mapping[str, Any]]:
    if match := _LAST.fullmatch(source):
        last = await list_runs(session, None, int(match[1]), is_asked=True)
        found = [run.request for run in last]
        if not found:
            raise NotFoundError("no runs yet; give a file of requests")
        return found
    value = read_json(source)
    if not isinstance(value, list) or not value:
        raise ConfigurationError(f"{source} must be a JSON list of requests")
    return value


def _tabulate(settings: Sequence[Setting], outcomes: Sequence[Outcome]) -> Table:
    """A column for each thing that was varied: a setting's whole name is wider than most windows."""
    table = Table(box=SIMPLE, pad_edge=False, show_edge=False)
    varied = [*settings[0].params, *settings[0].limits]
    for column in ("", *varied):
        table.add_column(column.replace("_", "_\n"))
    for column in ("errors", "plans", "profit", "must-\nsees", "calls", "tokens", "seconds"):
        table.add_column(column, justify="right", no_wrap=True)
    for setting, o in zip(settings, outcomes, strict=True):
        values = {**setting.params, **setting.limits}
        table.add_row(
            "*" if o.is_efficient else "",
            *(str(values[key]) for key in varied),
            str(o.errors),
            f"{o.delivered:.0%}",
            f"{o.profit:.0f}",
            f"{o.must_sees:.0%}",
            f"{o.calls:.1f}",
            f"{o.tokens:,.0f}",
            f"{o.seconds:.2f}",
        )
    table.caption = "* on the efficient frontier"
    return table

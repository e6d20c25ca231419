"""Options of commands that show a result: write its plan as calendar, map or Markdown too."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from backend.cli.output import write_text
from backend.db.session import Engine
from backend.planner.exports.formats import FORMATS
from backend.runs.exporting import read_delivered

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

_KEY = "waypool.exports"


def export_options(command: CommandT) -> CommandT:
    """`--ics FILE`, `--geojson FILE`, `--markdown FILE`."""

    def remember(context: click.Context, option: click.Parameter, value: str | None) -> None:
        if value is not None and option.name is not None:
            context.meta.setdefault(_KEY, {})[option.name] = value

    for form in reversed(FORMATS):
        command = click.option(
            f"--{form.option}",
            metavar="FILE",
            expose_value=False,
            callback=remember,
            help=f"Write {form.name} there too.",
        )(command)
    return command


async def write_exports(context: click.Context, engine: Engine, run_id: str) -> None:
    """The files that the command line asks for."""
    wanted: dict[str, str] = context.meta.get(_KEY, {})
    if not wanted:
        return
    delivered = await read_delivered(engine, run_id, None)
    for form in FORMATS:
        if form.option in wanted:
            write_text(wanted[form.option], form.write(delivered))

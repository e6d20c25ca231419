"""The option `--param KEY=VALUE` of commands that try parameters without setting them.

The option `--limit TOOL=N` of commands that try return limits without setting them.

The type of `--tenant`: names that an empty shell variable or a slip of the keys does not make.

The option `--cursor` of lists whose pages go by ids: a slip of the keys is no empty page.

Options of commands that show a result: write its plan as calendar, map or Markdown too.
"""

import re
from collections.abc import Callable
from typing import Any, TypeVar

import click

from backend.cli.output import write_text
from backend.db.session import Engine
from backend.ids import is_id
from backend.params.registry import ParamValue, find_param, parse_value
from backend.planner.exports.formats import FORMATS
from backend.runs.life.result import read_delivered
from backend.text import quote
from backend.tools.registry import check_limit, get_tool
from backend.tools.tool import Tool

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


def read_params_given(
    _context: click.Context, _option: click.Parameter, texts: tuple[str, ...]
) -> dict[str, ParamValue]:
    """Values by key, checked against type and bounds."""
    values = {}
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals:
            raise click.BadParameter(f"{quote(text)} is not of the form KEY=VALUE")
        param = find_param(key.strip())
        if param.key in values:
            raise click.BadParameter(f"{param.key} is given twice; give it once")
        values[param.key] = parse_value(param, value)
    return values


def param_option(command: CommandT) -> CommandT:
    """Adds `--param`, which may be repeated; the command gets `params`, a mapping."""
    option = click.option(
        "--param",
        "params",
        multiple=True,
        metavar="KEY=VALUE",
        callback=read_params_given,
        help="Use this value for this once, e.g. POOL_POI_SIZE=20; may be repeated.",
    )
    return option(command)


MAX_DIGITS = 10


def read_limits_given(
    _context: click.Context, _option: click.Parameter, texts: tuple[str, ...]
) -> dict[str, int]:
    """Return limits by tool, checked against their bounds."""
    limits = {}
    for text in texts:
        name, equals, rows = text.partition("=")
        if not equals:
            raise click.BadParameter(f"{quote(text)} is not of the form TOOL=N")
        tool = get_tool(name.strip())
        if tool.name in limits:
            raise click.BadParameter(f"{tool.name} is given twice; give it once")
        limits[tool.name] = read_rows(tool, rows)
    return limits


def read_rows(tool: Tool[Any], text: str) -> int:
    """A return limit of that tool, given as text."""
    text = text.strip()
    is_number = text.isdecimal() and len(text) < MAX_DIGITS
    return check_limit(tool, int(text) if is_number else text)


def limit_option(command: CommandT) -> CommandT:
    """Adds `--limit`, which may be repeated; the command gets `limits`, rows by tool."""
    option = click.option(
        "--limit",
        "limits",
        multiple=True,
        metavar="TOOL=N",
        callback=read_limits_given,
        help="Use this return limit for this once, e.g. list_pois=5; may be repeated.",
    )
    return option(command)


_NAME = re.compile(r"[^\s\x00-\x1f\x7f]{1,100}")


class TenantName(click.ParamType[str]):
    """1 to 100 characters without white space."""

    name = "tenant"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name as it is."""
        if not _NAME.fullmatch(value):
            self.fail("a tenant's name has 1 to 100 characters and no white space", param, ctx)
        return value


TENANT = TenantName()


class CursorType(click.ParamType[str]):
    """An id of that prefix, as a page's `next_cursor` gives it."""

    name = "cursor"

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The id as it is."""
        if not is_id(self._prefix, value):
            self.fail(f"{quote(value)} is no cursor: take 'next_cursor' of a page", param, ctx)
        return value


def cursor_option(prefix: str) -> Callable[[CommandT], CommandT]:
    """Adds `--cursor`."""
    return click.option(
        "--cursor",
        type=CursorType(prefix),
        default=None,
        help="'next_cursor' of the page before.",
    )


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

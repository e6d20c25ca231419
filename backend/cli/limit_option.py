"""The option `--limit TOOL=N` of commands that try return limits without setting them."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from backend.text import quote
from backend.tools.registry import check_limit, get_tool
from backend.tools.tool import Tool

MAX_DIGITS = 10

CommandT = TypeVar("CommandT", bound=Callable[..., Any])


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

"""The option `--param KEY=VALUE` of commands that try parameters without setting them."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from backend.params.registry import ParamValue, find_param, parse_value
from backend.text import quote

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

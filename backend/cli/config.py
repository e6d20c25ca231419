"""`waypool config`: every setting, its value and where it comes from; secrets masked.

`waypool completion`: the script by which a shell completes Waypool's commands and options.
"""

import os
from pathlib import PurePath

import click
from click.shell_completion import get_completion_class
from pydantic import SecretStr

from backend.cli.output import Output, json_option
from backend.errors import ConfigurationError
from backend.settings import Settings, name_variable, read_settings, read_variable


@click.command()
@json_option
@click.pass_obj
def config(output: Output) -> None:
    """List all settings, with the environment variable that sets each."""
    settings = read_settings()
    rows = []
    for name, field in Settings.model_fields.items():
        variable = name_variable(name)
        rows.append(
            {
                "variable": variable,
                "value": _mask(getattr(settings, name)),
                "set": variable in os.environ,  # noqa: TID251 - says whether, not what
                "description": field.description,
            }
        )
    lines = [
        f"{row['variable']}={'' if row['value'] is None else row['value']}"
        f"{'' if row['set'] else '  (default)'}\n    {row['description']}"
        for row in rows
    ]
    data = f"embedded data: {settings.embedded_data}"
    output.show(
        {"items": rows, "embedded_data": str(settings.embedded_data)}, "\n".join([*lines, data])
    )


def _mask(value: object) -> object:
    if isinstance(value, SecretStr):
        return "********"
    return value if isinstance(value, int | float | str | bool | None) else str(value)


SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_WAYPOOL_COMPLETE"


@click.command()
@click.argument("shell", required=False, type=click.Choice(SHELLS))
@click.pass_context
def completion(context: click.Context, shell: str | None) -> None:
    """Print a script that completes commands and options when you press the tab key.

    Without a name, for the shell that SHELL names. Load it in the shell's start file.
    """
    name = shell or PurePath(read_variable("SHELL") or "").name
    kind = get_completion_class(name) if name in SHELLS else None
    if kind is None:
        raise ConfigurationError(f"say which shell: {', '.join(SHELLS)}")
    root = context.find_root().command
    click.echo(kind(root, {}, "waypool", VARIABLE).source())

"""`waypool completion`: the script by which a shell completes Waypool's commands and options."""

from pathlib import PurePath

import click
from click.shell_completion import get_completion_class

from backend.errors import ConfigurationError
from backend.settings import read_variable

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

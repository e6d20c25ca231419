"""The command waypool, one file per group of commands; each is loaded only when it is called."""

import errno
import importlib
import logging
import sys
from collections.abc import Sequence
from contextlib import suppress

import click

from backend import __version__
from backend.cli.examples import attach_examples
from backend.cli.output import FAILED, INTERRUPTED, UNUSABLE, Output, UnusableError, read_docstring
from backend.db.ending import end_in_order
from backend.errors import ToolError, WaypoolError
from backend.text import shorten

log = logging.getLogger(__name__)

LONGEST_USAGE = 300
"""The framework's own messages repeat what was given, whatever its length."""

ROLES: tuple[tuple[str, tuple[tuple[str, str], ...]], ...] = (
    (
        "Plan",
        (
            ("demo", "backend.cli.demo:demo"),
            ("ask", "backend.cli.plan:ask"),
            ("plan", "backend.cli.plan:plan"),
            ("places", "backend.cli.places:places"),
            ("read", "backend.cli.read:read"),
            ("guide", "backend.cli.guide:guide"),
        ),
    ),
    (
        "Tune (admin)",
        (
            ("pool", "backend.cli.pool:pool"),
            ("params", "backend.cli.tuning:params"),
            ("tools", "backend.cli.tuning:tools"),
            ("sweep", "backend.cli.sweep:sweep"),
            ("import", "backend.cli.db:import_group"),
            ("export", "backend.cli.backup:export"),
            ("sources", "backend.cli.sources:sources"),
        ),
    ),
    (
        "Look into runs (developer)",
        (
            ("runs", "backend.cli.runs:runs"),
            ("replay", "backend.cli.replay:replay"),
            ("tool", "backend.cli.tool:tool"),
            ("results", "backend.cli.results:results"),
            ("audit-columns", "backend.cli.sources:audit_columns"),
            ("mock-llm", "backend.cli.mock_llm:mock_llm"),
            ("bench", "backend.cli.bench:bench"),
        ),
    ),
    (
        "Run an installation (operator)",
        (
            ("serve", "backend.cli.serve:serve"),
            ("worker", "backend.cli.serve:worker"),
            ("db", "backend.cli.db:db"),
            ("keys", "backend.cli.keys:keys"),
            ("doctor", "backend.cli.doctor:doctor"),
            ("backup", "backend.cli.backup:backup"),
            ("restore", "backend.cli.backup:restore"),
            ("config", "backend.cli.config:config"),
            ("completion", "backend.cli.config:completion"),
        ),
    ),
)
"""Name and place of each command by who uses it, in the order of `--help`."""

COMMANDS = tuple(command for _, commands in ROLES for command in commands)


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is wanted."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the table."""
        return [name for name, _ in COMMANDS]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now."""
        place = dict(COMMANDS).get(cmd_name)
        if place is None:
            return None
        module, attribute = place.split(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        attach_examples(command, cmd_name)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As any group; names that are near to an unknown one come from the table."""
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            names = self.list_commands(ctx)
            raise click.NoSuchCommand(error.command_name, possibilities=names, ctx=ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of `--help`, without importing any command."""
        room = formatter.width - 6 - max(len(name) for name, _ in COMMANDS)
        for role, commands in ROLES:
            with formatter.section(role):
                rows = [(f"{name:<{_WIDEST}}", _summarize(place, room)) for name, place in commands]
                formatter.write_dl(rows)


_WIDEST = max(len(name) for name, _ in COMMANDS)


def _summarize(place: str, room: int) -> str:
    return click.Command("", help=read_docstring(place)).get_short_help_str(room)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="waypool")
def waypool() -> None:
    """Narrow a travel catalogue in code, plan inside the pool, replay any run.

    Begin with 'waypool demo'. Configuration is by environment: see 'waypool config'. Every command
    has examples in its own --help.
    """


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and give its exit status: 0 done, 1 failed, 2 unusable, 130 interrupted."""
    try:
        with end_in_order():
            return _run(list(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:  # a second one, while the first was being obeyed
        return INTERRUPTED
    except OSError as error:  # raised while an error was told: its own output is what fails
        return _report_lost_output(error)


def _run(given: list[str]) -> int:
    output = Output(is_json="--json" in given)
    try:
        _check_encoding(given)
        status = waypool.main(args=given, prog_name="waypool", standalone_mode=False, obj=output)
    except (WaypoolError, ToolError) as error:
        return output.report(error)
    except click.exceptions.Abort:
        click.echo("waypool: interrupted", err=True)
        return INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as error:
        error.show()
        return UNUSABLE
    except click.ClickException as error:
        return output.report(UnusableError(_describe_usage(error)))
    except BrokenPipeError:  # the reader has left, as `| head` does
        sys.stderr.close()
        return FAILED
    except Exception as error:  # noqa: BLE001 - an error of ours is no reason for a traceback
        return _report_unknown(output, error)
    return status if isinstance(status, int) else 0


def _report_lost_output(error: OSError) -> int:
    with suppress(OSError):
        click.echo(f"waypool: cannot write the output: {error.strerror}", err=True)
    return FAILED


def _check_encoding(arguments: Sequence[str]) -> None:
    """Refuse bytes that are no text: no database, JSON or message could take them."""
    for number, argument in enumerate(arguments, start=1):
        if any("\ud800" <= character <= "\udfff" for character in argument):
            raise UnusableError(f"argument {number} is not UTF-8: {argument[:40]!a}")


def _describe_usage(error: click.ClickException) -> str:
    text = shorten(error.format_message(), LONGEST_USAGE)
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f"{text} (see '{context.command_path} --help')" if context else text


def _report_unknown(output: Output, error: Exception) -> int:
    if isinstance(error, OSError) and error.errno == errno.ENOSPC and error.filename is None:
        return _report_lost_output(error)
    log.debug("an error of Waypool's own", exc_info=error)
    name = f"{type(error).__name__}: {error}".splitlines()[0][:300]
    text = f"an error of Waypool's own, please report it: {name}"
    return output.report(WaypoolError(text, code="INTERNAL"))


def main() -> None:
    """Entry point of the installed command."""
    sys.exit(run())

"""What a command prints: text for people, JSON where a program may read it; errors as lines.

The line that `--help` has for each command, read from its source: importing all takes seconds.

How far a long command is, on standard error and only where somebody looks at a terminal.
"""

import ast
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, Task, TextColumn
from rich.progress import TimeElapsedColumn as Elapsed
from rich.text import Text

from backend.document import Document
from backend.errors import (
    ConfigurationError,
    OutOfBoundsError,
    RequestRefusedError,
    ToolError,
    WaypoolError,
)
from backend.text import make_object, shorten

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

DONE, FAILED, UNUSABLE, INTERRUPTED = 0, 1, 2, 130
LONGEST_PATH = 250
MAX_CHARACTERS = 64_000_000
"""Of a file that is read whole: a large snapshot has some millions."""


class UnusableError(WaypoolError):
    """A command line that cannot be parsed."""

    code = "USAGE"


@dataclass
class Output:
    """Where a command prints; `is_json` where the command line has `--json`."""

    is_json: bool = False

    @property
    def console(self) -> Console:
        """For tables and colours; plain where the output is no terminal."""
        return Console(highlight=False, soft_wrap=True)

    def say(self, text: str) -> None:
        """A line for people; silent with `--json`."""
        if not self.is_json:
            click.echo(text)

    def show(self, document: Any, text: str | Callable[[], str]) -> None:
        """The document with `--json`, else its text."""
        if self.is_json:
            shown = document.as_json() if isinstance(document, Document) else document
            click.echo(_dump(shown))
        else:
            click.echo(text if isinstance(text, str) else text())

    def report(self, error: WaypoolError | ToolError) -> int:
        """One line a fault on standard error, the error's document with `--json`; the exit status."""
        lines = (" ".join(line.splitlines()) for line in _describe(error))
        click.echo(_escape("\n".join(f"waypool: {line}" for line in lines)), err=True)
        if self.is_json:
            click.echo(_dump(error_document(error)))
        return UNUSABLE if isinstance(error, OutOfBoundsError | UnusableError) else FAILED


def _dump(document: Any) -> str:
    return _escape(json.dumps(document, ensure_ascii=False))


def _escape(text: str) -> str:
    r"""Half a surrogate pair, as a request's key or a path may hold, as `\ud800`, in JSON too."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def error_document(error: WaypoolError | ToolError) -> dict[str, Any]:
    """The JSON of a failed command; for a refused request the problem document."""
    if isinstance(error, ToolError):
        return error.as_json()
    if isinstance(error, RequestRefusedError):
        return error.as_problem()
    details = {"details": error.details} if error.details else {}
    return {"error": {"code": error.code, "message": error.message, **details}}


def _describe(error: WaypoolError | ToolError) -> list[str]:
    if isinstance(error, RequestRefusedError):
        return [_describe_fault(fault.as_json()) for fault in error.faults]
    if isinstance(error, ToolError):
        allowed = f" (allowed: {', '.join(list(error.allowed)[:10])})" if error.allowed else ""
        return [f"{error.code}: {error.message}{allowed}"]
    return [*error.details, error.message]


def _describe_fault(fault: dict[str, Any]) -> str:
    names = ", ".join(_show_near(near) for near in fault["suggestions"])
    near = f" (near: {names})" if names else ""
    return f"{fault['pointer'] or '/'}: {fault['message']}{near}"


def json_option(command: CommandT) -> CommandT:
    """The option `--json` of a command whose result a program may read."""

    def remember(context: click.Context, _: click.Parameter, value: bool) -> None:
        context.ensure_object(Output).is_json = value

    option = click.option(
        "--json", is_flag=True, expose_value=False, callback=remember, help="Print JSON alone."
    )
    return option(command)


def show_path(path: str) -> str:
    """A path for a message; one that is too long for any file system is cut."""
    return shorten(path, LONGEST_PATH)


def read_text(source: str) -> str:
    """The text of a file, or of standard input for `-`; UTF-8."""
    try:
        with click.open_file(source, encoding="utf-8-sig") as stream:
            text = str(stream.read(MAX_CHARACTERS + 1))
    except OSError as error:
        raise ConfigurationError(f"cannot read {show_path(source)}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigurationError(f"{show_path(source)} is not UTF-8") from None
    if len(text) > MAX_CHARACTERS:  # or endless, as /dev/zero is
        raise ConfigurationError(
            f"{show_path(source)} is longer than {MAX_CHARACTERS:,} characters"
        )
    return text


def read_json(source: str) -> Any:
    """The JSON value of a file, or of standard input for `-`."""
    return parse_json(read_text(source), source)


def parse_json(text: str, source: str) -> Any:
    """A JSON value; `NaN` and its like are refused, as they are none, and a key that comes twice."""

    def refuse(name: str) -> None:
        raise ValueError(f"{name} is not JSON")

    try:
        return json.loads(text, parse_constant=refuse, object_pairs_hook=make_object)
    except RecursionError:
        raise ConfigurationError(f"{source} is nested too deeply") from None
    except ValueError as error:
        raise ConfigurationError(f"{source} is not JSON: {error}") from None


def write_text(path: str, text: str) -> None:
    """Write a file whole, or say why it cannot be written; `-` is standard output."""
    if path == "-":
        click.echo(text)
        return
    data, target = text.encode("utf-8"), Path(os.path.realpath(path))
    try:
        if target.exists() and not target.is_file():
            target.write_bytes(data)  # a device or pipe: a rename would put a file in its place
        else:
            _replace(target, data)
    except OSError as error:
        raise ConfigurationError(f"cannot write {show_path(path)}: {error.strerror}") from None


def _replace(target: Path, data: bytes) -> None:
    """Put a whole new file in the old one's place, or leave the old one as it was."""
    unfinished = target.with_name(f".{target.name[:50]}.{os.getpid()}.unfinished")
    try:
        unfinished.write_bytes(data)
        if target.exists():
            shutil.copymode(target, unfinished)
        unfinished.replace(target)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise


def warn(text: str) -> None:
    """A line on standard error that is no failure."""
    click.echo(f"waypool: {text}", err=True)
    sys.stderr.flush()


def read_docstring(place: str) -> str:
    """The docstring of the function `module:name`; empty where there is none."""
    module, _, name = place.partition(":")
    spec = find_spec(module)
    if spec is None or spec.origin is None:
        return ""
    tree = ast.parse(Path(spec.origin).read_text(encoding="utf-8"))
    functions = (node for node in tree.body if isinstance(node, ast.FunctionDef))
    found = next((node for node in functions if node.name == name), None)
    return (ast.get_docstring(found) if found else None) or ""


def _show_near(near: dict[str, str]) -> str:
    return near["id"] if near["id"] == near["name"] else f"{near['name']}: {near['id']}"


OnProgress = Callable[[int, int], None]
"""Takes how many parts are done, of how many."""


class _Counted(MofNCompleteColumn):
    """`3/20`, and nothing where nobody knows how many there are."""

    def render(self, task: Task) -> Text:
        """The column of one task."""
        return Text("") if task.total is None else super().render(task)


@contextmanager
def show_progress(what: str) -> Iterator[OnProgress]:
    """Show `what` is being done and for how long; a bar once the number of parts is known.

    It is gone at the end, so that a terminal keeps only the result.
    """
    console = Console(stderr=True)
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        _Counted(),
        Elapsed(),
    )
    shown = Progress(
        *columns,
        console=console,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        disable=not console.is_terminal,
    )
    with shown:
        task = shown.add_task(what, total=None)

        def update(done: int, total: int) -> None:
            shown.update(task, completed=done, total=total)

        yield update

"""The options and tables of history and revert, the same for parameters and tools."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar

import click
from rich.box import SIMPLE
from rich.table import Table

from backend.audit.change import Recorded
from backend.cli.output import Output
from backend.results.values import write_json
from backend.text import quote

CommandT = TypeVar("CommandT", bound=Callable[..., Any])

DEFAULT = "default"

why_option = click.option("--why", metavar="TEXT", help="Kept in the audit trail.")


class VersionType(click.ParamType[int | str]):
    """A version, or `default`."""

    name = "version"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> int | Literal["default"]:
        """The number, or the word."""
        if value == DEFAULT:
            return "default"
        if isinstance(value, int):
            return value
        if not str(value).isdecimal() or len(str(value)) > 9:
            self.fail(f"{quote(value)} is neither a version nor 'default'", param, ctx)
        return int(value)


to_option = click.option(
    "--to",
    type=VersionType(),
    metavar="VERSION|default",
    help="A version from the history, or the code's default; without: what the last change replaced.",
)


def _show_change(old: Any, new: Any) -> tuple[str, str]:
    """Both sides; of objects the fields alone that differ."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return write_json(old), write_json(new)
    keys = [
        key for key in (*old, *(k for k in new if k not in old)) if old.get(key) != new.get(key)
    ]
    sides = ((f"{key} {write_json(side.get(key))}" for key in keys) for side in (old, new))
    before, after = (", ".join(side) for side in sides)
    return before, after


def show_history(output: Output, entries: Sequence[Recorded], limit: int) -> None:
    """Changes, newest first; `entries` holds one more where there are more."""
    items = [entry.as_json() for entry in entries[:limit]]
    more = items[-1]["id"] if len(entries) > limit else None
    if output.is_json:
        output.show({"items": items, "next_cursor": more}, "")
        return
    table = Table(box=SIMPLE, pad_edge=False, show_edge=False)
    for column in ("version", "at", "who", "old", "new", "why"):
        table.add_column(column, overflow="fold")
    for entry in entries[:limit]:
        at = entry.at.strftime("%Y-%m-%d %H:%M:%S")
        old, new = _show_change(entry.old, entry.new)
        table.add_row(str(entry.version), at, entry.who, old, new, entry.why or "")
    output.console.print(table if items else "never changed", markup=False)

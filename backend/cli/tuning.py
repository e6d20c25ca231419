"""`waypool params` and `waypool tools`: what an admin tunes, listed and set.

The options and tables of history and revert, the same for parameters and tools.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal, TypeVar

import click
from rich.box import SIMPLE
from rich.table import Table

from backend.audit.queries import Author, Recorded, list_changes, make_page
from backend.cli.database import with_engine
from backend.cli.options import read_rows
from backend.cli.output import Output, json_option
from backend.clock import read_utc
from backend.db.session import Engine, transaction
from backend.document import Page
from backend.params.queries import (
    ParamItem,
    SystemParam,
    read_param_rows,
    revert_param,
    show_param,
    write_param,
)
from backend.params.registry import PARAMS, Param, find_param, parse_value
from backend.results.values import write_json
from backend.text import quote
from backend.tools.queries import (
    FunctionTool,
    ToolItem,
    read_tools,
    revert_tool,
    show_tool,
    write_tool,
)
from backend.tools.registry import TOOLS, get_tool
from backend.tools.tool import Tool

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
    page = make_page(entries, limit)
    if output.is_json:
        output.show(page, "")
        return
    table = Table(box=SIMPLE, pad_edge=False, show_edge=False)
    for column in ("version", "at", "who", "old", "new", "why"):
        table.add_column(column, overflow="fold")
    for entry in entries[:limit]:
        at = entry.at.strftime("%Y-%m-%d %H:%M:%S")
        old, new = _show_change(entry.old, entry.new)
        table.add_row(str(entry.version), at, entry.who, old, new, entry.why or "")
    output.console.print(table if page.items else "never changed", markup=False)


Version = int | Literal["default"] | None

limit_option = click.option(
    "--limit", type=click.IntRange(1, 1000), default=20, show_default=True, help="Newest first."
)


@click.group()
def params() -> None:
    """System parameters: pool sizes, caps, star bands, stop limits."""


@params.command("list")
@json_option
@click.pass_obj
def list_params(output: Output) -> None:
    """List all parameters with their values, defaults and bounds."""

    async def work(engine: Engine) -> dict[str, SystemParam]:
        async with transaction(engine) as session:
            return await read_param_rows(session)

    rows = with_engine(work)
    items = [show_param(param, rows.get(param.key)) for param in PARAMS]
    _show(output, items, ("key", "value", "default", "description"))


@params.command("set", context_settings={"ignore_unknown_options": True})
@click.argument("key")
@click.argument("value")
@why_option
@json_option
@click.pass_obj
def set_param(output: Output, key: str, value: str, why: str | None) -> None:
    """Set the parameter KEY to VALUE (60, true, 150.50, none, 2,3)."""
    param = find_param(key)
    parsed = parse_value(param, value)

    async def work(engine: Engine) -> SystemParam:
        async with transaction(engine) as session:
            return await write_param(session, key, parsed, Author(read_utc(), why=why))

    _show_set(output, param, with_engine(work))


@params.command("history")
@click.argument("key")
@limit_option
@json_option
@click.pass_obj
def show_param_history(output: Output, key: str, limit: int) -> None:
    """Show who changed the parameter KEY, when, from what to what, and why."""
    subject = find_param(key).key
    show_history(output, with_engine(_read_history("param", subject, limit)), limit)


@params.command("revert")
@click.argument("key")
@to_option
@why_option
@json_option
@click.pass_obj
def undo_param(output: Output, key: str, to: Version, why: str | None) -> None:
    """Set the parameter KEY back to what the last change replaced, or to a version or the default."""
    param = find_param(key)

    async def work(engine: Engine) -> SystemParam:
        async with transaction(engine) as session:
            return await revert_param(session, key, to, Author(read_utc(), why=why))

    _show_set(output, param, with_engine(work))


def _show_set(output: Output, param: Param, row: SystemParam) -> None:
    item = show_param(param, row)
    output.show(item, f"{param.key} = {_write(item.value)}")


def _read_history(
    kind: str, subject: str, limit: int
) -> Callable[[Engine], Awaitable[Sequence[Recorded]]]:
    async def work(engine: Engine) -> Sequence[Recorded]:
        async with transaction(engine) as session:
            return await list_changes(session, limit + 1, kind=kind, subject=subject)

    return work


@click.group()
def tools() -> None:
    """The model's tools: switches and return limits."""


@tools.command("list")
@json_option
@click.pass_obj
def list_tools(output: Output) -> None:
    """List all tools with their switches and return limits."""

    async def work(engine: Engine) -> dict[str, FunctionTool]:
        async with transaction(engine) as session:
            return await read_tools(session)

    rows = with_engine(work)
    items = [show_tool(tool, rows.get(tool.name)) for tool in TOOLS]
    _show(output, items, ("name", "effect", "enabled", "limit", "max_return_rows", "default_rows"))


@tools.command("set")
@click.argument("name")
@click.option("--limit", metavar="N|default", help="Return limit, 1 to 200, or the code's default.")
@click.option("--enabled/--disabled", default=None, help="Offer the tool to the model, or not.")
@why_option
@json_option
@click.pass_obj
def set_tool(
    output: Output, name: str, limit: str | None, enabled: bool | None, why: str | None
) -> None:
    """Change the tool NAME; it holds from the next call on, in running runs too."""
    tool = get_tool(name)
    if limit is None and enabled is None:
        raise click.UsageError("nothing to set: give --limit, --enabled or --disabled")
    values: dict[str, object] = {} if enabled is None else {"enabled": enabled}
    if limit is not None:
        values["max_return_rows"] = None if limit == DEFAULT else read_rows(tool, limit)

    async def work(engine: Engine) -> FunctionTool:
        async with transaction(engine) as session:
            return await write_tool(session, name, values, Author(read_utc(), why=why))

    _show_tool(output, tool, with_engine(work))


@tools.command("history")
@click.argument("name")
@limit_option
@json_option
@click.pass_obj
def show_tool_history(output: Output, name: str, limit: int) -> None:
    """Show who changed the tool NAME, when, from what to what, and why."""
    subject = get_tool(name).name
    show_history(output, with_engine(_read_history("tool", subject, limit)), limit)


@tools.command("revert")
@click.argument("name")
@to_option
@why_option
@json_option
@click.pass_obj
def undo_tool(output: Output, name: str, to: Version, why: str | None) -> None:
    """Set the tool NAME back to what the last change replaced, or to a version or the defaults."""
    tool = get_tool(name)

    async def work(engine: Engine) -> FunctionTool:
        async with transaction(engine) as session:
            return await revert_tool(session, name, to, Author(read_utc(), why=why))

    _show_tool(output, tool, with_engine(work))


def _show_tool(output: Output, tool: Tool[Any], row: FunctionTool) -> None:
    item = show_tool(tool, row)
    state = "enabled" if item.enabled else "disabled"
    output.show(item, f"{tool.name}: {state}, return limit {_write(item.limit)}")


def _show(output: Output, items: Sequence[ParamItem | ToolItem], columns: tuple[str, ...]) -> None:
    if output.is_json:
        output.show(Page(items=tuple(items)), "")
        return
    table = Table(box=SIMPLE, pad_edge=False, show_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for item in items:
        table.add_row(*(_write(getattr(item, column)) for column in columns))
    output.console.print(table)


def _write(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return ",".join(map(str, value))
    return "none" if value is None else str(value)

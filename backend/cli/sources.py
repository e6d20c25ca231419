"""`waypool sources`: third-party data that becomes tools, listed, tried, switched on and off.

`waypool audit-columns`: what the columns of a file are worth before a source is made of it.
"""

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TypeVar

import click
from rich.box import SIMPLE
from rich.table import Table

from backend.audit.queries import Author
from backend.bootstrap import make_fetcher
from backend.cli.database import with_engine
from backend.cli.output import Output, json_option, read_json, show_path
from backend.cli.tuning import why_option
from backend.clock import read_utc
from backend.db.session import Engine, Session, transaction
from backend.document import Page
from backend.errors import ConfigurationError
from backend.results.values import write_json
from backend.settings import read_settings
from backend.sources.audit.report import audit, describe_audit
from backend.sources.queries import (
    SourceItem,
    add_source,
    get_source,
    list_sources,
    parse_source,
    remove_source,
    show_source,
    write_source,
)
from backend.sources.store import AtHand
from backend.tools.source_tools import TrialDocument, check_name, try_source

T = TypeVar("T")

MAX_RESPONSE = 256_000_000


@click.group()
def sources() -> None:
    """Third-party data over HTTP: a row tells address, arguments and projection."""


@sources.command("list")
@json_option
@click.pass_obj
def list_command(output: Output) -> None:
    """List all sources with the questions that they answer."""

    async def work(session: Session) -> Page[SourceItem]:
        return Page(items=tuple(show_source(row) for row in await list_sources(session)))

    page = _with_session(work)
    if output.is_json:
        output.show(page, "")
        return
    table = Table(box=SIMPLE, pad_edge=False, show_edge=False)
    for column in ("name", "enabled", "cities", "question"):
        table.add_column(column, overflow="fold")
    for item in page.items:
        cities = ", ".join(item.cities) or "all"
        table.add_row(item.name, str(item.enabled).lower(), cities, item.question)
    output.console.print(table, markup=False)


@sources.command()
@click.argument("name")
@json_option
@click.pass_obj
def show(output: Output, name: str) -> None:
    """Show the source NAME as a file for 'add' would say it."""

    async def work(session: Session) -> SourceItem:
        return show_source(await get_source(session, name))

    item = _with_session(work)
    output.show(item, lambda: write_json(item.spec))


@sources.command()
@click.argument("source", metavar="FILE")
@click.option("--replace", is_flag=True, help="Change the source of that name instead.")
@why_option
@json_option
@click.pass_obj
def add(output: Output, source: str, replace: bool, why: str | None) -> None:
    """Add the source that FILE ('-': stdin) says as JSON; it is switched off until enabled."""
    parsed = parse_source(read_json(source))
    check_name(parsed)

    async def work(session: Session) -> SourceItem:
        author = Author(read_utc(), why=why)
        if replace:
            return show_source(await write_source(session, parsed.name, author, source=parsed))
        return show_source(await add_source(session, parsed, author))

    item = _with_session(work)
    state = "enabled" if item.enabled else "disabled"
    output.show(item, f"{parsed.name}: version {item.version}, {state}")


@sources.command()
@click.argument("name")
@click.option("--args", "arguments", default="{}", metavar="JSON", help="Arguments of the call.")
@click.option("--response", metavar="FILE", help="Project this file instead of fetching.")
@json_option
@click.pass_obj
def test(output: Output, name: str, arguments: str, response: str | None) -> None:
    """Fetch the source NAME now, be it enabled or not, and show what a model would read."""
    raw = None if response is None else _read_bytes(response)
    settings = read_settings()

    async def work(engine: Engine) -> TrialDocument:
        async with transaction(engine) as session:
            source = (await get_source(session, name)).source
        fetcher = make_fetcher(settings, engine) if raw is None else AtHand(raw)
        return await try_source(source, fetcher, arguments)

    tried = with_engine(work, settings)
    output.show(tried, lambda: _describe_trial(tried))


def _describe_trial(tried: TrialDocument) -> str:
    whence = "kept response of " if tried.cached else ""
    return (
        f"{whence}{tried.address}\n"
        f"{tried.raw_bytes} bytes, {tried.projected_bytes} after projection,"
        f" {tried.sent_bytes} sent ({tried.sent_tokens} tokens)\n{write_json(tried.answer)}"
    )


@sources.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME…")
@why_option
@json_option
@click.pass_obj
def enable(output: Output, names: tuple[str, ...], why: str | None) -> None:
    """Offer the sources to the model, in running runs too, from the next call on."""
    _switch(output, names, why, enabled=True)


@sources.command()
@click.argument("names", nargs=-1, required=True, metavar="NAME…")
@why_option
@json_option
@click.pass_obj
def disable(output: Output, names: tuple[str, ...], why: str | None) -> None:
    """Offer the sources no longer."""
    _switch(output, names, why, enabled=False)


@sources.command()
@click.argument("name")
@why_option
@json_option
@click.pass_obj
def remove(output: Output, name: str, why: str | None) -> None:
    """Remove the source NAME with its kept responses."""

    async def work(session: Session) -> None:
        await remove_source(session, name, Author(read_utc(), why=why))

    _with_session(work)
    output.show({"id": name, "removed": True}, f"{name}: removed")


def _switch(output: Output, names: Sequence[str], why: str | None, *, enabled: bool) -> None:
    async def work(session: Session) -> Page[SourceItem]:
        author = Author(read_utc(), why=why)
        rows = [await write_source(session, name, author, enabled=enabled) for name in names]
        return Page(items=tuple(map(show_source, rows)))

    page = _with_session(work)
    state = "enabled" if enabled else "disabled"
    output.show(page, lambda: "\n".join(f"{item.name}: {state}" for item in page.items))


def _with_session(work: Callable[[Session], Awaitable[T]]) -> T:
    async def run(engine: Engine) -> T:
        async with transaction(engine) as session:
            return await work(session)

    return with_engine(run)


def _read_bytes(path: str) -> bytes:
    try:
        with Path(path).open("rb") as stream:
            raw = stream.read(MAX_RESPONSE + 1)
    except OSError as error:
        raise ConfigurationError(f"cannot read {path}: {error.strerror}") from None
    if len(raw) > MAX_RESPONSE:
        raise ConfigurationError(f"{path} is larger than {MAX_RESPONSE:,} bytes")
    return raw


_MOST_BYTES = 1_000_000_000


@click.command("audit-columns")
@click.argument("source", metavar="FILE")
@click.option("--cut", type=click.IntRange(min=1), default=None, metavar="N",
              help="What keeping the first N bytes alone would lose.")  # fmt: skip
@json_option
@click.pass_obj
def audit_columns(output: Output, source: str, cut: int | None) -> None:
    """Find columns of FILE ('-': stdin), CSV or JSON, that say nothing or what others say.

    Empty and constant ones, numbers that never change in some groups of rows, copies, sums and
    functions of other columns, each with the bytes that it takes.
    """
    report = audit(_read(source), cut)
    click.echo(write_json(report) if output.is_json else "\n".join(describe_audit(report)))


def _read(source: str) -> bytes:
    try:
        with click.open_file(source, "rb") as stream:
            content = bytes(stream.read(_MOST_BYTES + 1))
    except OSError as error:
        raise ConfigurationError(f"cannot read {show_path(source)}: {error.strerror}") from None
    if len(content) > _MOST_BYTES:
        raise ConfigurationError(f"{show_path(source)} is longer than {_MOST_BYTES:,} bytes")
    return content

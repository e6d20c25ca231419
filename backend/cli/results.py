"""`waypool results`: put a large result away, and ask about it as a model would."""

import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, TypeVar

import click
from rich.box import SIMPLE
from rich.table import Table

from backend.bootstrap import make_store
from backend.cli.database import with_engine
from backend.cli.options import cursor_option
from backend.cli.output import Output, json_option, show_path
from backend.db.session import Engine
from backend.errors import ConfigurationError
from backend.results.asking import answer, parse_query_text, write_whole
from backend.results.document import Document
from backend.results.handle import OPERATOR, Owner, Reader, Stored
from backend.results.queries import show_head
from backend.results.store import ResultStore
from backend.results.values import write_json
from backend.settings import read_settings
from backend.text import Locale

T = TypeVar("T")

LOCALE: Locale = "en"
_CHUNK = 1024 * 1024
_WHO = "operator"

tenant_option = click.option("--tenant", default=None, help="Only what belongs to this tenant.")


@click.group()
def results() -> None:
    """Large results behind handles: stored whole, asked piece by piece."""


@results.command()
@click.argument("source", metavar="FILE")
@click.option("--tenant", default=OPERATOR, show_default=True, help="To whom it belongs.")
@json_option
@click.pass_obj
def put(output: Output, source: str, tenant: str) -> None:
    """Store the JSON of FILE ('-': stdin) and give its handle and summary.

    It belongs to no run and is kept for RESULT_TTL_SECONDS after the last read.
    """

    async def work(store: ResultStore) -> Stored:
        with _open(source) as stream:
            chunks = iter(lambda: stream.read(_CHUNK), b"")
            return await store.put(chunks, Owner(tenant), locale=LOCALE)

    stored = with_store(work)
    if output.is_json:
        click.echo(write_json(stored.as_json()))
    else:
        _print_stored(output, stored)


@contextmanager
def _open(source: str) -> Iterator[BinaryIO]:
    if source == "-":
        yield sys.stdin.buffer
        return
    try:
        with open(source, "rb") as stream:
            yield stream
    except OSError as error:
        raise ConfigurationError(f"cannot read {show_path(source)}: {error.strerror}") from None


def _print_stored(output: Output, stored: Stored) -> None:
    summary = stored.summary
    output.say(f"{stored.handle}: {summary['rows']} rows")
    table = Table(box=SIMPLE, pad_edge=False, show_edge=False)
    for title in ("column", "type", ""):
        table.add_column(title, overflow="fold")
    for name, column in summary["columns"].items():
        rest = {key: value for key, value in column.items() if key != "type"}
        table.add_row(name, column["type"], write_json(rest)[1:-1])
    output.console.print(table, markup=False)
    if summary["columns_omitted"]:
        output.say(f"and {summary['columns_omitted']} more columns")


@results.command()
@click.argument("handle")
@click.argument("path", required=False)
@click.option("--query", "query", metavar="JSON", help="A structured query instead of a path.")
@click.option("--full", "is_full", is_flag=True, help="The whole answer, not what a model sees.")
@tenant_option
@json_option
def query(
    handle: str,
    path: str | None,
    query: str | None,
    is_full: bool,
    tenant: str | None,
) -> None:
    """Ask about a stored result by PATH, or by --query; prints JSON.

    A path is like 'rows[?amount>=100].order_id'; a query like '{"group_by": ["city"],
    "aggregate": [{"op": "count"}]}'. The answer is cut to what a model sees unless --full is given.
    """
    if (path is None) == (query is None):
        raise click.UsageError("give either PATH or --query")
    reader = Reader(_WHO, tenant)

    def ask(document: Document) -> tuple[str, int]:
        asked = None if query is None else parse_query_text(query)
        if is_full:
            return write_whole(document, path, asked)
        packed, size = answer(document, path, asked, LOCALE)
        return write_json(packed), size

    async def work(store: ResultStore) -> str:
        return await store.read(handle, reader, ask)

    click.echo(with_store(work))


@results.command("list")
@tenant_option
@click.option("--limit", type=click.IntRange(1, 1000), default=20, show_default=True)
@cursor_option("res")
@json_option
@click.pass_obj
def list_command(output: Output, tenant: str | None, limit: int, cursor: str | None) -> None:
    """List stored results, newest first."""

    async def work(store: ResultStore) -> dict[str, Any]:
        heads = await store.list(Reader(_WHO, tenant), limit + 1, cursor)
        shown = heads[:limit]
        more = shown[-1].id if len(heads) > limit else None
        return {"items": [show_head(head) for head in shown], "next_cursor": more}

    page = with_store(work)
    lines = (f"{item['id']}  {item['state']:<8} {item['bytes']}" for item in page["items"])
    output.show(page, lambda: "\n".join(lines) or "no stored results")


@results.command()
@click.argument("handle")
@click.option("--off", "is_off", is_flag=True, help="No longer.")
@tenant_option
@json_option
@click.pass_obj
def pin(output: Output, handle: str, is_off: bool, tenant: str | None) -> None:
    """Keep a result whatever its age and whatever room is wanted."""

    async def work(store: ResultStore) -> None:
        await store.pin(handle, Reader(_WHO, tenant), is_pinned=not is_off)

    with_store(work)
    output.show({"id": handle, "pinned": not is_off}, f"{handle} {'un' * is_off}pinned")


@results.command()
@click.argument("handle")
@tenant_option
@json_option
@click.pass_obj
def delete(output: Output, handle: str, tenant: str | None) -> None:
    """Remove a stored result at once."""

    async def work(store: ResultStore) -> None:
        await store.delete(handle, Reader(_WHO, tenant))

    with_store(work)
    output.show({"id": handle, "deleted": True}, f"{handle} deleted")


@results.command("expire")
@json_option
@click.pass_obj
def expire_command(output: Output) -> None:
    """Drop stored results that nobody has read for RESULT_TTL_SECONDS."""
    count = with_store(lambda store: store.sweep())
    output.show({"expired": count}, f"{count} results expired")


def with_store(work: Callable[[ResultStore], Awaitable[T]]) -> T:
    """Run `work` on the store of the configured database."""
    settings = read_settings()

    async def run(engine: Engine) -> T:
        return await work(make_store(settings, engine))

    return with_engine(run, settings)

"""`waypool tool`: call a tool by hand, and see what a model would see."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import click

from backend.agent.replies import dump_json
from backend.bootstrap import make_fetcher
from backend.cli.limit_option import limit_option
from backend.cli.output import Output, json_option
from backend.cli.snapshot_file import read_snapshot
from backend.cli.working_state import read_state, write_state
from backend.db.connect import is_at_hand, open_database
from backend.db.migrate import head_revision, read_revision
from backend.db.session import make_engine, transaction
from backend.errors import ToolError, UnavailableError
from backend.settings import Settings, read_settings
from backend.sources.asking import Asked, ask_source
from backend.sources.queries import list_source_rows
from backend.sources.spec import Source
from backend.sources.store import Offer, list_offers
from backend.tools.call import ToolCall
from backend.tools.limits import ToolLimit
from backend.tools.queries import read_limits
from backend.tools.runner import ToolRunner

Limits = Mapping[str, ToolLimit]


@click.group()
def tool() -> None:
    """The model's tools, called by hand."""


@tool.command("call")
@click.argument("name")
@click.option(
    "--snapshot", "source", required=True, metavar="FILE", help="The input snapshot; '-': stdin."
)
@click.option(
    "--draft", metavar="FILE", help="Working state: read if it is there, written after the call."
)
@limit_option
@click.option("--args", "arguments", default="{}", metavar="JSON", help="Arguments of the call.")
@json_option
@click.pass_obj
def call_tool(
    output: Output,
    name: str,
    source: str,
    draft: str | None,
    limits: dict[str, int],
    arguments: str,
) -> None:
    """Call the tool NAME and print what the model would see, as JSON.

    Return limits come from --limit, else from the database where one is reachable, else they are
    the code's defaults. With --draft, calls go on from each other as in a run.
    """
    output.is_json = True
    snapshot = read_snapshot(source)
    state = read_state(draft, snapshot)
    settings = read_settings()
    found = _find_rows(settings)
    known = _choose_limits(found.limits, limits)
    call = ToolCall(id=f"call_{state.calls + 1}", name=name, arguments=arguments)

    async def give_limits() -> Limits:
        return known

    runner = ToolRunner(snapshot, give_limits, sources=_Sources(settings, found.sources))
    outcome = asyncio.run(runner.run(call, state))
    if draft is not None:
        write_state(draft, state.after(outcome), snapshot)
    if outcome.is_error:
        raise ToolError(**outcome.content["error"])
    click.echo(dump_json(outcome.content))


@dataclass(frozen=True)
class _Rows:
    """What a database says of tools and sources; nothing where there is none."""

    limits: Limits
    sources: Sequence[Offer] = ()


@dataclass(frozen=True)
class _Sources:
    """The sources that the database had, fetched without keeping anything for the next time."""

    settings: Settings
    offers: Sequence[Offer]

    async def list(self) -> Sequence[Offer]:
        """All sources by name."""
        return self.offers

    async def ask(self, source: Source, given: Mapping[str, Any]) -> Asked:
        """The facts."""
        return await ask_source(make_fetcher(self.settings, None), source, given)


def _choose_limits(found: Limits, given: Mapping[str, int]) -> Limits:
    limits = dict(found)
    for name, rows in given.items():
        limits[name] = replace(limits.get(name, ToolLimit()), max_return_rows=rows)
    return limits


def _find_rows(settings: Settings) -> _Rows:
    """The database's rows; none where there is none at hand, or not at this version."""
    if not is_at_hand(settings):
        return _Rows({})
    try:
        with open_database(settings) as url:
            is_ready = read_revision(url) == head_revision()
            return asyncio.run(_read_rows(url)) if is_ready else _Rows({})
    except UnavailableError:
        return _Rows({})


async def _read_rows(url: str) -> _Rows:
    engine = make_engine(url, 1)
    try:
        async with transaction(engine) as session:
            limits = await read_limits(session)
            return _Rows(limits, list_offers(await list_source_rows(session)))
    finally:
        await engine.dispose()

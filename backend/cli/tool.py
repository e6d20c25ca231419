"""`waypool tool`: call a tool by hand, and see what a model would see.

The working state of calls made by hand: a file with the draft, the calls so far, and what was seen.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from pydantic import ValidationError

from backend.agent.replies import dump_json
from backend.bootstrap import make_fetcher
from backend.cli.options import limit_option
from backend.cli.output import Output, json_option, read_json, write_text
from backend.cli.pool import read_snapshot
from backend.db.connect import is_at_hand, open_database
from backend.db.migrate import head_revision, read_revision
from backend.db.session import make_engine, transaction
from backend.errors import ConfigurationError, ToolError, UnavailableError
from backend.planner.plan.draft import Draft
from backend.pool.snapshot import Snapshot
from backend.settings import Settings, read_settings
from backend.sources.queries import list_source_rows
from backend.sources.spec import Source
from backend.sources.store import Asked, Offer, ask_source, list_offers
from backend.text import quote
from backend.tools.call import ToolCall
from backend.tools.context import RunState, ToolLimit
from backend.tools.queries import read_limits
from backend.tools.runner import ToolRunner


class WorkingState(RunState):
    """A run's state with the hash of the snapshot that it belongs to; empty: not known."""

    snapshot_sha256: str = ""


def read_state(path: str | None, snapshot: Snapshot) -> RunState:
    """The state in the file; a fresh one where there is none yet."""
    if path is None or not Path(path).exists():
        return RunState()
    try:
        state = WorkingState.model_validate(read_json(path))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "it"
        raise ConfigurationError(f"{path} is no working state: {where}: {first['msg']}") from None
    if state.snapshot_sha256 not in ("", snapshot.sha256):
        raise ConfigurationError(f"{path} belongs to another snapshot: {state.snapshot_sha256}")
    for fault in _list_strangers(snapshot, state.draft):
        raise ConfigurationError(f"{path} does not fit the snapshot: {fault}")
    return state


def write_state(path: str, state: RunState, snapshot: Snapshot) -> None:
    """Keep the state for the next call."""
    values = {**state.model_dump(), "snapshot_sha256": snapshot.sha256}
    write_text(path, WorkingState.model_validate(values).model_dump_json(indent=2) + "\n")


def _list_strangers(snapshot: Snapshot, draft: Draft) -> Iterator[str]:
    """Choices of a draft that no edit would have made."""
    days = range(1, snapshot.request.days + 1)
    yield from (f"no day {day}" for day in draft.visits if day not in days)
    yield from (f"no place {quote(i)}" for i in draft.poi_ids if snapshot.poi(i) is None)
    yield from (f"no city {quote(city)}" for city in draft.hotels if city not in snapshot.cities)
    yield from (f"no hotel {quote(i)}" for i in draft.hotels.values() if snapshot.hotel(i) is None)
    yield from (f"no leg {leg}" for leg in draft.trains if not 0 <= leg < len(snapshot.legs))
    trains = (i for ids in draft.trains.values() for i in ids)
    yield from (f"no train {quote(i)}" for i in trains if snapshot.train(i) is None)


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

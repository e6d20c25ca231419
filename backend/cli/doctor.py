"""`waypool doctor`: is this installation fit to work, and what to do where it is not."""

import asyncio
import datetime as dt
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import click
import httpx

from backend.access.queries import list_keys
from backend.agent.llm import Message
from backend.agent.models import Models
from backend.bootstrap import make_models
from backend.catalogue.queries import count_rows
from backend.cli.output import FAILED, Output, json_option, show_progress
from backend.cli.serve import open_listener
from backend.clock import read_utc
from backend.db.connect import open_database
from backend.db.migrate import (
    head_revision,
    inspect_server,
    is_served,
    read_revision,
    refuse_unfit,
)
from backend.db.session import Session, make_engine, transaction
from backend.errors import ConfigurationError, WaypoolError
from backend.runs.life.open_runs import count_workers, list_open_runs
from backend.settings import Settings, read_settings

ROOM_BYTES = 1_000_000_000
"""A catalogue of a million places takes about as much."""

DRIFT_SECONDS = 5.0
"""Workers count as silent by the clock; a few seconds do no harm."""

MANY = 1000


@dataclass(frozen=True)
class Check:
    """One thing that was looked at; `do` says what to do where it is not ok."""

    name: str
    ok: bool
    message: str
    do: str = ""


@click.command()
@json_option
@click.pass_obj
@click.pass_context
def doctor(context: click.Context, output: Output) -> None:
    """Check database, revision, catalogue, keys, workers, models, disk, clock and port.

    Each check says what to do where it fails; the status is 1 if any does. Nothing is changed.
    Every configured model is asked for one token.
    """
    with show_progress("looking"):
        checks = list(examine(read_settings()))
    output.show(
        {"checks": [asdict(check) for check in checks]}, lambda: "\n".join(map(_describe, checks))
    )
    context.exit(0 if all(check.ok for check in checks) else FAILED)


def _describe(check: Check) -> str:
    line = f"{'ok' if check.ok else 'FAIL':<5} {check.name}: {check.message}"
    return f"{line}\n      do: {check.do}" if check.do else line


def examine(settings: Settings) -> Iterator[Check]:
    """All checks, the database's first; only those that fail say what to do."""
    checks = (
        *_check_database(settings),
        *_check_models(settings),
        _check_disk(settings),
        _check_port(settings),
    )
    for check in checks:
        yield replace(check, do="") if check.ok else check


def _check_database(settings: Settings) -> Iterator[Check]:
    try:
        with open_database(settings) as url:
            yield from _look_into(settings, url)
    except WaypoolError as error:
        do = "start the database, or set WAYPOOL_DATABASE_URL to the right address"
        if settings.database_url is None:
            do = "do what the message says, or set WAYPOOL_DATABASE_URL to a PostgreSQL of yours"
        yield Check("database", ok=False, message=error.message, do=do)
        for name in ("revision", "catalogue", "keys", "workers", "clock"):
            yield Check(name, ok=False, message="not looked at", do="mend the database first")


def _look_into(settings: Settings, url: str) -> Iterator[Check]:
    server = inspect_server(url)
    refuse_unfit(server.version, server.encoding)
    kind = "given" if settings.database_url else f"embedded, data in {settings.embedded_data}"
    yield Check("database", ok=True, message=f"PostgreSQL {server.version}, {kind}")
    clock = _check_clock(server.time)
    revision = _check_revision(url)
    yield revision
    if revision.ok:
        yield from asyncio.run(_look_into_tables(settings, url))
    else:
        for name in ("catalogue", "keys", "workers"):
            yield Check(name, ok=False, message="not looked at", do=revision.do)
    yield clock


def _check_revision(url: str) -> Check:
    current, head = read_revision(url), head_revision()
    if is_served(url):
        more = "" if current == head else f", of a newer version, which {head} can work on"
        return Check("revision", ok=True, message=f"{current}{more}")
    if current is None:
        message = "the database has no tables yet"
    else:
        message = f"the database is at {current}, this version needs {head}"
    do = "run 'waypool db upgrade' ('--plan' shows what it would do)"
    return Check("revision", ok=False, message=message, do=do)


async def _look_into_tables(settings: Settings, url: str) -> list[Check]:
    engine = make_engine(url, 1)
    try:
        async with transaction(engine) as session:
            return [
                await _check_catalogue(session),
                await _check_keys(session),
                await _check_workers(session, settings),
            ]
    finally:
        await engine.dispose()


async def _check_catalogue(session: Session) -> Check:
    rows = await count_rows(session)
    message = ", ".join(f"{count} {name}" for name, count in rows.items())
    do = "run 'waypool db seed', or 'waypool import csv DIR' for a catalogue of your own"
    return Check("catalogue", bool(rows["cities"] and rows["pois"]), message, do)


async def _check_keys(session: Session) -> Check:
    valid = [key for key in await list_keys(session, None) if key.revoked_at is None]
    do = "run 'waypool keys create --tenant NAME --scope user'"
    return Check("keys", bool(valid), f"{len(valid)} valid", do)


async def _check_workers(session: Session, settings: Settings) -> Check:
    """Without a worker only a run that waits is a fault: commands plan by themselves."""
    since = read_utc() - dt.timedelta(seconds=settings.stalled_after_seconds)
    at_work = await count_workers(session, since)
    waiting = [run for run in await list_open_runs(session, None, MANY) if run.status == "queued"]
    message = f"{at_work} at work, {len(waiting)} runs wait"
    do = "start 'waypool serve' or 'waypool worker'"
    return Check("workers", bool(at_work or not waiting), message, do)


def _check_clock(server_time: dt.datetime) -> Check:
    drift = abs((server_time - read_utc()).total_seconds())
    message = f"{drift:.1f} s from the database's clock"
    do = "set the clocks of both machines by NTP (timedatectl set-ntp true)"
    return Check("clock", drift <= DRIFT_SECONDS, message, do)


def _check_models(settings: Settings) -> Iterator[Check]:
    try:
        models = make_models(settings)
    except ConfigurationError as error:
        faults = "; ".join((*error.details, error.message))
        do = "set the variables that the message names; 'waypool config' shows them"
        yield Check("model", ok=False, message=faults, do=do)
        return
    if models is None:
        message = "none is configured: the built-in planner plans"
        yield Check("model", ok=True, message=message)
        return
    for name in models.names:
        yield asyncio.run(_ask(models, name))


async def _ask(models: Models, name: str) -> Check:
    """Ask for one token: address, key, name of the model and quota must be right for that."""
    brief = [config.model_copy(update={"max_output_tokens": 1}) for config in models.configs]
    asked = Models(brief, models.timeouts, models.read_variable, models.currency)
    try:
        async with asked.open(name) as client:
            reply = await client.reply([Message(role="user", content="Hi")], [])
    except WaypoolError as error:
        do = "see its address, key and quota; 'waypool config' shows the settings"
        return Check("model", ok=False, message=f"{name}: {error.code}: {error.message}", do=do)
    tokens = reply.usage.output_tokens
    return Check("model", ok=True, message=f"{name} answers ({tokens} tokens)")


def _check_disk(settings: Settings) -> Check:
    """The disk of our own database, else that of temporary files."""
    wanted = Path(tempfile.gettempdir()) if settings.database_url else settings.embedded_data
    folder = next(path for path in (wanted, *wanted.parents) if path.exists())
    free = shutil.disk_usage(folder).free
    message = f"{free / 1e9:.1f} GB free at {folder}"
    do = f"free at least {ROOM_BYTES / 1e9:.0f} GB, or move WAYPOOL_HOME to a larger disk"
    return Check("disk", free >= ROOM_BYTES, message, do)


def _check_port(settings: Settings) -> Check:
    address = f"{settings.host}:{settings.port}"
    try:
        open_listener(settings.host, settings.port).close()
    except ConfigurationError as error:
        if _is_waypool(address):
            return Check("port", ok=True, message=f"Waypool serves at {address}")
        do = "end what listens there, or set WAYPOOL_PORT or WAYPOOL_HOST to another"
        return Check("port", ok=False, message=error.message, do=do)
    return Check("port", ok=True, message=f"{address} is free")


def _is_waypool(address: str) -> bool:
    try:
        answer = httpx.get(f"http://{address}/healthz", timeout=5, trust_env=False)
        return answer.is_success and answer.json() == {"status": "ok"}
    except (httpx.HTTPError, ValueError):
        return False

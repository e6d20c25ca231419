"""Opens the database that a command works on."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TypeVar

from backend.bootstrap import prepare_database
from backend.cli.output import warn
from backend.db.connect import open_database
from backend.db.migrate import is_served
from backend.db.session import Engine, make_engine
from backend.errors import ConfigurationError, UnavailableError
from backend.runs.life.queue import JobQueue
from backend.settings import Settings, read_settings

T = TypeVar("T")

RETRY_SECONDS = 1.0
"""A database that starts is up within seconds; asking it more often would not make it faster."""


def with_engine(work: Callable[[Engine], Awaitable[T]], settings: Settings | None = None) -> T:
    """Run `work` on the configured database; our own is migrated on the way, a given one must be."""
    settings = settings or read_settings()

    async def run(url: str) -> T:
        engine = make_engine(url, settings.database_pool_size)
        try:
            return await work(engine)
        finally:
            await engine.dispose()

    with open_database(settings) as url:
        make_ready(settings, url)
        return asyncio.run(run(url))


def with_queue(work: Callable[[Engine, JobQueue], Awaitable[T]]) -> T:
    """Run `work` with the queue beside the database."""
    settings = read_settings()

    async def run(url: str) -> T:
        engine = make_engine(url, settings.database_pool_size)
        try:
            async with JobQueue(
                url,
                engine,
                heartbeat_seconds=settings.heartbeat_seconds,
                stalled_after_seconds=settings.stalled_after_seconds,
            ) as queue:
                return await work(engine, queue)
        finally:
            await engine.dispose()

    with open_database(settings) as url:
        make_ready(settings, url)
        return asyncio.run(run(url))


def await_ready(settings: Settings, url: str) -> None:
    """As `make_ready`, for processes that stay: a database that is on its way up is waited for."""
    wait_for(lambda: make_ready(settings, url), settings.database_wait_seconds, warn)


def wait_for(
    attempt: Callable[[], None],
    seconds: float,
    tell: Callable[[str], None],
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Attempt until it works; what is down after `seconds` stays an `UnavailableError`."""
    until = time.monotonic() + seconds
    is_told = False
    while True:
        try:
            return attempt()
        except UnavailableError as error:
            if time.monotonic() >= until:
                waited = f" (waited {seconds:g} s)" if is_told else ""
                raise UnavailableError(f"{error.message}{waited}") from error
            if not is_told:
                tell(f"{error.message}; waiting up to {seconds:g} s for it")
            is_told = True
            sleep(min(RETRY_SECONDS, max(0.0, until - time.monotonic())))


def make_ready(settings: Settings, url: str) -> None:
    """Migrate our own database; refuse a given one that this version cannot work on."""
    if is_served(url):
        return
    if settings.database_url is None:
        prepare_database(url)
        return
    raise ConfigurationError("the database is not at this version: run 'waypool db upgrade'")

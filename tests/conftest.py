"""A real PostgreSQL for tests: one server a session, one migrated template, a clone for each test."""

import asyncio
import random
import shutil
import signal
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from psycopg import sql
from sqlalchemy import make_url
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.bootstrap import prepare_database, seed
from backend.db.embedded import start_embedded
from backend.db.migrate import upgrade
from backend.db.session import make_engine, transaction
from backend.settings import Settings
from tests.database import make_database, run_sql
from tests.pg15 import start_pg15
from tests.random_inputs import load_profile

load_profile()  # before test modules are read: their settings begin with the profile's

# A shell starts what it runs in the background deaf to Ctrl-C, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

LEFT = pytest.StashKey[dict[str, int]]()

# A test database need not survive a power cut.
FAST = ("fsync", "synchronous_commit", "full_page_writes")


LEFT_OUT = {
    "pg15": "on PostgreSQL 15 (Debian's package postgresql-15)",
    "matrix": "of scenarios with profiles (the guide's matrix)",
    "browser": "in a browser (Debian's package chromium)",
    "small_model": "with a real small model (the extra small-model)",
}
NOT_IN_CI = frozenset({"small_model"})


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """One seed for the order of tests and for hypothesis, so that it alone repeats a run."""
    option = config.option
    if getattr(option, "randomly_seed", None) == "default":
        option.randomly_seed = random.Random().getrandbits(32)
    if option.hypothesis_seed is None and isinstance(getattr(option, "randomly_seed", None), int):
        option.hypothesis_seed = str(option.randomly_seed)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Without `-m`, leave out what needs a package of Debian's."""
    if config.option.markexpr:
        return
    left = [item for item in items if any(item.get_closest_marker(name) for name in LEFT_OUT)]
    config.stash[LEFT] = {
        name: sum(item.get_closest_marker(name) is not None for item in left) for name in LEFT_OUT
    }
    items[:] = [item for item in items if item not in set(left)]
    config.hook.pytest_deselected(items=left)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where tests run in several processes (`-n`), only these know what was left out."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["left"] = session.config.stash.get(LEFT, {})


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Hear it from each; all of them were given all tests."""
    node.config.stash[LEFT] = getattr(node, "workeroutput", {}).get("left", {})


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Say in one line what was left out and what it needs."""
    left = config.stash.get(LEFT, {})
    for names, ending in ((left.keys() - NOT_IN_CI, "; .ci/run runs them too"), (NOT_IN_CI, "")):
        parts = [
            f"{left[name]} {LEFT_OUT[name]}" for name in LEFT_OUT if name in names & _any(left)
        ]
        if parts:
            terminalreporter.write_line(f"left out: {', '.join(parts)}{ending}")
    if terminalreporter.stats.get("failed") or terminalreporter.stats.get("error"):
        seeds = {"randomly": "randomly_seed", "hypothesis": "hypothesis_seed"}
        known = {name: getattr(config.option, key, None) for name, key in seeds.items()}
        repeat = " ".join(f"--{name}-seed={seed}" for name, seed in known.items() if seed)
        terminalreporter.write_line(f"to play the same inputs again: {repeat or 'no seed is set'}")


def _any(left: dict[str, int]) -> set[str]:
    return {name for name, count in left.items() if count}


@pytest.fixture(scope="session", params=["embedded", pytest.param("15", marks=pytest.mark.pg15)])
def server_url(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """An administrator's address of the server: our own, and once more PostgreSQL 15."""
    if request.param == "15":
        with start_pg15() as url:
            yield url
        return
    data = Settings(home=tmp_path_factory.mktemp("home")).embedded_data
    with start_embedded(data) as server:
        settings = [sql.SQL("alter system set {} = off").format(sql.Identifier(n)) for n in FAST]
        run_sql(server.url, *settings, "select pg_reload_conf()")
        yield server.url
    shutil.rmtree(data)


@pytest.fixture(scope="session")
def template_database(server_url: str) -> Iterator[str]:
    """Name of a database with all migrations and no rows."""
    with make_database(server_url) as url:
        upgrade(url)
        yield str(make_url(url).database)


@pytest.fixture
def database_url(server_url: str, template_database: str) -> Iterator[str]:
    """Address of a fresh migrated database that this test has for itself."""
    with make_database(server_url, template_database) as url:
        yield url


@pytest.fixture
def empty_database_url(server_url: str) -> Iterator[str]:
    """Address of a database without any table."""
    with make_database(server_url) as url:
        yield url


@pytest.fixture
async def engine(database_url: str) -> AsyncIterator[AsyncEngine]:
    """The product's engine on that database."""
    engine = make_engine(database_url)
    yield engine
    await engine.dispose()


@pytest.fixture(scope="session")
def seeded_template(server_url: str, template_database: str) -> Iterator[str]:
    """Name of a database with the seed catalogue and the rows of every installation."""
    with make_database(server_url, template_database) as url:
        prepare_database(url)
        asyncio.run(_seed(url))
        yield str(make_url(url).database)


async def _seed(url: str) -> None:
    engine = make_engine(url)
    async with transaction(engine) as session:
        await seed(session)
    await engine.dispose()


@pytest.fixture
def seeded_url(server_url: str, seeded_template: str) -> Iterator[str]:
    """Address of a database with the seed catalogue that this test has for itself."""
    with make_database(server_url, seeded_template) as url:
        yield url

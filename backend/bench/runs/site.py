"""An installation of its own for a scenario: a PostgreSQL that may be restarted, the seed catalogue, runs.

What a scenario has shown: figures, and demands that hold or not.
"""

import asyncio
import os
import shutil
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from backend.access.queries import create_key
from backend.audit.queries import Author
from backend.bench.runs.processes import HEARTBEAT_SECONDS, STALLED_SECONDS, Fleet, measure_tree
from backend.bench.runs.script import REQUEST, write_script
from backend.bootstrap import prepare_database
from backend.catalogue.seed import seed_catalogue
from backend.clock import read_utc
from backend.db.embedded import EmbeddedServer, start_embedded
from backend.db.session import Engine, make_engine, transaction
from backend.params.queries import write_param
from backend.runs.life.commands import start_run
from backend.runs.life.queue import JobQueue
from backend.settings import Settings

TENANT = "bench"


@dataclass
class Site:
    """What a scenario works with; `server` is None where the database is somebody else's.

    `model` is the address of the model's double.
    """

    url: str
    server: EmbeddedServer | None
    engine: Engine
    fleet: Fleet
    model: str
    _asking: psycopg.AsyncConnection | None = None

    @asynccontextmanager
    async def open_queue(self) -> AsyncIterator[JobQueue]:
        """The queue, to put runs in."""
        async with JobQueue(
            self.url, self.engine, heartbeat_seconds=5, stalled_after_seconds=60
        ) as queue:
            yield queue

    async def start_runs(self, count: int) -> list[str]:
        """Queue so many runs."""
        async with self.open_queue() as queue:
            started = [await start_run(self.engine, queue, TENANT, REQUEST) for _ in range(count)]
        return [start.run_id for start in started]

    async def make_key(self) -> str:
        """A key of the runs' tenant for the API."""
        async with transaction(self.engine) as session:
            _, secret = await create_key(session, TENANT, ("user",), "bench", read_utc())
        return secret

    async def count_steps(self) -> dict[str, int]:
        """The number of the last step, by run."""
        return dict(await self.ask("select run_id, max(seq) from run_log group by run_id"))

    async def wait_for_workers(self, count: int) -> None:
        """Until so many workers have signed on."""
        signed_on = "select count(*) from procrastinate_workers"
        while (await self.ask(signed_on))[0][0] < count:
            self.fleet.check()
            await asyncio.sleep(0.1)

    async def wait_for_end(self, pause: float = 0.2) -> None:
        """Until every run has ended, also where the database is away in between."""
        open_runs = "select count(*) from agent_run where status in ('queued', 'running')"
        while True:
            self.fleet.check()
            try:
                if (await self.ask(open_runs))[0][0] == 0:
                    return
            except psycopg.OperationalError:
                pass
            await asyncio.sleep(pause)

    async def ask(self, query: str) -> list[tuple[Any, ...]]:
        """Rows of a query; `psycopg.OperationalError` where the database is away."""
        if self._asking is None or self._asking.closed:
            self._asking = await psycopg.AsyncConnection.connect(self.url, autocommit=True)
        return await (await self._asking.execute(query.encode())).fetchall()

    async def close(self) -> None:
        """Hang up."""
        if self._asking is not None:
            await self._asking.close()

    def measure(self) -> dict[str, float]:
        """Processor's seconds of each part so far."""
        own = os.times()
        used = {**self.fleet.measure(), "bench": own.user + own.system}
        if self.server is not None:
            pid = int((self.server.data / "postmaster.pid").read_text().splitlines()[0])
            used["postgresql"] = measure_tree(pid)
        return used

    async def restart_database(self) -> None:
        """Stop PostgreSQL under everybody's feet, and start it again."""
        assert self.server is not None
        await asyncio.to_thread(self.server.restart)
        await self.close()  # what this site itself asked over is cut off too


@contextmanager
def _lend_server() -> Iterator[EmbeddedServer]:
    with tempfile.TemporaryDirectory(prefix="waypool-bench-") as home:
        data = Settings(home=Path(home)).embedded_data
        try:
            with start_embedded(data) as server:
                yield server
        finally:
            shutil.rmtree(data, ignore_errors=True)


@asynccontextmanager
async def open_site(
    delay: float, url: str | None = None, stalled_seconds: int = STALLED_SECONDS
) -> AsyncIterator[Site]:
    """A site with the double running and no worker yet; all of it is gone at the end.

    `url` lends it a database that has the seed catalogue.
    """
    with _lend_server() if url is None else nullcontext() as server:
        engine = make_engine(server.url if server else url or "")
        try:
            if server is not None:
                await _furnish(server, engine)
            async with _open_on(engine, delay, server, stalled_seconds) as site:
                yield site
        finally:
            await engine.dispose()


async def _furnish(server: EmbeddedServer, engine: Engine) -> None:
    await asyncio.to_thread(prepare_database, server.url)
    async with transaction(engine) as session:
        await seed_catalogue(session)


@asynccontextmanager
async def _open_on(
    engine: Engine, delay: float, server: EmbeddedServer | None, stalled_seconds: int
) -> AsyncIterator[Site]:
    address = engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    environment = {
        "WAYPOOL_DATABASE_URL": address,
        "WAYPOOL_MODEL": "double",
        "OPENAI_API_KEY": "none",
        "WAYPOOL_HEARTBEAT_SECONDS": str(HEARTBEAT_SECONDS),
        "WAYPOOL_STALLED_AFTER_SECONDS": str(stalled_seconds),
        "WAYPOOL_LOG_LEVEL": "error",
    }
    fleet = Fleet(environment)
    try:
        async with transaction(engine) as session:
            for key in ("TENANT_MAX_RUNNING", "TENANT_MAX_QUEUED"):
                await write_param(session, key, 1000, Author(read_utc()))
        model = fleet.start_double(await write_script(engine), delay)
        fleet.environment = {**environment, "OPENAI_BASE_URL": model}
        site = Site(address, server, engine, fleet, model)
        try:
            yield site
        finally:
            await site.close()
    finally:
        fleet.stop()


@dataclass(frozen=True)
class Demand:
    """One thing that must hold; `is_met` None: shown, without a demand at this size."""

    text: str
    is_met: bool | None


@dataclass(frozen=True)
class Report:
    """A scenario's outcome."""

    name: str
    figures: Mapping[str, Any]
    demands: tuple[Demand, ...]
    lines: tuple[str, ...] = field(default=())

    @property
    def is_met(self) -> bool:
        """Whether nothing that was demanded is missing."""
        return all(demand.is_met is not False for demand in self.demands)

    def as_json(self) -> dict[str, Any]:
        """The report as JSON values."""
        demands = [{"text": d.text, "met": d.is_met} for d in self.demands]
        return {"scenario": self.name, **self.figures, "demands": demands, "met": self.is_met}

    def describe(self) -> list[str]:
        """The report as lines."""
        marks = {True: "yes", False: "NO", None: "-"}
        demands = (f"  [{marks[d.is_met]:>3}] {d.text}" for d in self.demands)
        return [f"{self.name}:", *(f"  {line}" for line in self.lines), *demands]


def describe_shares(seconds: Mapping[str, float]) -> str:
    """The processor's seconds of each part, and its share of all."""
    total = sum(seconds.values()) or 1.0
    parts = sorted(seconds.items(), key=lambda part: -part[1])
    return ", ".join(f"{name} {value:.1f} s ({value / total:.0%})" for name, value in parts)

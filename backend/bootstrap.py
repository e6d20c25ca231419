"""Builds the long-lived objects once: engine, queue, event feed, planners."""

import asyncio
import importlib
import json
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from pydantic import ValidationError

from backend.agent.builtin_planner import REVISION_PHASES, BuiltinPlanner
from backend.agent.llm import LlmClient
from backend.agent.models import (
    ModelConfig,
    Models,
    ModelsFile,
    choose_default,
    read_models_file,
)
from backend.agent.provider_profile import Timeouts, list_faults
from backend.catalogue.importers.catalogue_csv import ImportReport
from backend.catalogue.name_index import index_all_names
from backend.catalogue.seed import seed_catalogue
from backend.clock import read_utc
from backend.db.migrate import upgrade
from backend.db.session import Base, Engine, Session, make_engine, transaction
from backend.errors import ConfigurationError
from backend.params.queries import insert_missing_params
from backend.replay.verify import carry_verification
from backend.results.store import ResultStore
from backend.runs.life.open_runs import prune_runs
from backend.runs.life.queue import JobQueue
from backend.runs.log.event_feed import EventFeed
from backend.runs.work.workflow import Means, Planners, advance_run, open_means
from backend.settings import Settings, read_variable
from backend.sources.exchange import Exchange, HostRules
from backend.sources.fetch import Fetcher
from backend.sources.queries import insert_configured
from backend.sources.store import ResponseCache, SourceStore
from backend.tools.queries import insert_missing_tools

VERIFYING = 2
"""Verifications of one worker at a time: each computes for a second beside the runs."""


@dataclass(frozen=True)
class Services:
    """What a process holds as long as it lives."""

    settings: Settings
    engine: Engine
    queue: JobQueue
    feed: EventFeed
    planners: Planners
    results: ResultStore
    means: Means
    sources: SourceStore
    verifying: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(VERIFYING))

    async def advance(self, run_id: str) -> None:
        """Carry one run to its end."""

        def is_stopping() -> bool:
            return self.queue.is_stopping

        await advance_run(self.engine, self.planners, run_id, is_stopping, self.means)

    async def verify(self, verification_id: str) -> None:
        """Do one verification; what it came to is kept."""
        async with self.verifying:
            await carry_verification(self.engine, self.results, verification_id)

    async def keep_up(self) -> None:
        """Prune what is kept no longer: ended runs, old keys, results that nobody reads."""
        await prune_runs(self.engine, read_utc())
        await self.results.sweep()

    def begin_to_stop(self) -> None:
        """Let readers of events go, and runs end with the step they are at."""
        self.queue.begin_to_stop()
        self.feed.close()

    async def work(self) -> None:
        """Work on the queue until cancelled."""
        if self.planners.models is not None:
            await self.planners.models.warm_up()
        count = self.settings.worker_concurrency
        await self.queue.work(self.advance, count, self.keep_up, self.verify)


@asynccontextmanager
async def open_services(settings: Settings, url: str) -> AsyncIterator[Services]:
    """The services on a database that is up and at this version; all is closed at the end."""
    async with AsyncExitStack() as stack:
        engine = make_engine(url, settings.database_pool_size)
        stack.push_async_callback(engine.dispose)
        await insert_missing_rows(engine)
        queue = await stack.enter_async_context(
            JobQueue(
                url,
                engine,
                heartbeat_seconds=settings.heartbeat_seconds,
                stalled_after_seconds=settings.stalled_after_seconds,
            )
        )
        feed = await stack.enter_async_context(EventFeed(url, engine).listening())
        means = await stack.enter_async_context(open_means(engine))
        results = make_store(settings, engine)
        sources = SourceStore(means.statements, make_fetcher(settings, engine))
        planners = make_planners(settings, results, sources)
        yield Services(settings, engine, queue, feed, planners, results, means, sources)


def make_store(settings: Settings, engine: Engine) -> ResultStore:
    """Where large results go, encrypted if there is a key."""
    key = settings.result_key
    return ResultStore(engine, key.get_secret_value() if key else None)


def make_fetcher(settings: Settings, engine: Engine | None) -> Fetcher:
    """How sources are fetched; without an engine nothing is kept for the next time."""
    rules = HostRules.read(settings.source_hosts, settings.source_private_hosts)
    key = settings.result_key
    secret = key.get_secret_value() if key else None
    return Fetcher(Exchange(rules), ResponseCache(engine, secret) if engine else None)


def make_planners(
    settings: Settings, results: ResultStore, sources: SourceStore | None = None
) -> Planners:
    """The built-in planner, and the language models that are configured."""
    return Planners(_open_builtin, make_models(settings), results, _open_reviser, sources)


@asynccontextmanager
async def _open_builtin() -> AsyncIterator[LlmClient]:
    yield BuiltinPlanner()


@asynccontextmanager
async def _open_reviser() -> AsyncIterator[LlmClient]:
    yield BuiltinPlanner(REVISION_PHASES)


def make_models(settings: Settings) -> Models | None:
    """The models of the file and of the environment, the default one first; None without any."""
    file = _read_models_file(settings)
    single = _make_single_model(settings) if settings.model else None
    configs = choose_default(file.models if file else (), single)
    if not configs:
        return None
    timeouts = Timeouts(
        connect=settings.model_connect_seconds,
        first_byte=settings.model_first_byte_seconds,
        silence=settings.model_silence_seconds,
        answer=settings.model_timeout_seconds,
    )
    return Models(configs, timeouts, read_variable, file.currency if file else "USD")


def _make_single_model(settings: Settings) -> ModelConfig:
    try:
        return ModelConfig(
            name=settings.model or "",
            base_url=settings.openai_base_url,
            api_key=settings.openai_api_key,
            profile=settings.model_profile,
        )
    except ValidationError as error:
        found = list_faults(error, ())
        faults = (f"{_VARIABLES[entry['loc'][0]]}: {said}" for entry, said in found)
        raise ConfigurationError("; ".join(faults)) from None


_VARIABLES = {"name": "WAYPOOL_MODEL", "base_url": "OPENAI_BASE_URL"}


def _read_models_file(settings: Settings) -> ModelsFile | None:
    path = settings.models_file
    if path is None:
        return None
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise ConfigurationError(
            f"WAYPOOL_MODELS_FILE: cannot read {path}: {error.strerror}"
        ) from None
    except (ValueError, RecursionError) as error:
        raise ConfigurationError(
            f'{path} is no JSON, as WAYPOOL_MODELS_FILE has to be ({{"models": […]}}): {error}'
        ) from None
    return read_models_file(document, str(path))


def list_tables() -> frozenset[str]:
    """Names of all tables of Waypool; its queue has more of its own."""
    for module in _TABLES:
        importlib.import_module(module)
    return frozenset(Base.metadata.tables)


_TABLES = (
    "backend.access.queries",
    "backend.catalogue.tables",
    "backend.params.queries",
    "backend.results.queries",
    "backend.runs.log.tables",
    "backend.sources.queries",
    "backend.tools.queries",
)
"""As in `migrations/env/env.py`."""


def prepare_database(url: str) -> None:
    """Migrate a database and add the rows that every installation has."""
    upgrade(url)
    asyncio.run(_insert_rows(url))


async def seed(session: Session) -> ImportReport:
    """The catalogue and the sources that come along; again it changes nothing."""
    await insert_configured(session, read_utc())
    return await seed_catalogue(session)


async def insert_missing_rows(engine: Engine) -> None:
    """Parameters, tools and keys of names that the database has not; at each start."""
    async with transaction(engine) as session:
        await insert_missing_params(session, read_utc())
        await insert_missing_tools(session, read_utc())
        await index_all_names(session)


async def _insert_rows(url: str) -> None:
    engine = make_engine(url, 1)
    try:
        await insert_missing_rows(engine)
    finally:
        await engine.dispose()

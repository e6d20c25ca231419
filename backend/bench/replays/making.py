"""Makes the runs and writes their exports: the built-in planner's, and a scripted model's."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from backend.agent.llm import Hear, LlmClient
from backend.agent.models import ModelConfig, Models
from backend.agent.provider_profile import Timeouts
from backend.agent.replies import dump_json
from backend.audit.queries import Author
from backend.bench.quality import TENANT, Bench
from backend.bench.replays.wanderer import SOURCE, Meddle, Wanderer, make_rows
from backend.clock import read_utc
from backend.db.session import Engine, transaction
from backend.replay.export import RunExport
from backend.replay.live import build_export
from backend.runs.life.commands import start_run
from backend.runs.log.queries import hold_run
from backend.runs.work.workflow import Means, Planners, advance_run
from backend.sources.queries import add_source, write_source
from backend.sources.spec import Source
from backend.sources.store import Asked, AtHand, SourceStore, ask_source
from backend.tools.queries import write_tool

MODEL = "wanderer"
COLUMNS = {"point": {"type": "text"}, "n": {"type": "integer"}, "total": {"type": "integer"}}
SPEC = {
    "name": SOURCE,
    "description": "How many cross the border, by gate.",
    "address": "http://127.0.0.1/{day}",
    "format": "json",
    "arguments": [{"name": "day", "type": "text", "description": "Which day."}],
    "projection": {
        "tables": {"t": {"from": "rows", "columns": COLUMNS}},
        "parts": {"rows": {"table": "t"}},
    },
}


class MadeUpSources(SourceStore):
    """The sources of the database; what they answer is made up here, or is none."""

    async def ask(self, source: Source, given: Mapping[str, Any]) -> Asked:
        """The facts of a day; a `SourceError` where it is down."""
        day = str(given.get("day"))
        raw = b"oh no" if day == "down" else dump_json(list(make_rows(day))).encode()
        return await ask_source(AtHand(raw), source, given)


@dataclass(frozen=True)
class ScriptedModels(Models):
    """Models of which any is the one that is given here."""

    llm: LlmClient | None = None

    @asynccontextmanager
    async def open(self, name: str | None, hear: Hear | None = None) -> AsyncIterator[LlmClient]:
        """The scripted one."""
        assert self.llm is not None
        yield self.llm


async def add_made_up_source(engine: Engine) -> None:
    """Let runs be offered the source."""
    async with transaction(engine) as session:
        await add_source(session, Source.model_validate(SPEC), Author(read_utc()))
        await write_source(session, SOURCE, Author(read_utc()), enabled=True)


async def make_export_of(
    bench: Bench, means: Means, raw: Mapping[str, Any], planners: Planners
) -> RunExport:
    """A run as any other, and its export."""
    assert planners.results is not None
    run_id = (await start_run(bench.engine, None, TENANT, raw)).run_id
    async with hold_run(bench.engine, run_id):
        await advance_run(bench.engine, planners, run_id, means=means)
    return await build_export(bench.engine, planners.results, run_id, TENANT)


def script_planners(
    bench: Bench, sources: SourceStore, raw: Mapping[str, Any], n: int
) -> tuple[dict[str, Any], Planners]:
    """The request and the planners of the n-th scripted run; every other one may fall back."""
    cities = [destination["city"] for destination in raw["destinations"]]
    llm = Wanderer(cities, n, make_meddler(bench.engine), fails=n % 3 == 0)
    models = ScriptedModels([ModelConfig(name=MODEL)], Timeouts(), lambda _: None, llm=llm)
    planners = replace(bench.planners, models=models, sources=sources)
    return {**raw, "planner": "openai" if n % 2 else "auto", "notes": f"note {n}"}, planners


def make_meddler(engine: Engine) -> Meddle:
    """An admin who cannot leave limits and switches alone, whoever is running."""

    async def meddle(random: Random) -> None:
        author = Author(read_utc())
        async with transaction(engine) as session:
            rows = {"max_return_rows": random.choice((None, random.randint(1, 40)))}
            await write_tool(session, "list_pois", rows, author)
            await write_tool(session, "get_poi", {"enabled": random.random() < 0.7}, author)
            await write_source(session, SOURCE, author, enabled=random.random() < 0.8)

    return meddle


def write_export(folder: Path, n: int, export: RunExport) -> Path:
    """The file of the n-th run, as `waypool runs export` writes it."""
    path = folder / f"{n:04}.json"
    path.write_text(dump_json(export.document), encoding="utf-8")
    return path

"""A run whose facts lie behind a handle: exported, verified without a database, replayed twice."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from backend.agent.llm import LlmClient, Message, ModelReply
from backend.agent.replies import calls
from backend.audit.queries import Author
from backend.bootstrap import make_fetcher, make_store
from backend.clock import read_utc
from backend.db.session import Engine, make_engine, transaction
from backend.replay.live import Change, build_export, start_live
from backend.replay.verify import verify
from backend.runs.life.commands import start_run
from backend.runs.life.result import show_run
from backend.runs.work.workflow import Means, Planners, advance_run, open_means
from backend.sources.queries import add_source, write_source
from backend.sources.spec import Source
from backend.sources.store import SourceStore
from backend.tools.call import ToolSchema
from backend.tools.queries import write_tool
from tests.flows.conftest import REQUEST, make_settings
from tests.sources.server import make_answer
from tests.sources.server import serve as serve_double
from tests.sources.specs import make_spec

pytestmark = pytest.mark.sql

LINES = [{"n": n, "of": n % 3, "name": f"line {n}"} for n in range(400)]
ROWS = make_answer(json.dumps(LINES).encode())
SUMS = {"aggregate": [{"op": "sum", "field": "n"}], "group_by": ["of"]}
COLUMNS = {"n": {"type": "integer"}, "of": {"type": "integer"}, "name": {"type": "text"}}
PROJECTION = {
    "tables": {"t": {"from": "rows", "columns": COLUMNS, "min_rows": 0}},
    "parts": {"rows": {"table": "t"}},
}


class Reader:
    """Asks the source, then the handle it was given; `paths` are asked of it one after the other."""

    def __init__(self, engine: Engine, *paths: str, **asks: str) -> None:
        self._engine, self._paths, self._asks = engine, list(paths), asks
        self.heard: list[dict[str, Any]] = []

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> ModelReply:
        self.heard = [json.loads(m.content) for m in messages if m.role == "tool"]
        if not self.heard:
            return calls("double", **self._asks)
        if len(self.heard) == 1:
            return calls("doubel")
        if len(self.heard) == 2:
            async with transaction(self._engine) as session:  # an admin, in mid-run
                limit = {"max_return_rows": 3}
                await write_tool(session, "list_pois", limit, Author(read_utc()))
            return calls("list_pois", city="beijing")
        asked = len(self.heard) - 3
        if asked < len(self._paths):
            return calls("result_query", handle=self.heard[0]["handle"], path=self._paths[asked])
        if asked == len(self._paths):
            return calls("result_query", handle=self.heard[0]["handle"], query=SUMS)
        return calls("submit_itinerary")

    @asynccontextmanager
    async def open(self) -> AsyncIterator[LlmClient]:
        yield self


def replay_elsewhere(file: Path, *options: str) -> Any:
    """What the command says on a machine that reaches no database and may not start one."""
    nowhere = {
        "WAYPOOL_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
        "HOME": "/nonexistent",
    }
    line = [sys.executable, "-m", "backend.cli", "replay", str(file), *options, "--json"]
    folder = Path(__file__).parents[2]
    done = subprocess.run(
        line, env=nowhere, cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr + done.stdout
    return json.loads(done.stdout)


async def run_beside_a_source(engine: Engine, planners: Planners, means: Means) -> str:
    """A run while the source was up."""
    async with serve_double(ROWS) as double:
        spec = make_spec(double.at(), projection=PROJECTION, retries=0)
        source = Source.model_validate(spec)
        async with transaction(engine) as session:
            await add_source(session, source, Author(read_utc()))
            await write_source(session, "double", Author(read_utc()), enabled=True)
        run_id: str = (await start_run(engine, None, "one", REQUEST)).run_id
        await advance_run(engine, planners, run_id, means=means)
    return run_id


async def test_it_verifies_without_a_database_and_a_replay_of_its_replay_reads_the_handle(
    seeded_url: str, tmp_path: Path
) -> None:
    settings = make_settings(seeded_url, source_private_hosts="127.0.0.1")
    engine = make_engine(seeded_url)
    store = make_store(settings, engine)
    first = Reader(engine, "rows[399]", "rows[*].name", "rows[?of == 0].length")
    async with open_means(engine) as means:
        sources = SourceStore(means.statements, make_fetcher(settings, engine))
        planners = Planners(first.open, None, store, None, sources)
        run_id = await run_beside_a_source(engine, planners, means)
        assert first.heard[0]["handle"].startswith("res_")
        assert first.heard[1]["error"]["allowed"][0] == "double"
        assert first.heard[2]["limit"] == 3
        assert first.heard[3]["value"] == LINES[399]

        export = await build_export(engine, store, run_id, None)
        file = tmp_path / "run.json"
        file.write_text(json.dumps(export.document, ensure_ascii=False), encoding="utf-8")
        verified, turns = await asyncio.gather(
            asyncio.to_thread(replay_elsewhere, file),
            asyncio.to_thread(replay_elsewhere, file, "--step"),
        )
        assert (verified["verified"], verified["difference"]) == (True, None)
        assert (verified["calls_computed"], verified["calls_recorded"]) == (len(first.heard), 1)
        assert "double" in turns["turns"][0]["tools"]
        assert len(turns["turns"]) == len(first.heard) + 1

        # The source is gone, and switched off: it answers as it did, and so does what lies behind.
        async with transaction(engine) as session:
            await write_source(session, "double", Author(read_utc()), enabled=False)
        second, third = Reader(engine, "rows.length"), Reader(engine, "rows[-1].n", "rows[0]")
        for reader in (second, third):
            run_id = await start_live(engine, None, run_id, None, Change(limits={"list_pois": 7}))
            await advance_run(engine, replace(planners, builtin=reader.open), run_id)
            shown = (await show_run(engine, run_id, "one")).as_json()
            assert shown["status"] != "failed", shown["error"]
            again = await build_export(engine, store, run_id, None)
            assert (await verify(again)).difference is None
            assert again.results == export.results
        assert second.heard[3] == {"value": 400}
        assert [found["value"] for found in third.heard[3:5]] == [399, LINES[0]]

        wrong = Reader(engine, day="9")
        run_id = await start_live(engine, None, run_id, None, Change())
        await advance_run(engine, replace(planners, builtin=wrong.open), run_id)
        ended = (await show_run(engine, run_id, "one")).as_json()
        assert (ended["status"], ended["error"]["code"]) == ("failed", "NOT_RECORDED")
        assert "double was not asked this" in ended["error"]["message"]
        await engine.dispose()

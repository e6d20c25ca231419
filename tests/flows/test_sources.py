"""Sources over HTTP, and in a run: a double on this machine, up and down."""

import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from backend.agent.builtin_planner import BuiltinPlanner
from backend.agent.llm import LlmClient, Message, ModelReply
from backend.agent.replies import calls
from backend.audit.queries import Author
from backend.bootstrap import make_fetcher, make_store
from backend.clock import read_utc
from backend.db.session import make_engine, transaction
from backend.runs.life.commands import start_run
from backend.runs.life.result import show_run
from backend.runs.work.workflow import Planners, advance_run, open_means
from backend.sources.queries import add_source, write_source
from backend.sources.spec import Source
from backend.sources.store import SourceStore
from backend.tools.call import ToolSchema
from tests.flows.conftest import REQUEST, Client, make_key, make_settings, serve
from tests.sources.server import make_answer
from tests.sources.server import serve as serve_double
from tests.sources.specs import make_spec

pytestmark = pytest.mark.sql

PATH = "/v1/admin/sources"
ROWS = make_answer(json.dumps([{"n": n} for n in range(200)]).encode(), cache_control="max-age=99")


async def test_admins_add_try_and_switch(seeded_url: str) -> None:
    settings = make_settings(seeded_url, source_private_hosts="127.0.0.1")
    headers = {"Authorization": f"Bearer {await make_key(seeded_url, 'one', 'admin')}"}
    async with (
        serve_double(ROWS) as double,
        serve(settings) as address,
        httpx.AsyncClient(base_url=address, headers=headers, timeout=60) as admin,
    ):
        assert len((await admin.get(PATH)).json()["items"]) == 6
        spec = make_spec(double.at(path="/{day}"), arguments=[
            {"name": "day", "type": "date", "description": "A day."}
        ])  # fmt: skip
        added = await admin.post(PATH, json=spec)
        assert (added.status_code, added.json()["enabled"]) == (201, False)
        assert (await admin.post(PATH, json=spec)).status_code == 409
        refused = await admin.post(PATH, json=spec | {"format": "pdf", "cities": 1})
        assert {e["pointer"] for e in refused.json()["errors"]} == {"/format", "/cities"}
        body = {"arguments": {"day": "2031-01-02"}}
        tried = (await admin.post(f"{PATH}/double/test", json=body)).json()
        assert (tried["ok"], tried["cached"], double.paths) == (True, False, ["/2031-01-02"])
        assert tried["answer"]["kept"]["rows"] == 200
        again = (await admin.post(f"{PATH}/double/test", json=body)).json()
        assert (again["cached"], len(double.paths)) == (True, 1)
        wrong = await admin.post(f"{PATH}/double/test", json={"arguments": {"day": "x"}})
        assert (wrong.status_code, wrong.json()["code"]) == (422, "BAD_ARGUMENTS")
        tag = {"If-Match": added.headers["ETag"]}
        changed = await admin.patch(f"{PATH}/double", json={"enabled": True}, headers=tag)
        assert (changed.json()["enabled"], changed.json()["version"]) == (True, 2)
        lost = await admin.patch(f"{PATH}/double", json={"enabled": False}, headers=tag)
        assert lost.status_code == 412
        spec["address"] = double.at("10.0.0.1")
        await admin.patch(f"{PATH}/double", json={"source": spec})
        forbidden = (await admin.post(f"{PATH}/double/test", json=body)).json()
        assert (forbidden["ok"], forbidden["error"]["code"]) == (False, "SOURCE_FORBIDDEN")
        renamed = await admin.patch(f"{PATH}/double", json={"source": spec | {"name": "other"}})
        assert renamed.status_code == 422
        assert (await admin.delete(f"{PATH}/double")).status_code == 204
        assert (await admin.get(f"{PATH}/double")).status_code == 404
        trail = (await admin.get("/v1/admin/audit?kind=source")).json()["items"]
        assert [entry["version"] for entry in trail] == [4, 3, 2, 1]


async def test_others_may_not(api: Client) -> None:
    assert (await (await api("one", "user")).get(PATH)).status_code == 403


class AsksFirst:
    """The built-in planner, after one call of a source that it does not know of."""

    def __init__(self) -> None:
        self.offered: list[str] = []
        self.heard: list[dict[str, Any]] = []

    async def reply(self, messages: Sequence[Message], tools: Sequence[ToolSchema]) -> ModelReply:
        answered = [m for m in messages if m.role != "user" and m.role != "system"]
        if not answered:
            self.offered = [tool.name for tool in tools]
            return calls("double")
        if not self.heard:
            self.heard = [json.loads(m.content) for m in answered if m.role == "tool"]
        at = messages.index(answered[0])
        return await BuiltinPlanner().reply([*messages[:at], *messages[at + 2 :]], tools)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[LlmClient]:
        yield self


@pytest.mark.parametrize("is_up", [True, False])
async def test_a_run_asks_a_source_and_goes_on_without_it(seeded_url: str, is_up: bool) -> None:
    settings = make_settings(seeded_url, source_private_hosts="127.0.0.1")
    engine = make_engine(seeded_url)
    answer = ROWS if is_up else make_answer(b"", "500 Oh no")
    async with serve_double(answer) as double:
        source = Source.model_validate(make_spec(double.at(), cities=["beijing"], retries=0))
        async with transaction(engine) as session:
            await add_source(session, source, Author(read_utc()))
            await write_source(session, "double", Author(read_utc()), enabled=True)
        planner = AsksFirst()
        async with open_means(engine) as means:
            sources = SourceStore(means.statements, make_fetcher(settings, engine))
            planners = Planners(planner.open, None, make_store(settings, engine), None, sources)
            run_id = (await start_run(engine, None, "one", REQUEST)).run_id
            await advance_run(engine, planners, run_id, means=means)
        result = (await show_run(engine, run_id, "one")).as_json()
    await engine.dispose()
    assert "double" in planner.offered
    assert result["status"] == "succeeded"
    warned = [v for v in result["violations"] if v["code"] == "SOURCE_FAILED"]
    if is_up:
        assert planner.heard[0]["handle"].startswith("res_")
        assert not warned
    else:
        assert planner.heard[0]["error"]["code"] == "SOURCE_DOWN"
        assert [(v["severity"], "double" in v["message"]) for v in warned] == [("warning", True)]

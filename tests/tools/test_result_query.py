"""`result_query` and the step that puts a long result behind a handle, on a real store."""

import json
from typing import Any

import pytest
from sqlalchemy.ext.asyncio import AsyncEngine

from backend.clock import read_utc
from backend.db.session import transaction
from backend.ids import make_id
from backend.results.handle import Owner, Reader
from backend.results.run_results import RunResults
from backend.results.store import ResultStore
from backend.results.values import count_tokens, write_json
from backend.runs.log.queries import insert_run
from backend.tools.call import ToolCall, ToolOutcome
from backend.tools.context import HandleMode, RunState, ToolLimit, put_away
from backend.tools.runner import ToolRunner
from tests.factories import make_snapshot

CONTENT = {"rows": [{"id": n, "price": n / 4, "name": f"客户{n}"} for n in range(300)]}


async def make_results(engine: AsyncEngine, tenant: str = "one") -> RunResults:
    run_id = make_id("run")
    values = {"id": run_id, "tenant": tenant, "status": "running", "executor": "x"}
    rest = {"planner": "builtin", "locale": "en", "request": {}, "created_at": read_utc()}
    async with transaction(engine) as session:
        await insert_run(session, values | rest)
    return RunResults(ResultStore(engine, None), Owner(tenant, run_id), "en")


class Desk:
    """Calls of one run, the state folded in between."""

    def __init__(self, results: RunResults | None) -> None:
        async def no_limits() -> dict[str, ToolLimit]:
            return {}

        self.runner = ToolRunner(make_snapshot(), no_limits, results)
        self.state = RunState()

    async def ask(self, **arguments: Any) -> dict[str, Any]:
        call = ToolCall(id="c", name="result_query", arguments=json.dumps(arguments))
        outcome = await self.runner.run(call, self.state)
        assert ToolOutcome.model_validate_json(outcome.model_dump_json()) == outcome
        self.state = self.state.after(outcome)
        return outcome.content


async def put(results: RunResults, mode: HandleMode = "auto", threshold: int = 800) -> Any:
    limit = ToolLimit(handle_mode=mode, handle_threshold_tokens=threshold)
    return await put_away(CONTENT, "some_source", {"q": "x"}, limit, results)


@pytest.mark.sql
async def test_a_model_asks_about_what_it_got_a_handle_for(engine: AsyncEngine) -> None:
    results = await make_results(engine)
    offered = await put(results)
    assert set(offered) == {"handle", "state", "summary", "hint"}
    assert offered["summary"]["filters"] == {"q": "x"}
    assert "客户299" not in write_json(offered)
    desk = Desk(results)
    handle = offered["handle"]
    assert await desk.ask(handle=handle, path="rows[?price==74.75].id") == {"value": [299]}
    figures = await desk.ask(handle=handle, query={"aggregate": [{"op": "sum", "field": "price"}]})
    assert figures["rows"] == [{"sum_price": 11212.5}]
    long = await desk.ask(handle=handle, path="rows")
    assert long["truncated"] is True
    assert count_tokens(write_json(long)) <= 500


@pytest.mark.sql
async def test_the_row_of_the_tool_decides(engine: AsyncEngine) -> None:
    results = await make_results(engine)
    assert await put(results, "never") == CONTENT
    assert "handle" in await put(results, "always")
    assert await put(results, "auto", count_tokens(write_json(CONTENT))) == CONTENT
    assert "handle" in await put(results, "auto", count_tokens(write_json(CONTENT)) - 1)


@pytest.mark.sql
async def test_the_same_question_is_a_repeat(engine: AsyncEngine) -> None:
    results = await make_results(engine)
    handle = (await put(results))["handle"]
    desk = Desk(results)
    await desk.ask(handle=handle, path="rows.length")
    assert (await desk.ask(handle=handle, path="rows.length"))["repeat_of"] == 1
    await results.store.delete(handle, Reader("test", "one"))
    assert (await desk.ask(handle=handle, path="rows.length"))["error"]["code"] == "NO_SUCH_HANDLE"


@pytest.mark.sql
async def test_another_run_has_no_such_handle_but_a_child_has(engine: AsyncEngine) -> None:
    results, other = await make_results(engine), await make_results(engine)
    handle = (await put(results))["handle"]
    foreign = await Desk(other).ask(handle=handle, path="rows.length")
    assert foreign == await Desk(other).ask(handle=make_id("res"), path="rows.length")
    assert foreign["error"]["code"] == "NO_SUCH_HANDLE"
    parent = str(results.owner.run_id)
    child = RunResults(other.store, other.owner, "en", (parent,))
    assert await Desk(child).ask(handle=handle, path="rows.length") == {"value": 300}


@pytest.mark.sql
async def test_a_refusal_names_the_place(engine: AsyncEngine) -> None:
    results = await make_results(engine)
    handle = (await put(results))["handle"]
    error = (await Desk(results).ask(handle=handle, path="rows[?price>="))["error"]
    assert (error["code"], error["position"]) == ("BAD_PATH", 13)


async def test_without_a_store_it_is_not_offered_and_knows_no_handle() -> None:
    desk = Desk(None)
    assert "result_query" not in [schema.name for schema in await desk.runner.offered()]
    assert (await desk.ask(handle="res_x", path="rows"))["error"]["code"] == "NO_SUCH_HANDLE"
    both = await desk.ask(handle="res_x", path="rows", query={"limit": 1})
    assert both["error"]["code"] == "BAD_ARGUMENTS"
    assert (await desk.ask(handle="res_x"))["error"]["code"] == "BAD_ARGUMENTS"

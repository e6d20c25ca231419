"""One trip over the seed catalogue: the catalogue whole in the context, or pages of the pool."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from backend.agent.prompt import write_opening
from backend.bench.context.strategies import Conversation, Size, measure
from backend.bench.quality import TENANT, install
from backend.db.session import Engine, transaction
from backend.planner.plan.draft import Draft
from backend.pool.snapshot import Snapshot
from backend.results.values import write_json
from backend.runs.life.commands import start_run
from backend.runs.log.queries import hold_run, read_snapshot_text
from backend.runs.log.run_log import read_steps
from backend.runs.log.steps import ModelReplied, Step, ToolCalled, select_payloads
from backend.runs.work.workflow import Planners, advance_run
from backend.settings import Settings, find_data
from backend.tools.registry import TOOLS, find_tool
from backend.tools.tool import describe_tool

REQUEST: Mapping[str, Any] = {
    "origin": "上海",
    "destinations": [{"city": "北京"}, {"city": "西安"}],
    "start_date": "2026-10-12",
    "days": 5,
    "travellers": 2,
    "budget_tier": "comfort",
    "interests": ["history", "food"],
    "locale": "en",
    "planner": "builtin",
}
_TABLES = ("pois", "hotels", "trains")
_READS = {"list", "detail"}


async def measure_trip(url: str, settings: Settings) -> dict[str, Any]:
    """Contexts of one run of the built-in planner, and of the same writes over dumped rows."""
    async with install(url, settings) as bench:
        snapshot, steps = await _plan(bench.engine, bench.planners)
    opening = write_opening(snapshot, Draft())
    base = measure("".join(message.content for message in opening)) + measure_tools()
    rows = [(table, row) for table in _TABLES for row in _read_rows(table)]
    near = [(table, row) for table, row in rows if _is_near(table, row, snapshot)]
    return {
        "request": dict(REQUEST),
        "base": base.as_json(),
        "pool pages": _follow(base, steps) | {"rows": _count_rows(steps)},
        "rows of its cities": _dump(base, near, steps),
        "whole catalogue": _dump(base, rows, steps),
    }


def measure_tools() -> Size:
    """The schemas of all tools, which every request carries."""
    return measure(write_json([describe_tool(tool).model_dump(mode="json") for tool in TOOLS]))


async def _plan(engine: Engine, planners: Planners) -> tuple[Snapshot, Sequence[Step]]:
    started = await start_run(engine, None, TENANT, REQUEST)
    async with hold_run(engine, started.run_id):
        await advance_run(engine, planners, started.run_id)
    async with transaction(engine) as session:
        text = await read_snapshot_text(session, started.run_id)
    assert text is not None
    return Snapshot.model_validate_json(text), await read_steps(engine, started.run_id)


def _follow(base: Size, steps: Sequence[Step]) -> dict[str, Any]:
    """The conversation as it went: a round for each reply."""
    main = Conversation(base)
    for step in steps:
        if isinstance(step.payload, ModelReplied):
            main.ask()
        elif isinstance(step.payload, ToolCalled):
            main.add(_measure_call(step.payload))
    return _describe(main)


def _dump(base: Size, rows: Sequence[tuple[str, Any]], steps: Sequence[Step]) -> dict[str, Any]:
    """The rows before the first round, then the writes alone."""
    main = Conversation(base + measure(write_json([row for _, row in rows])))
    turn = None
    for called in select_payloads(steps, ToolCalled):
        if not _is_read(called):
            if called.turn != turn:
                main.ask()
            turn = called.turn
            main.add(_measure_call(called))
    return _describe(main) | {"rows": len(rows)}


def _is_read(called: ToolCalled) -> bool:
    tool = find_tool(called.call.name)
    return tool is not None and tool.effect in _READS


def _measure_call(called: ToolCalled) -> Size:
    return measure(called.call.arguments) + measure(write_json(called.outcome.content))


def _count_rows(steps: Sequence[Step]) -> int:
    calls = select_payloads(steps, ToolCalled)
    return sum(called.outcome.content.get("returned", 0) for called in calls)


def _describe(main: Conversation) -> dict[str, Any]:
    return {
        "final_context": main.context.as_json(),
        "throughput": main.sent.as_json(),
        "rounds": main.rounds,
    }


def _read_rows(table: str) -> Iterator[dict[str, str]]:
    for path in sorted((find_data("seed_data") / table).glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as stream:
            yield from csv.DictReader(stream)


def _is_near(table: str, row: Mapping[str, str], snapshot: Snapshot) -> bool:
    if table != "trains":
        return row["city"] in snapshot.cities
    pairs = {(leg.from_city, leg.to_city) for leg in snapshot.legs}
    return (row["from_city"], row["to_city"]) in pairs

"""Carries a live replay out: of a stored run as a stored run, of a file in memory."""

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Any

from backend.agent.builtin_planner import REVISION_PHASES, BuiltinPlanner
from backend.agent.llm import LlmClient
from backend.bootstrap import make_models, make_planners, make_store
from backend.cli.database import with_engine
from backend.db.session import Engine
from backend.errors import ConfigurationError
from backend.replay.export import RunExport
from backend.replay.live import Change, run_live, start_live
from backend.runs.queries import hold_run
from backend.runs.result import show_run
from backend.runs.workflow import advance_run
from backend.settings import Settings, read_settings


def choose_settings(change: Change, base_url: str | None) -> Settings:
    """The settings, with the model and the address of this once."""
    given = {"model": change.model, "openai_base_url": base_url}
    settings = read_settings()
    return settings.model_copy(update={key: value for key, value in given.items() if value})


def replay_stored(run_id: str, change: Change, base_url: str | None) -> dict[str, Any]:
    """The result of a new run on a stored run's snapshot."""
    settings = choose_settings(change, base_url)

    async def work(engine: Engine) -> dict[str, Any]:
        child = await start_live(engine, None, run_id, None, change)
        planners = make_planners(settings, make_store(settings, engine))
        async with hold_run(engine, child):
            await advance_run(engine, planners, child)
        return await show_run(engine, child, None)

    return with_engine(work, settings)


def replay_file(export: RunExport, change: Change, base_url: str | None) -> dict[str, Any]:
    """The result of a run in memory; nothing is stored."""
    settings = choose_settings(change, base_url)

    async def work() -> RunExport:
        used = export.result.get("planner_used") or "builtin"
        if change.choose_planner(used) != "openai":
            is_revision = any(step.kind == "revision_begun" for step in export.steps)
            planner = BuiltinPlanner(REVISION_PHASES) if is_revision else BuiltinPlanner()
            return await run_live(export, change, planner)
        async with _open_model(settings, change.model) as llm:
            return await run_live(export, change, llm)

    ended = asyncio.run(work())
    return {
        "id": ended.run["id"],
        "status": ended.run["status"],
        "parent_run_id": export.run["id"],
        "request": ended.snapshot.request.model_dump(mode="json"),
        "snapshot_sha256": ended.snapshot.sha256,
        **ended.result,
    }


def _open_model(settings: Settings, model: str | None) -> AbstractAsyncContextManager[LlmClient]:
    models = make_models(settings)
    if models is None:
        raise ConfigurationError("no language model is configured; set WAYPOOL_MODEL or --model")
    return models.open(model)

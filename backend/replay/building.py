"""Reads a run out of the database into an export; nothing of it is written to."""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from backend.db.session import Engine, transaction
from backend.errors import ConflictError, ToolError
from backend.replay.export import RunExport, make_export, put_together
from backend.replay.memory_results import list_handles
from backend.results.document import Document, thaw
from backend.results.handle import Reader
from backend.results.store import ResultStore
from backend.results.values import write_json
from backend.runs.commands import get_run
from backend.runs.lifecycle import is_final
from backend.runs.queries import RunHead, find_run, read_result, read_snapshot_text
from backend.runs.run_log import Step, read_steps

_LONGEST_LINE = 50


async def build_export(
    engine: Engine, store: ResultStore, run_id: str, tenant: str | None, *, is_hashed: bool = True
) -> RunExport:
    """The whole run; a `ConflictError` where it goes on, or never got as far as a pool.

    Hashes are most of the work: what is only looked at, and neither kept nor verified, needs none.
    """
    async with transaction(engine) as session:
        run = await get_run(session, run_id, tenant)
        if not is_final(run.status):
            raise ConflictError(f"{run_id} is {run.status}; it can be exported when it has ended")
        text = await read_snapshot_text(session, run_id)
        result = await read_result(session, run_id)
    if text is None:
        raise ConflictError(f"{run_id} ended before its pool was built: there is nothing to replay")
    steps = await read_steps(engine, run_id)
    results = await _read_results(engine, store, run, steps)
    shown = [_show_step(step) for step in steps]
    make = make_export if is_hashed else put_together
    return make(_show_run(run), json.loads(text), shown, results, result or {})


def _show_run(run: RunHead) -> dict[str, Any]:
    return {
        "id": run.id,
        "status": run.status,
        "planner": run.planner,
        "locale": run.locale,
        "catalogue_version": run.catalogue_version,
        "parent_run_id": run.parent_run_id,
        "overrides": run.overrides,
        "created_at": run.created_at.isoformat(),
        "started_at": run.started_at.isoformat() if run.started_at else None,
        "finished_at": (run.finished_at or run.created_at).isoformat(),
    }


def _show_step(step: Step) -> dict[str, Any]:
    return {
        "seq": step.seq,
        "kind": step.kind,
        "at": step.at.isoformat(),
        "payload": step.payload,
    }


async def _read_results(
    engine: Engine, store: ResultStore, run: RunHead, steps: Sequence[Step]
) -> dict[str, Any]:
    """What stands behind the handles that the run speaks of: its own and its ancestors'."""
    runs = [run.id, *[ancestor async for ancestor in _list_ancestors(engine, run)]]
    reader = Reader(f"export of {run.id}", run.tenant, tuple(runs))
    tools = {head.id: head.tool for head in await store.list(reader, 10_000)}
    found = {}
    for handle in list_handles(steps):
        if handle in tools:
            state, content = await _read_whole(store, handle, reader)
            found[handle] = {"state": state, "tool": tools[handle], "content": content}
    return found


async def _list_ancestors(engine: Engine, run: RunHead) -> AsyncIterator[str]:
    parent = run.parent_run_id
    for _ in range(_LONGEST_LINE):
        if parent is None:
            return
        yield parent
        async with transaction(engine) as session:
            head = await find_run(session, parent, run.tenant)
        parent = head.parent_run_id if head else None


async def _read_whole(store: ResultStore, handle: str, reader: Reader) -> tuple[str, str | None]:
    def ask(document: Document) -> tuple[str, int]:
        text = write_json(thaw(document.root))
        return text, len(text.encode())

    try:
        return "ready", await store.read(handle, reader, ask)
    except ToolError as error:
        states = {"RESULT_PENDING": "pending", "RESULT_FAILED": "failed"}
        return states.get(error.code, "expired"), None

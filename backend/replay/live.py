"""Runs a recorded run again with one thing changed: a new run beside the original, on its snapshot.

Reads a run out of the database into an export; nothing of it is written to.

Starts a run that begins with a snapshot made out of another run's.
"""

import datetime as dt
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from backend.agent.llm import LlmClient
from backend.clock import read_utc
from backend.db.session import Engine, transaction
from backend.errors import ConflictError, OutOfBoundsError, ToolError
from backend.ids import make_id
from backend.params.queries import read_params
from backend.params.registry import ParamValue, get_number
from backend.planner.revision import keep_known
from backend.pool.plan_request import PlannerChoice
from backend.pool.rebuild import rebuild
from backend.pool.snapshot import Snapshot
from backend.replay.export import RunExport, make_export, put_together
from backend.replay.memory_run import MemoryResults, Setting, list_handles, plan_in_memory
from backend.results.document import Document, thaw
from backend.results.handle import Reader
from backend.results.store import ResultStore
from backend.results.values import write_json
from backend.runs.life.admission import admit_runs, check_room, check_spending, lock_admission
from backend.runs.life.commands import get_run
from backend.runs.life.queue import JobQueue
from backend.runs.log.lifecycle import EXECUTOR, INLINE, is_final
from backend.runs.log.queries import RunHead, find_run, insert_run, read_result, read_snapshot_text
from backend.runs.log.run_log import StepItem, append_step, read_steps
from backend.runs.log.steps import (
    ModelReplied,
    RevisionBegun,
    RunQueued,
    Step,
    ToolCalled,
    select_payloads,
)
from backend.runs.work.recording import RecordedTools, make_recording
from backend.tools.context import ToolLimit
from backend.tools.queries import override_rows
from backend.tools.runner import ToolRunner


@dataclass(frozen=True)
class ChildRun:
    """What a run takes from its parent; `overrides` and `model` are its own.

    `begun` is what the parent began with, where that was a revision.
    """

    parent: RunHead
    snapshot: Snapshot
    overrides: dict[str, Any]
    model: str | None = None
    begun: RevisionBegun | None = None


async def start_child(engine: Engine, queue: JobQueue | None, child: ChildRun) -> str:
    """Put the run into the queue and give its id; without a queue the caller carries it on."""
    run_id, now = make_id("run"), read_utc()
    tenant, planner = child.parent.tenant, child.snapshot.request.planner
    async with transaction(engine) as session:
        params = await read_params(session)
        await check_spending(session, tenant, planner, params)
        deadline = dt.timedelta(seconds=get_number(params, "RUN_DEADLINE_SECONDS"))
        executor = EXECUTOR if queue else INLINE
        times = {"created_at": now, "deadline_at": now + deadline}
        row = {"id": run_id, "status": "queued", "executor": executor}
        await insert_run(session, {**row, **_describe(child), **times})
        await append_step(session, run_id, Step(1, RunQueued(planner=planner), now))
        if child.begun is not None:
            await append_step(session, run_id, Step(2, child.begun, now))
        if queue is not None:
            await lock_admission(session, tenant)
            await check_room(session, tenant, params, beside=run_id)
            await admit_runs(session, tenant, params, queue.enqueue)
    return run_id


def _describe(child: ChildRun) -> dict[str, Any]:
    snapshot, request = child.snapshot, child.snapshot.request
    return {
        "tenant": child.parent.tenant,
        "planner": request.planner,
        "locale": request.locale,
        "model": child.model,
        "request": request.model_dump(mode="json"),
        "input_snapshot": snapshot.as_text(),
        "snapshot_sha256": snapshot.sha256,
        "catalogue_version": snapshot.catalogue.version,
        "parent_run_id": child.parent.id,
        "revision": child.parent.revision,
        "overrides": child.overrides,
    }


@dataclass(frozen=True)
class Change:
    """What is to be different; return limits by tool are rows a page."""

    planner: Literal["builtin", "openai"] | None = None
    model: str | None = None
    params: Mapping[str, ParamValue] = field(default_factory=dict)
    limits: Mapping[str, int] = field(default_factory=dict)

    def choose_planner(self, before: PlannerChoice) -> PlannerChoice:
        """A model that is named is to be asked."""
        return self.planner or ("openai" if self.model else before)


def change_snapshot(snapshot: Snapshot, change: Change) -> Snapshot:
    """The snapshot to plan on; `CATALOGUE_NEEDED` where its rows do not reach."""
    if idle := sorted(set(change.params) - set(snapshot.params)):
        raise OutOfBoundsError(f"{', '.join(idle)}: decides nothing that a run does")
    changed = rebuild(snapshot, change.params) if change.params else snapshot
    planner = change.choose_planner(snapshot.request.planner)
    request = changed.request.model_copy(update={"planner": planner})
    return changed.model_copy(update={"request": request})


async def start_live(
    engine: Engine, queue: JobQueue | None, run_id: str, tenant: str | None, change: Change
) -> str:
    """A new run for an ended one's snapshot, changed; its id. Without a queue the caller carries it."""
    async with transaction(engine) as session:
        parent = await get_run(session, run_id, tenant)
        if not is_final(parent.status):
            raise ConflictError(
                f"{run_id} is {parent.status}; it can be replayed when it has ended"
            )
        text = await read_snapshot_text(session, run_id)
    if text is None:
        raise ConflictError(f"{run_id} ended before its pool was built: there is nothing to replay")
    snapshot = change_snapshot(Snapshot.model_validate_json(text), change)
    overrides: dict[str, Any] = {"params": dict(change.params), "limits": dict(change.limits)}
    begun = read_begun(await read_steps(engine, run_id), snapshot)
    child = ChildRun(parent, snapshot, overrides, change.model, begun)
    return await start_child(engine, queue, child)


def read_begun(steps: Sequence[Step], snapshot: Snapshot) -> RevisionBegun | None:
    """What a revision began with, as far as the snapshot still has it; None for any other run."""
    begun = next(select_payloads(steps, RevisionBegun), None)
    if begun is None:
        return None
    return begun.model_copy(update={"draft": keep_known(snapshot, begun.draft)})


def list_held_limits(steps: Sequence[Step]) -> list[Mapping[str, ToolLimit]]:
    """The return limits that held at each reply and call, as far as the log says so."""
    payloads = [step.payload for step in steps]
    made = [p for p in payloads if isinstance(p, ModelReplied | ToolCalled)]
    return [found.limits for found in made if found.limits is not None]


async def run_live(export: RunExport, change: Change, llm: LlmClient) -> RunExport:
    """The same in memory, for a run that is only a file; nothing is stored."""
    snapshot = change_snapshot(export.snapshot, change)
    results = MemoryResults(export.results, snapshot.request.locale)
    recording = make_recording(export.steps)
    marked: list[RecordedTools] = []
    held = next(iter(list_held_limits(export.steps)), {})

    def wrap(runner: ToolRunner) -> RecordedTools:
        marked.append(RecordedTools(runner, recording))
        return marked[-1]

    def read_limits() -> Mapping[str, ToolLimit]:
        return override_rows(held, change.limits)

    chosen = change.choose_planner(export.result.get("planner_used") or "builtin")
    setting = Setting(
        planner="openai" if chosen == "openai" else "builtin",
        limits=read_limits,
        parent_run_id=export.run["id"],
        now=read_utc,
        results=results,
        sources=recording.sources,
        begun=read_begun(export.steps, snapshot),
        wrap=wrap,
        read_mark=lambda: marked[-1].mark if marked else None,
    )
    return await plan_in_memory(snapshot, llm, setting)


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
    shown = [StepItem.of(step).as_json() for step in steps]
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

"""Starts a run that begins with a snapshot made out of another run's."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from backend.clock import read_utc
from backend.db.session import Engine, transaction
from backend.ids import make_id
from backend.params.queries import read_params
from backend.params.registry import get_number
from backend.pool.snapshot import Snapshot
from backend.runs.life.admission import admit_runs, check_room, lock_admission
from backend.runs.life.queue import JobQueue
from backend.runs.life.spending import check_spending
from backend.runs.log.lifecycle import EXECUTOR, INLINE
from backend.runs.log.queries import RunHead, insert_run
from backend.runs.log.run_log import append_step
from backend.runs.log.steps import RevisionBegun, RunQueued, Step


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

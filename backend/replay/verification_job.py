"""Verification as a job: asked for by anybody who may, done by a worker, looked up meanwhile.

It is a second of computing, so it has no place in the process that answers requests.
"""

import asyncio
import logging
import time
from typing import Any

from backend.db.session import Engine, transaction
from backend.errors import ConflictError, NotFoundError, UnavailableError, WaypoolError
from backend.ids import make_id
from backend.replay.building import build_export
from backend.replay.verify import verify
from backend.results.store import ResultStore
from backend.runs.commands import get_run
from backend.runs.lifecycle import is_final
from backend.runs.queries import has_snapshot
from backend.runs.queue import JobQueue
from backend.runs.verifications import (
    AskedVerification,
    find_verification,
    finish_verification,
    insert_verification,
)
from backend.text import quote

FIRST_LOOK_SECONDS, LAST_LOOK_SECONDS = 0.05, 0.5

log = logging.getLogger(__name__)


async def start_verification(engine: Engine, queue: JobQueue, run_id: str, tenant: str) -> str:
    """Queue the verification of an ended run; its id. A `ConflictError` where there is nothing."""
    verification_id = make_id("ver")
    async with transaction(engine) as session:
        run = await get_run(session, run_id, tenant)
        if not is_final(run.status):
            raise ConflictError(f"{run_id} is {run.status}; it can be verified when it has ended")
        if not await has_snapshot(session, run_id):
            raise ConflictError(f"{run_id} ended before its pool was built: nothing to verify")
        await insert_verification(session, verification_id, run_id, tenant)
        await queue.enqueue_verification(session, verification_id)
    return verification_id


async def carry_verification(engine: Engine, store: ResultStore, verification_id: str) -> None:
    """Do it and keep what it came to; nothing where that is done already."""
    async with transaction(engine) as session:
        asked = await find_verification(session, verification_id)
    if asked is None or asked.finished_at is not None:
        return
    report, error = await _verify(engine, store, asked)
    async with transaction(engine) as session:
        await finish_verification(session, verification_id, report, error)


async def _verify(
    engine: Engine, store: ResultStore, asked: AskedVerification
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Report and error, one of them None."""
    try:
        export = await build_export(engine, store, asked.run_id, asked.tenant)
        # In a loop of its own thread: the tools compute where they stand, for a second.
        found = await asyncio.to_thread(lambda: asyncio.run(verify(export)))
    except UnavailableError:
        raise  # later
    except WaypoolError as error:
        return None, {"code": error.code, "message": error.message}
    except Exception:
        log.exception("%s failed", asked.id)
        message = "an error of Waypool's own; it is in the worker's log"
        return None, {"code": "INTERNAL", "message": message}
    return found.as_json(), None


async def show_verification(
    engine: Engine, run_id: str, verification_id: str, tenant: str
) -> dict[str, Any]:
    """How it stands, as JSON values; a `NotFoundError` where this tenant's run has no such one."""
    async with transaction(engine) as session:
        asked = await find_verification(session, verification_id)
    if asked is None or (asked.run_id, asked.tenant) != (run_id, tenant):
        raise NotFoundError(f"no verification {quote(verification_id)} of {quote(run_id)}")
    head = {"mode": "verify", "replay_id": asked.id, "replayed": run_id, "status": asked.status}
    return {**head, **(asked.report or {}), "run_id": None, "error": asked.error}


async def wait_for_verification(
    engine: Engine, run_id: str, verification_id: str, tenant: str, seconds: float
) -> dict[str, Any]:
    """The same when it is finished, or after so long."""
    until, pause = time.monotonic() + seconds, FIRST_LOOK_SECONDS
    while True:
        shown = await show_verification(engine, run_id, verification_id, tenant)
        if shown["status"] != "queued" or time.monotonic() >= until:
            return shown
        await asyncio.sleep(min(pause, max(0.0, until - time.monotonic())))
        pause = min(2 * pause, LAST_LOOK_SECONDS)

"""Checks an export: its hashes, its pool against the rules, its calls and its result, byte for byte.

Verification as a job: asked for by anybody who may, done by a worker, looked up meanwhile.

It is a second of computing, so it has no place in the process that answers requests.
"""

import asyncio
import itertools
import json
import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

from pydantic import Field

from backend.agent.replies import dump_json
from backend.db.session import Engine, transaction
from backend.document import Document, SparseDocument
from backend.errors import ConflictError, NotFoundError, UnavailableError, WaypoolError
from backend.ids import make_id
from backend.pool.rebuild import rebuild
from backend.replay.export import RunExport, find_changed
from backend.replay.json_tree import Difference, find_difference
from backend.replay.live import build_export
from backend.replay.playback import DifferenceError, Seen, play_back
from backend.results.store import ResultStore
from backend.runs.life.admission import (
    AskedVerification,
    find_verification,
    finish_verification,
    insert_verification,
)
from backend.runs.life.commands import get_run
from backend.runs.life.queue import JobQueue
from backend.runs.log.lifecycle import is_final
from backend.runs.log.queries import has_snapshot
from backend.runs.log.steps import THIS_WAYPOOL, MadeBy, RunError
from backend.text import quote

UNKNOWN_MAKER = MadeBy(version="0", planner_revision=0, result_schema=0)
"""Who made the runs of a Waypool that did not say so yet."""

Verified = bool | Literal["other_version"]


@dataclass(frozen=True)
class OtherVersion:
    """The run was made by another Waypool; what this one comes to instead, in order."""

    made_by: MadeBy
    differences: tuple[Difference, ...]


@dataclass(frozen=True)
class Verification:
    """What a verification came to; `difference` is the first one, None where all is the same.

    `computed` counts the outcomes that came out again, `recorded` those that only the world outside
    could give, which were taken as they stand. `other` stands where another Waypool made the run
    and its recorded answers could be taken as they stand.
    """

    run_id: str
    is_redacted: bool
    check: str
    difference: Difference | None
    computed: int = 0
    recorded: int = 0
    other: OtherVersion | None = None

    @property
    def verified(self) -> Verified:
        """Whether everything came out byte for byte the same, where that can be asked for."""
        return self.difference is None if self.other is None else "other_version"

    def is_good(self, *, is_strict: bool = False) -> bool:
        """Whether nothing is wrong; strictly, only what this Waypool made can be good."""
        return self.verified is True or (self.other is not None and not is_strict)

    def as_json(self) -> dict[str, Any]:
        """JSON values."""
        found: dict[str, Any] = {
            "run_id": self.run_id,
            "verified": self.verified,
            "redacted": self.is_redacted,
            "check": self.check,
            "calls_computed": self.computed,
            "calls_recorded": self.recorded,
            "difference": self.difference.as_json() if self.difference else None,
        }
        if self.other is not None:
            found["made_by"] = self.other.made_by.model_dump()
            found["differences"] = [entry.as_json() for entry in self.other.differences]
        return found


async def verify(export: RunExport) -> Verification:
    """Hashes, pool, calls, result, in this order; it ends with the first difference.

    Another Waypool may come to something else; so where another one made the run, all differences
    are listed, and its recorded answers are taken on.
    """
    seen = Seen()
    if (difference := next(find_changed(export.document), None)) is not None:
        return _report(export, "hashes", difference, seen)
    if export.made_by != THIS_WAYPOOL:
        return await _verify_other(export)
    if (difference := next(_check_pool(export), None)) is not None:
        return _report(export, "pool", difference, seen)
    try:
        seen = await play_back(export)
    except DifferenceError as error:
        return _report(export, "calls", error.difference, seen)
    return _report(export, "result", next(_check_result(export), None), seen)


async def _verify_other(export: RunExport) -> Verification:
    """The same checks, each to its end, of a run that another Waypool made."""
    found = {"pool": list(_check_pool(export))}
    try:
        seen = await play_back(export, takes_recorded=True)
    except DifferenceError as error:
        return _report(export, "calls", error.difference, Seen())
    found |= {"calls": seen.differences, "result": list(_check_result(export))}
    check = next((name for name, differences in found.items() if differences), "result")
    every = tuple(itertools.chain.from_iterable(found.values()))
    report = _report(export, check, next(iter(every), None), seen)
    return replace(report, other=OtherVersion(export.made_by or UNKNOWN_MAKER, every))


def _report(
    export: RunExport, check: str, difference: Difference | None, seen: Seen
) -> Verification:
    is_redacted = bool(export.document["redacted"])
    name = check if difference else "all"
    run_id = export.run["id"]
    return Verification(run_id, is_redacted, name, difference, seen.computed, seen.recorded)


def _check_pool(export: RunExport) -> Iterator[Difference]:
    """The pure rules over pool and reserve give the snapshot itself."""
    raw = export.document["snapshot"]
    try:
        again = json.loads(rebuild(export.snapshot, {}).as_text())
    except WaypoolError as error:
        yield Difference("/snapshot", "a pool that the rules give", error.message)
        return
    if (difference := find_difference(raw, again)) is not None:
        yield difference.below("/snapshot")


def _check_result(export: RunExport) -> Iterator[Difference]:
    """The log alone leads to the result; of a run that failed before there is nothing to compute."""
    if "itinerary" not in export.result:
        return
    end = export.conclude()
    found = json.loads(dump_json(end.result))
    if (difference := find_difference(export.result, found)) is not None:
        yield difference.below("/result")
    if end.verdict.status != export.run["status"]:
        yield Difference("/run/status", export.run["status"], end.verdict.status)


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


class DifferenceDocument(Document):
    """Where a replay parts from its recording."""

    path: str = Field(description="RFC 6901, within the export.")
    expected: Any
    found: Any


class ReplayDocument(SparseDocument):
    """What a replay came to; `run_id` names the new run of a live one, `replay_id` a verification.

    One that has found a difference is `done`; `failed` is one that could not be done.
    """

    mode: Literal["verify", "live"]
    replayed: str
    run_id: str | None
    replay_id: str | None = None
    status: Literal["queued", "done", "failed"]
    verified: Verified | None = Field(
        None, description="`other_version`: another Waypool made the run; see `differences`."
    )
    redacted: bool | None = None
    check: str | None = Field(None, description="What differs first, or `all`.")
    calls_computed: int | None = None
    calls_recorded: int | None = None
    difference: DifferenceDocument | None = None
    made_by: MadeBy | None = Field(None, description="Where another Waypool made the run.")
    differences: tuple[DifferenceDocument, ...] | None = Field(
        None, description="What this Waypool comes to instead; the recorded answers were taken."
    )
    error: RunError | None = Field(None, description="`code` and `message`.")


async def show_verification(
    engine: Engine, run_id: str, verification_id: str, tenant: str
) -> ReplayDocument:
    """How it stands; a `NotFoundError` where this tenant's run has no such one."""
    async with transaction(engine) as session:
        asked = await find_verification(session, verification_id)
    if asked is None or (asked.run_id, asked.tenant) != (run_id, tenant):
        raise NotFoundError(f"no verification {quote(verification_id)} of {quote(run_id)}")
    head = {"mode": "verify", "replay_id": asked.id, "replayed": run_id, "status": asked.status}
    found = {**head, **(asked.report or {}), "run_id": None, "error": asked.error}
    return ReplayDocument.model_validate(found)


async def wait_for_verification(
    engine: Engine, run_id: str, verification_id: str, tenant: str, seconds: float
) -> ReplayDocument:
    """The same when it is finished, or after so long."""
    until, pause = time.monotonic() + seconds, FIRST_LOOK_SECONDS
    while True:
        shown = await show_verification(engine, run_id, verification_id, tenant)
        if shown.status != "queued" or time.monotonic() >= until:
            return shown
        await asyncio.sleep(min(pause, max(0.0, until - time.monotonic())))
        pause = min(2 * pause, LAST_LOOK_SECONDS)

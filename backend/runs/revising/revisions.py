"""Starts a run that changes a finished plan: same snapshot or a new one, the plan as its draft."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from backend.clock import read_utc
from backend.db.session import Engine, Session, transaction
from backend.errors import ConflictError, Fault, RequestRefusedError
from backend.params.queries import read_params
from backend.params.registry import ParamValue
from backend.planner.days.timeline import build_itinerary
from backend.pool.plan_request import PlannerChoice, PlanRequest
from backend.pool.request_faults import resolve_request
from backend.pool.service import CandidatePoolService
from backend.pool.snapshot import Snapshot
from backend.reading.reading import ReadingDocument, ReadingWarning
from backend.runs.life.admission import check_room
from backend.runs.life.commands import NewRun, Started, admit_new, get_run, make_run
from backend.runs.life.queue import JobQueue
from backend.runs.log.lifecycle import EXECUTOR, INLINE, is_final
from backend.runs.log.queries import RunHead, read_snapshot_text
from backend.runs.log.run_log import append_step, fold_state, read_stages, read_start, read_steps
from backend.runs.log.steps import Step
from backend.runs.relaxing.outcome import read_sought
from backend.runs.revising.messages import read_message
from backend.runs.revising.revision import (
    Revised,
    RevisionRequest,
    Shown,
    change_request,
    changes_request,
    point_at_edits,
    read_revision,
    revise,
    show_start,
    with_read,
)


@dataclass(frozen=True)
class Present:
    """A finished run with its plan."""

    run: RunHead
    snapshot: Snapshot
    shown: Shown


async def start_revision(
    engine: Engine,
    queue: JobQueue | None,
    run_id: str,
    tenant: str | None,
    raw: object,
    *,
    has_model: bool,
) -> Started:
    """Check what is asked, do the edits, and queue the run; without a queue the caller carries it.

    A message goes to the language model, which falls back as the first run would; without one it is
    read by rules as edits. The edits are done outside of any transaction: another pace takes seconds.
    A changed request gets a pool of its own.
    """
    asked = read_revision(raw)
    present, own = await _read_present(engine, run_id, tenant), len(asked.edits)
    with _told_of_message(own):
        return await _start(engine, queue, present, asked, has_model=has_model)


@contextmanager
def _told_of_message(own: int) -> Iterator[None]:
    """Faults of edits that a message was read as stand at the message; the first `own` are sent ones."""
    try:
        yield
    except RequestRefusedError as refused:
        raise RequestRefusedError([_point_at_message(f, own) for f in refused.faults]) from None


def _point_at_message(fault: Fault, own: int) -> Fault:
    _, name, *steps = [*fault.pointer.split("/"), ""]
    is_read = name == "edits" and steps[0].isdigit() and int(steps[0]) >= own
    return replace(fault, pointer="/message") if is_read else fault


async def _start(
    engine: Engine,
    queue: JobQueue | None,
    present: Present,
    asked: RevisionRequest,
    *,
    has_model: bool,
) -> Started:
    unclear = Unclear()
    async with transaction(engine) as session:
        params = await read_params(session)
        if queue is not None:
            await check_room(session, present.run.tenant, params)
        if asked.message.strip() and not has_model:
            said = asked.message
            read = await read_message(session, said, present.shown.itinerary, present.snapshot)
            asked, unclear = with_read(asked, read.edits), Unclear(said, read.unclear)
        is_new = asked.refresh or changes_request(asked)
        new = await _refresh(session, present, asked, params) if is_new else present.snapshot
    revised = await asyncio.to_thread(revise, present.shown, new, asked)
    async with transaction(engine) as session:
        kept = unclear.keep(revised.snapshot.request)
        child = await _make_child(session, present, asked, revised, queue, params, reading=kept)
        if queue is not None:
            await admit_new(session, queue, present.run.tenant, child, params)
    return Started(child, is_new=True)


async def _read_present(engine: Engine, run_id: str, tenant: str | None) -> Present:
    async with transaction(engine) as session:
        run = await get_run(session, run_id, tenant)
        text = await read_snapshot_text(session, run_id)
    if not is_final(run.status):
        raise ConflictError(f"{run_id} is {run.status}; wait for its end, or cancel it")
    steps = await read_steps(engine, run_id)
    stages = read_stages(steps)
    if text is None or not stages:
        raise ConflictError(f"{run_id} has no plan to revise")
    snapshot, sought = Snapshot.model_validate_json(text), read_sought(steps)
    if sought is not None and sought.plan is not None:
        shown = Shown(sought.plan.draft, sought.plan.itinerary)
    else:
        draft = fold_state(stages).draft
        shown = Shown(draft, build_itinerary(snapshot, draft))
    out = tuple(row for row in read_start(steps).locks.out if row[0] == "poi")
    return Present(run, snapshot, replace(shown, out=out))


@dataclass(frozen=True)
class Unclear:
    """A message that was read by rules, and the pieces of it that were not understood."""

    message: str = ""
    pieces: Sequence[str] = ()

    def keep(self, request: PlanRequest) -> dict[str, Any] | None:
        """What the run keeps of it, so that its plan warns; None where all was understood."""
        if not self.pieces:
            return None
        head = "没有读懂：" if request.locale == "zh-CN" else "not understood: "
        warnings = tuple(
            ReadingWarning(code="NOT_UNDERSTOOD", message=f"{head}{said}", text=said)
            for said in self.pieces
        )
        shown = ReadingDocument(text=self.message, request={}, spans=(), warnings=warnings)
        raw = request.model_dump(mode="json", exclude={"resolved"})
        kept: dict[str, Any] = {"raw": raw, "deadline_seconds": None, "fields": {}, "needs": []}
        return {**kept, "shown": shown.as_json(), "is_read": True}


async def _refresh(
    session: Session, present: Present, asked: RevisionRequest, params: Mapping[str, ParamValue]
) -> Snapshot:
    raw = change_request(present.snapshot.request, asked.edits)
    try:
        request = await resolve_request(session, raw, params)
    except RequestRefusedError as refused:
        point_at_edits(refused.faults, raw, asked.edits)
        raise
    return await CandidatePoolService(session).build(request, params, asked_at=read_utc())


async def _make_child(  # noqa: PLR0913 - what a run is made of
    session: Session,
    present: Present,
    asked: RevisionRequest,
    revised: Revised,
    queue: JobQueue | None,
    params: Mapping[str, ParamValue],
    *,
    reading: dict[str, Any] | None,
) -> str:
    run, snapshot = present.run, revised.snapshot
    request = _choose_planner(snapshot.request, asked)
    new = NewRun(run.tenant, EXECUTOR if queue else INLINE, None, run.model)
    child = await make_run(
        session,
        new,
        request,
        params,
        parent_run_id=run.id,
        revision=asked.model_dump(mode="json"),
        input_snapshot=snapshot.model_copy(update={"request": request}).as_text(),
        snapshot_sha256=snapshot.sha256,
        catalogue_version=snapshot.catalogue.version,
        reading=reading,
    )
    begun = show_start(revised, asked, run.id)
    await append_step(session, child, Step(2, begun, read_utc()))
    return child


def _choose_planner(request: PlanRequest, asked: RevisionRequest) -> PlanRequest:
    """Code does the edits; words are for a model, also where the plan was made without one."""
    asks_a_model: PlannerChoice = "openai" if request.planner == "openai" else "auto"
    planner: PlannerChoice = asks_a_model if asked.message.strip() else "builtin"
    return request.model_copy(update={"planner": planner})

"""What can be asked of runs: start, cancel, retry, delete. Each is one transaction.

Idempotency keys: the same key and body give the same run for 24 hours, also when two come at once.
"""

import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from sqlalchemy import delete, insert, select, text

from backend.clock import read_utc
from backend.db.session import Engine, Session, transaction
from backend.errors import (
    ConflictError,
    Fault,
    NotFoundError,
    OutOfBoundsError,
    RequestRefusedError,
)
from backend.ids import make_id
from backend.params.queries import read_params
from backend.params.registry import ParamValue, get_number
from backend.pool.plan_request import PlannerChoice, PlanRequest
from backend.pool.request_shape import find_bad_text
from backend.runs.life.admission import admit_runs, check_room, check_spending, lock_admission
from backend.runs.life.asking import (
    AnswersRequest,
    Taken,
    find_locale,
    take_answers,
    take_request,
)
from backend.runs.life.ending import End, end_run
from backend.runs.life.queue import JobQueue
from backend.runs.log.lifecycle import EXECUTOR, INLINE, is_final
from backend.runs.log.queries import (
    RunHead,
    delete_run,
    find_run,
    insert_run,
    is_held,
    pin_run,
    update_run,
)
from backend.runs.log.run_log import append_step, read_last_seq
from backend.runs.log.steps import InputNeeded, RunQueued, Step
from backend.runs.log.tables import IdempotencyKey
from backend.text import make_pointer, quote

KEY_LIFE = dt.timedelta(hours=24)


@dataclass(frozen=True)
class Claim:
    """What a key stands for."""

    run_id: str
    body_sha256: str


async def find_claim(session: Session, tenant: str, key: str, now: dt.datetime) -> Claim | None:
    """The key's claim; whoever asks for the same key waits until this transaction ends."""
    lock = text("select pg_advisory_xact_lock(hashtextextended(:tenant || chr(31) || :key, 0))")
    await session.execute(lock, {"tenant": tenant, "key": key})
    old = delete(IdempotencyKey).where(
        IdempotencyKey.tenant == tenant,
        IdempotencyKey.key == key,
        IdempotencyKey.created_at < now - KEY_LIFE,
    )
    await session.execute(old)
    wanted = select(IdempotencyKey.run_id, IdempotencyKey.body_sha256).where(
        IdempotencyKey.tenant == tenant, IdempotencyKey.key == key
    )
    row = (await session.execute(wanted)).first()
    return Claim(row.run_id, row.body_sha256) if row else None


async def claim_key(
    session: Session, tenant: str, key: str, body_sha256: str, run_id: str, now: dt.datetime
) -> None:
    """Let the key stand for a run."""
    row = {"tenant": tenant, "key": key, "body_sha256": body_sha256, "run_id": run_id}
    await session.execute(insert(IdempotencyKey).values(**row, created_at=now))


async def delete_old_keys(session: Session, now: dt.datetime) -> None:
    """Forget the keys whose time is over."""
    await session.execute(delete(IdempotencyKey).where(IdempotencyKey.created_at < now - KEY_LIFE))


class IdempotencyError(ConflictError):
    """The key stands for another request."""

    code = "IDEMPOTENCY_KEY_REUSED"


@dataclass(frozen=True)
class Started:
    """A run, and whether this call made it: an idempotency key may have met an earlier one."""

    run_id: str
    is_new: bool


@dataclass(frozen=True)
class NewRun:
    """What a request does not say about its run."""

    tenant: str
    executor: str
    deadline_seconds: int | None
    model: str | None

    def find_deadline(self, params: Mapping[str, ParamValue]) -> dt.timedelta:
        """The wanted time, or the longest there is; more than that is refused."""
        longest = get_number(params, "RUN_DEADLINE_SECONDS")
        wanted = self.deadline_seconds or longest
        if wanted > longest:
            raise OutOfBoundsError(f"a run's deadline is at most {longest} seconds away")
        return dt.timedelta(seconds=wanted)


async def start_run(  # noqa: PLR0913 - a request, and all that may be wished beside it
    engine: Engine,
    queue: JobQueue | None,
    tenant: str,
    raw: object,
    idempotency_key: str | None = None,
    deadline_seconds: int | None = None,
    model: str | None = None,
    *,
    has_model: bool = False,
) -> Started:
    """Check a request and put its run into the queue; without a queue the caller carries it on.

    `model` is the configured name of the one to ask, None the default; `has_model` says that there
    is one. `QueueFullError` where too many of the tenant's runs wait already.
    """
    async with transaction(engine) as session:
        claimed = await _find_claimed(session, tenant, _hash_body(raw, model), idempotency_key)
        if claimed is not None:
            return Started(claimed, is_new=False)
        params = await read_params(session)
        if queue is not None:  # before the work of checking a request that is refused anyway
            await check_room(session, tenant, params)
        new = NewRun(tenant, EXECUTOR if queue else INLINE, deadline_seconds, model)
        taken = await take_request(session, raw, params, has_model=has_model)
        run_id = await _make_asked(session, new, taken, raw, params)
        if idempotency_key is not None:
            body = _hash_body(raw, model)
            await claim_key(session, tenant, idempotency_key, body, run_id, read_utc())
        if queue is not None and (taken.request is not None or taken.is_unread):
            await admit_new(session, queue, tenant, run_id, params)
    return Started(run_id, is_new=True)


async def _make_asked(
    session: Session, new: NewRun, taken: Taken, raw: object, params: Mapping[str, ParamValue]
) -> str:
    """The run of a request, or of its questions."""
    if taken.request is not None:
        beside = {} if taken.reading is None else {"reading": _keep(taken, raw, new)}
        return await make_run(session, new, taken.request, params, **beside)
    deadline = new.find_deadline(params)
    planner: PlannerChoice = taken.fields.get("planner", "auto")
    if taken.is_unread:
        await check_spending(session, new.tenant, planner, params)
    else:
        deadline = dt.timedelta(hours=get_number(params, "NEEDS_INPUT_HOURS"))
    run_id, now = make_id("run"), read_utc()
    values = {
        "id": run_id,
        "tenant": new.tenant,
        "status": "queued" if taken.is_unread else "needs_input",
        "executor": new.executor,
        "planner": planner,
        "locale": find_locale(taken.fields),
        "model": new.model,
        "request": dict(taken.fields),
        "reading": _keep(taken, raw, new),
        "created_at": now,
        "deadline_at": now + deadline,
    }
    await insert_run(session, values)
    fields = tuple(need.field for need in taken.needs)
    first = RunQueued(planner=planner) if taken.is_unread else InputNeeded(fields=fields)
    await append_step(session, run_id, Step(1, first, now))
    return run_id


def _keep(taken: Taken, raw: object, new: NewRun) -> dict[str, Any]:
    """What a run keeps of its text: the body that it came in, what was read, and the questions."""
    return {
        "raw": raw,
        "deadline_seconds": new.deadline_seconds,
        "fields": dict(taken.fields),
        "needs": [need.as_json() for need in taken.needs],
        "shown": None if taken.reading is None else taken.reading.as_json(),
    }


def describe_reading(kept: Mapping[str, Any], taken: Taken) -> dict[str, Any]:
    """The columns of a run whose text was read once more; `kept` is what it kept of it before."""
    request = taken.request
    shown = None if taken.reading is None else taken.reading.as_json()
    needs = [need.as_json() for need in taken.needs]
    fields = dict(taken.fields)
    reading = {**kept, "fields": fields, "needs": needs, "shown": shown}
    if request is None:
        return {"request": fields, "reading": reading}
    return {
        "request": request.model_dump(mode="json"),
        "planner": request.planner,
        "locale": request.locale,
        "reading": reading,
    }


class NoQuestionsError(ConflictError):
    """The run has no open questions: they are answered, or its time is over."""

    code = "NO_QUESTIONS"


async def answer_run(
    engine: Engine, queue: JobQueue | None, run_id: str, tenant: str | None, raw: object
) -> None:
    """Answer a run's questions and put it into the queue; faults change nothing."""
    try:
        answers = AnswersRequest.model_validate(raw)
    except ValidationError as error:
        faults = [
            Fault(make_pointer(*entry["loc"]), entry["type"], entry["msg"])
            for entry in error.errors(include_url=False)
        ]
        raise RequestRefusedError(faults) from None
    if bad := list(find_bad_text(raw)):
        raise RequestRefusedError(bad)
    async with transaction(engine) as session:
        run = await _lock_run(session, run_id, tenant)
        if run.status != "needs_input" or run.reading is None:
            raise NoQuestionsError(f"{run_id} is {run.status}: it has no open questions")
        params = await read_params(session)
        taken = await take_answers(session, run.reading, answers, params)
        await _go_on(session, run, taken, params, EXECUTOR if queue else INLINE)
        if queue is not None:
            await admit_new(session, queue, run.tenant, run_id, params)


async def _go_on(
    session: Session,
    run: RunHead,
    taken: Taken,
    params: Mapping[str, ParamValue],
    executor: str,
) -> None:
    assert taken.request is not None
    assert run.reading is not None
    await check_spending(session, run.tenant, taken.request.planner, params)
    new = NewRun(run.tenant, executor, run.reading["deadline_seconds"], run.model)
    now = read_utc()
    values = describe_reading(run.reading, taken)
    values |= {"status": "queued", "executor": executor}
    await update_run(session, run.id, **values, deadline_at=now + new.find_deadline(params))
    last = await read_last_seq(session, run.id)
    await append_step(
        session, run.id, Step(last + 1, RunQueued(planner=taken.request.planner), now)
    )


async def admit_new(
    session: Session,
    queue: JobQueue,
    tenant: str,
    run_id: str,
    params: Mapping[str, ParamValue],
) -> None:
    """Give a run that was just made its place; a `QueueFullError` where there is none."""
    await lock_admission(session, tenant)
    await check_room(session, tenant, params, beside=run_id)
    await admit_runs(session, tenant, params, queue.enqueue)


async def _find_claimed(
    session: Session, tenant: str, body: str, idempotency_key: str | None
) -> str | None:
    """The run that the key stands for already."""
    if idempotency_key is None:
        return None
    claim = await find_claim(session, tenant, idempotency_key, read_utc())
    if claim is None:
        return None
    if claim.body_sha256 != body:
        raise IdempotencyError(
            f"the key {quote(idempotency_key)} came with another body in the last 24 hours"
        )
    return claim.run_id


async def make_run(
    session: Session,
    new: NewRun,
    request: PlanRequest,
    params: Mapping[str, ParamValue],
    **beside: Any,
) -> str:
    """A new run's row and first step; `beside` are further columns."""
    deadline = new.find_deadline(params)
    await check_spending(session, new.tenant, request.planner, params)
    run_id, now = make_id("run"), read_utc()
    values = {
        "id": run_id,
        "tenant": new.tenant,
        "status": "queued",
        "executor": new.executor,
        "planner": request.planner,
        "locale": request.locale,
        "model": new.model,
        "request": request.model_dump(mode="json"),
        "created_at": now,
        "deadline_at": now + deadline,
        **beside,
    }
    await insert_run(session, values)
    await append_step(session, run_id, Step(1, RunQueued(planner=request.planner), now))
    return run_id


def _hash_body(raw: object, model: str | None) -> str:
    asked = json.dumps(raw if model is None else [raw, model], sort_keys=True)
    return hashlib.sha256(asked.encode()).hexdigest()


async def get_run(session: Session, run_id: str, tenant: str | None) -> RunHead:
    """The run; a `NotFoundError` where there is none for this tenant, whatever the reason."""
    run = await find_run(session, run_id, tenant)
    if run is None:
        raise NotFoundError(f"no run {quote(run_id)}")
    return run


async def cancel_run(engine: Engine, run_id: str, tenant: str | None) -> RunHead:
    """End a queued run, or one with open questions, at once, ask a running one to stop; an ended one stays as it is.

    One whose command is gone ends at once too: nobody is there to be asked.
    """
    async with transaction(engine) as session:
        run = await _lock_run(session, run_id, tenant)
        if run.status in {"needs_input", "queued"} or await _is_abandoned(session, run):
            await end_run(session, run, End("cancelled"))
        elif not is_final(run.status) and run.cancel_requested_at is None:
            await update_run(session, run_id, cancel_requested_at=read_utc())
        return await get_run(session, run_id, tenant)


async def _is_abandoned(session: Session, run: RunHead) -> bool:
    if is_final(run.status) or run.executor != INLINE:
        return False
    return not await is_held(session, run.id)


async def retry_run(
    engine: Engine,
    queue: JobQueue | None,
    run_id: str,
    tenant: str | None,
    *,
    has_model: bool = False,
) -> Started:
    """A new run for the request of an ended one: what has ended never runs again."""
    async with transaction(engine) as session:
        run = await get_run(session, run_id, tenant)
        if not is_final(run.status):
            raise ConflictError(f"{run_id} is {run.status}; cancel it first")
    raw = run.reading["raw"] if run.reading else run.request
    return await start_run(engine, queue, run.tenant, raw, model=run.model, has_model=has_model)


async def remove_run(engine: Engine, run_id: str, tenant: str | None) -> None:
    """Delete an ended run with all that belongs to it."""
    async with transaction(engine) as session:
        run = await _lock_run(session, run_id, tenant)
        if not is_final(run.status):
            raise ConflictError(f"{run_id} is {run.status}; cancel it first")
        await delete_run(session, run_id)


async def keep_run(engine: Engine, run_id: str, tenant: str | None, *, is_pinned: bool) -> RunHead:
    """Exempt a run from pruning, or no longer."""
    async with transaction(engine) as session:
        await _lock_run(session, run_id, tenant)
        await pin_run(session, run_id, read_utc() if is_pinned else None)
        return await get_run(session, run_id, tenant)


async def _lock_run(session: Session, run_id: str, tenant: str | None) -> RunHead:
    run = await find_run(session, run_id, tenant, is_locked=True)
    if run is None:
        raise NotFoundError(f"no run {quote(run_id)}")
    return run

"""Rows of runs: make, find, list, move on. Every read names its tenant; None is the operator.

Pages of runs: `{"items": […], "next_cursor"}`, newest first.
"""

import datetime as dt
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from pydantic import Field
from sqlalchemy import ColumnElement, delete, func, insert, select, text, update
from sqlalchemy.dialects.postgresql import insert as pg_insert

from backend.db.session import Engine, Session, Statements
from backend.document import Document, Moment, Page
from backend.pool.plan_request import PlannerChoice
from backend.runs.log.lifecycle import EXECUTOR, FINAL, RunStatus
from backend.runs.log.tables import AgentRun, RunFeedback

_HEAD = (
    AgentRun.id,
    AgentRun.tenant,
    AgentRun.status,
    AgentRun.executor,
    AgentRun.planner,
    AgentRun.locale,
    AgentRun.model,
    AgentRun.cost,
    AgentRun.currency,
    AgentRun.revision,
    AgentRun.request,
    AgentRun.reading,
    AgentRun.snapshot_sha256,
    AgentRun.catalogue_version,
    AgentRun.parent_run_id,
    AgentRun.overrides,
    AgentRun.created_at,
    AgentRun.started_at,
    AgentRun.finished_at,
    AgentRun.cancel_requested_at,
    AgentRun.deadline_at,
    AgentRun.pinned_at,
)


@dataclass(frozen=True)
class RunHead:
    """A run without its large columns, snapshot and result."""

    id: str
    tenant: str
    status: RunStatus
    executor: str
    planner: PlannerChoice
    locale: str
    model: str | None
    cost: Decimal | None
    currency: str | None
    revision: dict[str, Any] | None
    request: dict[str, Any]
    reading: dict[str, Any] | None
    snapshot_sha256: str | None
    catalogue_version: int | None
    parent_run_id: str | None
    overrides: dict[str, Any] | None
    created_at: dt.datetime
    started_at: dt.datetime | None
    finished_at: dt.datetime | None
    cancel_requested_at: dt.datetime | None
    deadline_at: dt.datetime | None
    pinned_at: dt.datetime | None


async def insert_run(session: Session, values: dict[str, Any]) -> None:
    """A new row."""
    await session.execute(insert(AgentRun).values(**values))


async def find_run(
    session: Session, run_id: str, tenant: str | None, *, is_locked: bool = False
) -> RunHead | None:
    """The run, if it exists and belongs to the tenant."""
    wanted = select(*_HEAD).where(AgentRun.id == run_id)
    if tenant is not None:
        wanted = wanted.where(AgentRun.tenant == tenant)
    row = (await session.execute(wanted.with_for_update() if is_locked else wanted)).first()
    return RunHead(**row._mapping) if row else None  # noqa: SLF001 - a public name of SQLAlchemy


async def list_ancestors(session: Session, run_id: str) -> Sequence[str]:
    """The runs that a run came out of, as far back as they are kept."""
    parent = AgentRun.parent_run_id
    line = select(parent.label("id")).where(AgentRun.id == run_id).cte("line", recursive=True)
    # `union` drops what was there already, so the walk ends even if a line led back to itself.
    line = line.union(select(parent).where(AgentRun.id == line.c.id))
    found = await session.scalars(select(line.c.id).where(line.c.id.is_not(None)))
    return found.all()


async def list_runs(
    session: Session,
    tenant: str | None,
    limit: int,
    *,
    before: str | None = None,
    status: str | None = None,
    is_asked: bool = False,
) -> Sequence[RunHead]:
    """Runs, newest first (ids sort by time), those older than the run `before`.

    `is_asked` leaves out what came of other runs: replays and revisions.
    """
    wanted = select(*_HEAD).order_by(AgentRun.id.desc()).limit(limit)
    if tenant is not None:
        wanted = wanted.where(AgentRun.tenant == tenant)
    if before is not None:
        wanted = wanted.where(AgentRun.id < before)
    if status is not None:
        wanted = wanted.where(AgentRun.status == status)
    if is_asked:
        wanted = wanted.where(AgentRun.parent_run_id.is_(None))
    return [RunHead(**row._mapping) for row in await session.execute(wanted)]  # noqa: SLF001


async def read_snapshot_text(session: Session, run_id: str) -> str | None:
    """The canonical JSON of the run's snapshot; None before the pool is built."""
    wanted = select(AgentRun.input_snapshot).where(AgentRun.id == run_id)
    return (await session.execute(wanted)).scalar_one_or_none()


async def has_snapshot(session: Session, run_id: str) -> bool:
    """Whether the run has got as far as a pool."""
    wanted = select(AgentRun.input_snapshot.is_not(None)).where(AgentRun.id == run_id)
    return bool((await session.execute(wanted)).scalar_one_or_none())


async def read_snapshot_params(session: Session, run_id: str) -> dict[str, Any]:
    """The parameters that were frozen with the run; none before the pool is built."""
    text = await read_snapshot_text(session, run_id)
    return dict(json.loads(text)["params"]) if text else {}


async def read_result(session: Session, run_id: str) -> dict[str, Any] | None:
    """The stored result document; None before the end."""
    wanted = select(AgentRun.result).where(AgentRun.id == run_id)
    return (await session.execute(wanted)).scalar_one_or_none()


async def update_run(session: Session, run_id: str, **values: Any) -> bool:
    """Set columns of a run that has not ended; False where it has."""
    changed = update(AgentRun).where(AgentRun.id == run_id, AgentRun.status.not_in(FINAL))
    touched = await session.execute(changed.values(**values).returning(AgentRun.id))
    return touched.first() is not None


async def pin_run(session: Session, run_id: str, at: dt.datetime | None) -> None:
    """Keep a run from being pruned, or with None leave it to its time."""
    await session.execute(update(AgentRun).where(AgentRun.id == run_id).values(pinned_at=at))


async def list_going_on(statements: Statements, run_ids: Sequence[str]) -> set[str]:
    """Those of the runs that exist and that nobody wants cancelled."""
    query = "select id from agent_run where id = any(%s) and cancel_requested_at is null"
    async with statements.connection() as connection:
        rows = await (await connection.execute(query, [list(run_ids)])).fetchall()
    return {run_id for (run_id,) in rows}


async def sum_costs(session: Session, tenant: str, since: dt.datetime) -> Decimal:
    """What the models of a tenant's runs have cost that were asked for since then."""
    wanted = select(func.coalesce(func.sum(AgentRun.cost), 0)).where(
        AgentRun.tenant == tenant, AgentRun.created_at >= since, AgentRun.cost.is_not(None)
    )
    return (await session.execute(wanted)).scalar_one() or Decimal(0)


async def delete_run(session: Session, run_id: str) -> None:
    """Remove a run with all that belongs to it."""
    await session.execute(delete(AgentRun).where(AgentRun.id == run_id))


async def list_unfinished(
    session: Session, executor: str, before: dt.datetime | None = None
) -> Sequence[str]:
    """Ids of the runs at work that have not ended, oldest first; with `before` those made by then.

    Runs that wait to be admitted to the queue are not among them.
    """
    wanted = select(AgentRun.id).where(
        AgentRun.status.in_(["queued", "running"]), AgentRun.executor == executor
    )
    if executor == EXECUTOR:
        wanted = wanted.where(AgentRun.admitted_at.is_not(None))
    if before is not None:
        wanted = wanted.where(AgentRun.created_at < before)
    return list((await session.scalars(wanted.order_by(AgentRun.id))).all())


_JOBLESS = text(
    "select wanted from unnest(cast(:locks as text[])) as wanted where not exists (select 1 from"
    " procrastinate_jobs as job where job.lock = wanted and job.status in ('todo', 'doing'))"
)


async def list_jobless(session: Session, locks: Sequence[str]) -> Sequence[str]:
    """Those of the ids for which no job waits or is being done."""
    return (await session.scalars(_JOBLESS, {"locks": list(locks)})).all()


@asynccontextmanager
async def hold_run(engine: Engine, run_id: str) -> AsyncIterator[None]:
    """Show to all that this process carries the run; the database drops it with the process.

    Where the connection goes, another may take the run over: the log lets only one of them write.
    """
    connection = await engine.connect()
    try:
        await connection.execute(select(func.pg_advisory_lock(_lock_number(run_id))))
        yield
    finally:
        await connection.invalidate()  # closes it, alive or not, and the lock goes with it


async def is_held(session: Session, run_id: str) -> bool:
    """Whether a process carries the run; if none does, none can until the transaction's end."""
    taken = select(func.pg_try_advisory_xact_lock(_lock_number(run_id)))
    return not (await session.execute(taken)).scalar_one()


def _lock_number(run_id: str) -> ColumnElement[int]:
    return func.hashtextextended(run_id, 0)


async def save_feedback(
    session: Session, run_id: str, rating: int, comment: str | None, at: dt.datetime
) -> None:
    """What the traveller thinks of the plan, instead of what they thought before."""
    values = {"rating": rating, "comment": comment, "at": at}
    new = pg_insert(RunFeedback).values(run_id=run_id, **values)
    await session.execute(new.on_conflict_do_update(index_elements=["run_id"], set_=values))


async def list_figures(
    session: Session, tenant: str, since: dt.datetime, until: dt.datetime, limit: int
) -> Sequence[dict[str, Any]]:
    """What statistics count of a tenant's runs that ended from `since` to before `until`.

    Newest first. The requests are not among it: they are the travellers' own.
    """
    columns = (
        AgentRun.id,
        AgentRun.tenant,
        AgentRun.status,
        AgentRun.planner,
        AgentRun.model,
        AgentRun.cost,
        AgentRun.figures,
        AgentRun.started_at,
        AgentRun.finished_at,
        RunFeedback.rating,
    )
    wanted = select(*columns).outerjoin(RunFeedback, RunFeedback.run_id == AgentRun.id)
    own = wanted.where(AgentRun.tenant == tenant)
    ended = own.where(AgentRun.finished_at >= since, AgentRun.finished_at < until)
    rows = await session.execute(ended.order_by(AgentRun.id.desc()).limit(limit))
    return [dict(row._mapping) for row in rows]  # noqa: SLF001


class RunItem(Document):
    """A run in a list."""

    id: str
    status: RunStatus
    created_at: Moment
    finished_at: Moment | None
    cities: tuple[str, ...]
    start_date: str | None = Field(description="Null while it is asked for.")
    days: int | None
    planner: PlannerChoice
    snapshot_sha256: str | None
    pinned: bool


def show_head(run: RunHead) -> RunItem:
    """A run as an item of a list."""
    request = run.request
    return RunItem(
        id=run.id,
        status=run.status,
        created_at=run.created_at.isoformat(),
        finished_at=run.finished_at.isoformat() if run.finished_at else None,
        cities=tuple(destination["city"] for destination in request.get("destinations", ())),
        start_date=request.get("start_date"),
        days=request.get("days"),
        planner=run.planner,
        snapshot_sha256=run.snapshot_sha256,
        pinned=run.pinned_at is not None,
    )


def make_page(runs: Sequence[RunHead], limit: int) -> Page[RunItem]:
    """A page of at most `limit` runs; `runs` holds one more where there are more."""
    items = tuple(show_head(run) for run in runs[:limit])
    return Page(items=items, next_cursor=items[-1].id if len(runs) > limit else None)

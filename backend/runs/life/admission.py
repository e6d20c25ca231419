"""Which runs have a job in the queue: of each tenant only so many at a time, the others wait.

So one tenant's many runs never stand before another's one. Within the queue a tenant's first jobs
go before another's tenth, whoever came earlier. Counting is under a lock by tenant, taken late and
held to the end of a short transaction.

Verifications that were asked for: rows that a worker finishes, kept as long as their run.

What runs cost, and the daily limit that new ones are refused by.
"""

import datetime as dt
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import exists, func, insert, select, text, update
from sqlalchemy.orm import aliased

from backend.agent.models import Models
from backend.clock import read_utc
from backend.db.session import Session
from backend.document import Document
from backend.errors import ConfigurationError, Fault, RequestRefusedError, WaypoolError
from backend.params.registry import ParamValue, get_number
from backend.pool.plan_request import PlannerChoice
from backend.runs.log.lifecycle import EXECUTOR
from backend.runs.log.queries import sum_costs
from backend.runs.log.run_log import Stage
from backend.runs.log.tables import AgentRun, RunVerification
from backend.text import MOST_NEAR, find_near, quote, shorten

_UNFINISHED = AgentRun.status.in_(("queued", "running"))

Enqueue = Callable[[Session, str, int], Awaitable[None]]
"""Put a run into the queue with a priority, in the caller's transaction."""


class QueueFullError(WaypoolError):
    """This tenant has as many waiting runs as it may have."""

    code = "QUEUE_FULL"


async def check_room(
    session: Session, tenant: str, params: Mapping[str, ParamValue], beside: str = ""
) -> None:
    """Refuse one more run, or `beside` if it is made already, where the tenant's queue is full."""
    limit = get_number(params, "TENANT_MAX_QUEUED")
    wanted = select(func.count()).where(
        AgentRun.tenant == tenant,
        AgentRun.status == "queued",
        AgentRun.executor == EXECUTOR,
        AgentRun.id != beside,
    )
    if (await session.execute(wanted)).scalar_one() >= limit:
        raise QueueFullError(
            f"{limit} runs of yours are waiting already; ask again when some have ended"
        )


async def lock_admission(session: Session, tenant: str) -> None:
    """Let nobody else count or admit this tenant's runs until the transaction ends."""
    lock = text(
        "select pg_advisory_xact_lock(hashtextextended('admission' || chr(31) || :tenant, 0))"
    )
    await session.execute(lock, {"tenant": tenant})


async def admit_runs(
    session: Session, tenant: str, params: Mapping[str, ParamValue], enqueue: Enqueue
) -> None:
    """Give jobs to the tenant's oldest waiting runs, as many as may be at work; under the lock."""
    mine = (AgentRun.tenant == tenant, _UNFINISHED, AgentRun.executor == EXECUTOR)
    wanted = select(func.count()).where(*mine, AgentRun.admitted_at.is_not(None))
    inside: int = (await session.execute(wanted)).scalar_one()
    room = get_number(params, "TENANT_MAX_RUNNING") - inside
    if room <= 0:
        return
    waiting = select(AgentRun.id).where(*mine, AgentRun.admitted_at.is_(None))
    # One that is just being cancelled is locked: it is not waited for, its transaction may wait for us.
    next_ones = waiting.order_by(AgentRun.id).limit(room).with_for_update(skip_locked=True)
    for n, run_id in enumerate((await session.scalars(next_ones)).all()):
        await session.execute(
            update(AgentRun).where(AgentRun.id == run_id).values(admitted_at=read_utc())
        )
        await enqueue(session, run_id, -(inside + n))


async def list_waiting_tenants(session: Session, beside: str | None = None) -> Sequence[str]:
    """Tenants with runs that wait to be admitted; with `beside` only the one of that run."""
    wanted = select(AgentRun.tenant).where(
        _UNFINISHED, AgentRun.executor == EXECUTOR, AgentRun.admitted_at.is_(None)
    )
    if beside is not None:
        other = aliased(AgentRun)
        wanted = wanted.where(exists().where(other.id == beside, other.tenant == AgentRun.tenant))
    return sorted(set((await session.scalars(wanted.distinct())).all()))


async def list_overdue(session: Session, now: dt.datetime) -> Sequence[str]:
    """Queued runs, and those with open questions, whose time has passed."""
    waiting = AgentRun.status.in_(("needs_input", "queued"))
    wanted = select(AgentRun.id).where(waiting, AgentRun.deadline_at < now)
    return list((await session.scalars(wanted.order_by(AgentRun.id).limit(100))).all())


MAX_WAITING = 20
"""Of one tenant: each is a second of computing."""


@dataclass(frozen=True)
class AskedVerification:
    """A verification; unfinished while `finished_at` is None, then with a report or an error."""

    id: str
    run_id: str
    tenant: str
    created_at: dt.datetime
    finished_at: dt.datetime | None
    report: dict[str, Any] | None
    error: dict[str, Any] | None

    @property
    def status(self) -> str:
        """`queued`, `done` or `failed`; one that has found a difference is done."""
        if self.finished_at is None:
            return "queued"
        return "failed" if self.report is None else "done"


async def insert_verification(
    session: Session, verification_id: str, run_id: str, tenant: str
) -> None:
    """One more; a `QueueFullError` where too many of the tenant's wait already."""
    row = RunVerification
    waiting = select(func.count()).where(row.tenant == tenant, row.finished_at.is_(None))
    if (await session.execute(waiting)).scalar_one() >= MAX_WAITING:
        raise QueueFullError(f"{MAX_WAITING} verifications of yours are waiting already")
    values = {"id": verification_id, "run_id": run_id, "tenant": tenant}
    await session.execute(insert(row).values(**values, created_at=read_utc()))


async def find_verification(session: Session, verification_id: str) -> AskedVerification | None:
    """The verification, if there is one."""
    columns = [getattr(RunVerification, name) for name in AskedVerification.__annotations__]
    found = await session.execute(select(*columns).where(RunVerification.id == verification_id))
    row = found.one_or_none()
    return None if row is None else AskedVerification(*row)


async def finish_verification(
    session: Session,
    verification_id: str,
    report: dict[str, Any] | None,
    error: dict[str, Any] | None = None,
) -> None:
    """What it came to; the first to say so is right."""
    changed = update(RunVerification).where(
        RunVerification.id == verification_id, RunVerification.finished_at.is_(None)
    )
    await session.execute(changed.values(finished_at=read_utc(), report=report, error=error))


async def list_unfinished_verifications(session: Session) -> Sequence[str]:
    """Ids of those that wait or are being done."""
    wanted = select(RunVerification.id).where(RunVerification.finished_at.is_(None))
    return (await session.scalars(wanted.order_by(RunVerification.id))).all()


class CostLimitError(WaypoolError):
    """The tenant's models have cost what they may for today."""

    code = "COST_LIMIT"


async def check_spending(
    session: Session, tenant: str, planner: PlannerChoice, params: Mapping[str, ParamValue]
) -> None:
    """Refuse a run that may ask a model where the tenant's day is spent; days are UTC."""
    limit = params["TENANT_DAILY_COST_LIMIT"]
    if limit is None or planner == "builtin":
        return
    today = read_utc().replace(hour=0, minute=0, second=0, microsecond=0)
    spent = await sum_costs(session, tenant, today)
    if spent >= Decimal(str(limit)):
        again = (today + dt.timedelta(days=1)).isoformat()
        raise CostLimitError(
            f"the models have cost {tenant} {write_amount(spent)} today, the limit is {limit}"
            f" (TENANT_DAILY_COST_LIMIT); from {again} on they may be asked again,"
            ' until then "planner": "builtin" plans at no cost'
        )


def check_model(name: str | None, names: Iterable[str]) -> None:
    """Refuse a run that asks for a model that is not configured."""
    known = list(names)
    if name is None or name in known:
        return
    if not known:
        raise RequestRefusedError(
            [Fault("model", "unknown_model", "no language model is configured here")]
        )
    message = f"no model {quote(name)} is configured"
    near = tuple(find_near(shorten(name), known, MOST_NEAR, 0))
    raise RequestRefusedError([Fault("model", "unknown_model", message, near)])


def count_cost(stages: Iterable[Stage], models: Models | None) -> Decimal | None:
    """What a run's replies cost; None where it asked no model, or one without prices."""
    costs = []
    for stage in stages:
        if stage.planner != "openai" or models is None:
            continue
        try:
            prices = models.find(stage.model).prices
        except ConfigurationError:  # it was configured when the run began
            return None
        if prices is None:
            return None
        costs.append(prices.charge(stage.usage))
    return sum(costs, Decimal(0)) if costs else None


class CostDocument(Document):
    """What the model's replies cost, in the currency of the configured prices."""

    amount: str
    currency: str


def show_cost(cost: Decimal | None, currency: str | None) -> CostDocument | None:
    """The cost as documents show it."""
    if cost is None or currency is None:
        return None
    return CostDocument(amount=write_amount(cost), currency=currency)


def write_amount(cost: Decimal) -> str:
    """All digits that count, never an exponent."""
    text = f"{cost:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text

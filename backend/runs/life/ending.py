"""Ends a run: status, result, last step and counters in one transaction, whoever ends it.

What ended runs add up to, for Prometheus: written in the transaction that ends a run.

So each run counts exactly once, whichever process ended it and however many were killed before, and
any process can show the sums of all.
"""

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from sqlalchemy import select, text

from backend.clock import read_utc
from backend.db.session import Engine, Session, transaction
from backend.errors import WaypoolError
from backend.runs.life.admission import list_overdue
from backend.runs.log.lifecycle import RunStatus
from backend.runs.log.queries import RunHead, find_run, update_run
from backend.runs.log.run_log import RunTakenOverError, append_step, read_last_seq
from backend.runs.log.steps import (
    THIS_WAYPOOL,
    ModelReplied,
    PlannerStopped,
    RunError,
    RunFinished,
    Step,
    ToolCalled,
)
from backend.runs.log.tables import RunCounter
from backend.tools.registry import find_tool

RUN_BUCKETS = (0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600)
MODEL_BUCKETS = (0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)

Key = tuple[str, str]
"""A counter's name, and its labels as JSON with sorted names."""

Counts = defaultdict[Key, float]


@dataclass(frozen=True)
class Ended:
    """A run at its end; `reason` is the code of a failure, else empty."""

    status: str
    reason: str
    seconds: float
    steps: Sequence[Step]


def count_run(run: Ended) -> Counts:
    """What the run adds to the counters."""
    counts: Counts = defaultdict(float)
    add(counts, "runs", 1, status=run.status, reason=run.reason)
    observe(counts, "run_seconds", run.seconds, RUN_BUCKETS)
    for step in run.steps:
        add(counts, "steps", 1, kind=step.kind)
        found = step.payload
        if isinstance(found, ModelReplied):
            _count_reply(counts, found)
        elif isinstance(found, ToolCalled):
            _count_call(counts, found)
        elif isinstance(found, PlannerStopped) and found.error:
            add(counts, "planner_failures", 1, reason=found.error)
    return counts


def add(counts: Counts, name: str, value: float, **labels: str) -> None:
    """Add to one counter."""
    counts[name, json.dumps(labels, sort_keys=True)] += value


def observe(
    counts: Counts, name: str, value: float, buckets: Sequence[float], **labels: str
) -> None:
    """Add one value to a histogram: to each bucket that it fits in, to the sum and the count."""
    for bound in buckets:
        if value <= bound:
            add(counts, f"{name}_bucket", 1, le=f"{bound:g}", **labels)
    add(counts, f"{name}_bucket", 1, le="+Inf", **labels)
    add(counts, f"{name}_sum", value, **labels)


def _count_reply(counts: Counts, replied: ModelReplied) -> None:
    for kind, tokens in replied.reply.usage.model_dump().items():
        if tokens:
            add(counts, "tokens", tokens, kind=kind.removesuffix("_tokens"))
    if replied.seconds is not None:
        planner = replied.planner
        observe(counts, "model_seconds", replied.seconds, MODEL_BUCKETS, planner=planner)


def _count_call(counts: Counts, called: ToolCalled) -> None:
    outcome = called.outcome
    tool = outcome.tool if find_tool(outcome.tool) else "unknown"  # a model's word is no label
    add(counts, "tool_calls", 1, tool=tool, outcome="error" if outcome.is_error else "ok")


_ADD = text(
    "insert into run_counter as old (name, labels, value)"
    " select * from unnest(cast(:names as text[]), cast(:labels as text[]),"
    " cast(:values as double precision[]))"
    " on conflict (name, labels) do update set value = old.value + excluded.value"
)
"""One text whatever the number of counters: a list of rows would be compiled anew at each end."""


async def add_counts(session: Session, counts: Mapping[Key, float]) -> None:
    """Add to the stored sums; in one order, so that two transactions never wait for each other."""
    keys = sorted(counts)
    values = {
        "names": [name for name, _ in keys],
        "labels": [labels for _, labels in keys],
        "values": [counts[key] for key in keys],
    }
    await session.execute(_ADD, values)


async def read_counts(session: Session) -> dict[str, list[tuple[dict[str, str], float]]]:
    """The sums by name: labels and value of each."""
    wanted = select(RunCounter.name, RunCounter.labels, RunCounter.value)
    found: dict[str, list[tuple[dict[str, str], float]]] = {}
    for name, labels, value in await session.execute(wanted.order_by(*wanted.selected_columns)):
        found.setdefault(name, []).append((json.loads(labels), value))
    return found


class DeadlineError(WaypoolError):
    """The run's time was over before its plan was sound."""

    code = "DEADLINE_EXCEEDED"


@dataclass(frozen=True)
class End:
    """How a run ends; `error` stands with failed, `steps` are those before the last one.

    `at` is the moment that the result was computed for, None: the moment that it is written.
    """

    status: RunStatus
    error: RunError | None = None
    result: dict[str, Any] | None = None
    steps: Sequence[Step] = ()
    at: dt.datetime | None = None
    cost: Decimal | None = None
    currency: str | None = None
    figures: dict[str, Any] | None = None


async def end_run(session: Session, run: RunHead, end: End) -> None:
    """Write the end; `RunTakenOverError` where the run has one, or a step that `end` lacks."""
    at = end.at or read_utc()
    values: dict[str, Any] = {"status": end.status, "result": end.result, "finished_at": at}
    values |= {"cost": end.cost, "currency": end.currency, "figures": end.figures}
    if not await update_run(session, run.id, **values):
        raise RunTakenOverError(f"{run.id} has ended already")
    last = end.steps[-1].seq if end.steps else await read_last_seq(session, run.id)
    ended = RunFinished(status=end.status, error=end.error, made_by=THIS_WAYPOOL)
    await append_step(session, run.id, Step(last + 1, ended, at))
    seconds = (at - run.created_at).total_seconds()
    reason = end.error.code if end.error else ""
    # Last: all ends of runs meet at these rows, and wait there for each other's commit.
    await add_counts(session, count_run(Ended(end.status, reason, seconds, end.steps)))


async def end_overdue(engine: Engine) -> None:
    """Fail the queued runs whose deadline has passed; a running one sees to it itself.

    One whose questions nobody has answered in time is cancelled.
    """
    async with transaction(engine) as session:
        overdue = await list_overdue(session, read_utc())
    for run_id in overdue:
        async with transaction(engine) as session:
            run = await find_run(session, run_id, None, is_locked=True)
            if run is not None and run.status == "needs_input":
                await end_run(session, run, End("cancelled"))
            elif run is not None and run.status == "queued":
                await end_run(session, run, make_overdue())


def make_overdue(steps: Sequence[Step] = ()) -> End:
    """The end of a run that never got as far as a plan."""
    error = DeadlineError("the run's deadline passed before it had begun")
    shown = RunError(code=error.code, message=error.message)
    return End("failed", shown, {"error": shown.model_dump()}, steps)

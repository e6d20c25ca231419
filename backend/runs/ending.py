"""Ends a run: status, result, last step and counters in one transaction, whoever ends it."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from backend.clock import read_utc
from backend.db.session import Engine, Session, transaction
from backend.errors import WaypoolError
from backend.runs.admission import list_overdue
from backend.runs.counters import Ended, add_counts, count_run
from backend.runs.lifecycle import RunStatus
from backend.runs.queries import RunHead, find_run, update_run
from backend.runs.run_log import RunTakenOverError, Step, append_step, read_last_seq


class DeadlineError(WaypoolError):
    """The run's time was over before its plan was sound."""

    code = "DEADLINE_EXCEEDED"


@dataclass(frozen=True)
class End:
    """How a run ends; `error` stands with failed, `steps` are those before the last one.

    `at` is the moment that the result was computed for, None: the moment that it is written.
    """

    status: RunStatus
    error: dict[str, Any] | None = None
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
    ended = {"status": end.status, "error": end.error}
    await append_step(session, run.id, Step(last + 1, "run_finished", ended, at))
    seconds = (at - run.created_at).total_seconds()
    reason = end.error["code"] if end.error else ""
    # Last: all ends of runs meet at these rows, and wait there for each other's commit.
    await add_counts(session, count_run(Ended(end.status, reason, seconds, end.steps)))


async def end_overdue(engine: Engine) -> None:
    """Fail the queued runs whose deadline has passed; a running one sees to it itself."""
    async with transaction(engine) as session:
        overdue = await list_overdue(session, read_utc())
    for run_id in overdue:
        async with transaction(engine) as session:
            run = await find_run(session, run_id, None, is_locked=True)
            if run is not None and run.status == "queued":
                await end_run(session, run, make_overdue())


def make_overdue(steps: Sequence[Step] = ()) -> End:
    """The end of a run that never got as far as a plan."""
    error = DeadlineError("the run's deadline passed before it had begun")
    shown = {"code": error.code, "message": error.message}
    return End("failed", shown, {"error": shown}, steps)

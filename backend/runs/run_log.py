"""The run log: append and read; what is appended is announced to every process that listens.

`seq` n+1 is written only after n, so readers of a growing log see no gaps.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, insert, select, text
from sqlalchemy.exc import IntegrityError

from backend.db.session import Engine, Session, transaction
from backend.errors import WaypoolError
from backend.runs.tables import RunLogRow

CHANNEL = "waypool_run_log"


class RunTakenOverError(WaypoolError):
    """Somebody else has written the next step of this run: this worker stops."""

    code = "RUN_TAKEN_OVER"


@dataclass(frozen=True)
class Step:
    """A row of the log."""

    seq: int
    kind: str
    payload: dict[str, Any]
    at: dt.datetime


async def append_step(session: Session, run_id: str, step: Step) -> None:
    """Write one step in the caller's transaction and announce it at its commit."""
    row = {"run_id": run_id, "seq": step.seq, "kind": step.kind, "payload": step.payload}
    try:
        await session.execute(insert(RunLogRow).values(**row, at=step.at))
    except IntegrityError as error:
        raise RunTakenOverError(f"step {step.seq} of {run_id} is written already") from error
    announce = text("select pg_notify(:channel, :run_id)")
    await session.execute(announce, {"channel": CHANNEL, "run_id": run_id})


async def read_steps(
    engine: Engine, run_id: str, after: int = 0, limit: int | None = None
) -> Sequence[Step]:
    """Steps with a `seq` above `after`, in order."""
    columns = select(RunLogRow.seq, RunLogRow.kind, RunLogRow.payload, RunLogRow.at)
    wanted = columns.where(RunLogRow.run_id == run_id, RunLogRow.seq > after)
    async with transaction(engine) as session:
        rows = await session.execute(wanted.order_by(RunLogRow.seq).limit(limit))
        return [Step(row.seq, row.kind, row.payload, row.at) for row in rows]


async def read_last_seq(session: Session, run_id: str) -> int:
    """The last step's number; 0 in an empty log."""
    wanted = select(func.max(RunLogRow.seq)).where(RunLogRow.run_id == run_id)
    return (await session.execute(wanted)).scalar_one() or 0

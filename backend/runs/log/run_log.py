"""The run log, the one record of a run: resume folds it, events and traces are read from it.

A step is written by one statement, and the primary key `(run_id, seq)` lets only one of two workers
write step n. A step is visible only once it is committed, and a `seq` is written only after the one
before is visible, so readers of a growing log see no gaps.

What the log says of a run's planners: the state, the tokens and the end of each one's stage.
"""

import datetime as dt
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import psycopg
from pydantic import JsonValue
from sqlalchemy import and_, func, select

from backend.agent.llm import Usage
from backend.agent.loop import AgentResult, hand_over
from backend.db.session import Engine, Session, Statements, raw_connection, transaction
from backend.document import Document, Moment
from backend.errors import WaypoolError
from backend.runs.log.steps import (
    ModelReplied,
    PlannerChosen,
    PlannerFellBack,
    PlannerName,
    PlannerStopped,
    RevisionBegun,
    Step,
    TextRead,
    ToolCalled,
    read_payload,
    select_payloads,
)
from backend.runs.log.tables import RunLogRow, RunPayloadRow
from backend.tools.context import RunState

CHANNEL = "waypool_run_log"

LARGE_BYTES = 32 * 1024
"""Payloads above this stand apart, so that lists and folds of the log do not drag them along."""

_WRITE = """
with written as (
  insert into run_log (run_id, seq, kind, payload, at)
  values (%(run_id)s, %(seq)s, %(kind)s, cast(%(payload)s as json), %(at)s) returning run_id
), apart as (
  insert into run_payload (run_id, seq, payload)
  select %(run_id)s, %(seq)s, cast(%(large)s as json) where %(large)s::text is not null
)
select pg_notify(%(channel)s, run_id) from written
"""


class StepItem(Document):
    """A step of the run log."""

    seq: int
    kind: str
    at: Moment
    payload: dict[str, JsonValue]

    @classmethod
    def of(cls, step: Step) -> "StepItem":
        """A step as the trace and an export show it."""
        payload = step.payload.as_json()
        return cls(seq=step.seq, kind=step.kind, at=step.at.isoformat(), payload=payload)


class RunTakenOverError(WaypoolError):
    """Somebody else has written the next step of this run: this worker stops."""

    code = "RUN_TAKEN_OVER"


async def append_step(session: Session, run_id: str, step: Step) -> None:
    """Write one step in the caller's transaction and announce it at its commit."""
    await _write(await raw_connection(session), run_id, step)


async def append_step_alone(statements: Statements, run_id: str, step: Step) -> None:
    """Write one step as a transaction of its own, and announce it."""
    async with statements.connection() as connection:
        await _write(connection, run_id, step)


async def _write(connection: psycopg.AsyncConnection, run_id: str, step: Step) -> None:
    text = json.dumps(step.payload.as_json())
    is_large = len(text) > LARGE_BYTES  # ASCII: characters are bytes
    values = {
        "run_id": run_id,
        "seq": step.seq,
        "kind": step.kind,
        "payload": json.dumps({"bytes": len(text)}) if is_large else text,
        "large": text if is_large else None,
        "at": step.at,
        "channel": CHANNEL,
    }
    try:
        await connection.execute(_WRITE, values)
    except psycopg.IntegrityError as error:
        raise RunTakenOverError(f"step {step.seq} of {run_id} is written already") from error


async def read_steps(
    engine: Engine, run_id: str, after: int = 0, limit: int | None = None
) -> Sequence[Step]:
    """Steps with a `seq` above `after`, in order."""
    apart = and_(RunPayloadRow.run_id == RunLogRow.run_id, RunPayloadRow.seq == RunLogRow.seq)
    payload = func.coalesce(RunPayloadRow.payload, RunLogRow.payload).label("payload")
    wanted = (
        select(RunLogRow.seq, RunLogRow.kind, payload, RunLogRow.at)
        .outerjoin(RunPayloadRow, apart)
        .where(RunLogRow.run_id == run_id, RunLogRow.seq > after)
    )
    async with transaction(engine) as session:
        rows = await session.execute(wanted.order_by(RunLogRow.seq).limit(limit))
        return [_make_step(*row) for row in rows]


_READ = """
select log.seq, log.kind, coalesce(apart.payload, log.payload), log.at from run_log as log
left join run_payload as apart on apart.run_id = log.run_id and apart.seq = log.seq
where log.run_id = %s and log.seq > %s order by log.seq
"""


async def read_steps_alone(statements: Statements, run_id: str, after: int = 0) -> list[Step]:
    """All steps above `after`, in order, by a statement of its own."""
    async with statements.connection() as connection:
        rows = await (await connection.execute(_READ, [run_id, after])).fetchall()
    return [_make_step(*row) for row in rows]


def _make_step(seq: int, kind: str, payload: dict[str, JsonValue], at: dt.datetime) -> Step:
    return Step(seq, read_payload(kind, payload), at)


async def read_last_seq(session: Session, run_id: str) -> int:
    """The last step's number; 0 in an empty log."""
    wanted = select(func.max(RunLogRow.seq)).where(RunLogRow.run_id == run_id)
    return (await session.execute(wanted)).scalar_one() or 0


@dataclass(frozen=True)
class Stage:
    """One planner's work on a run; `stop` is None while it goes on, `model` with the built-in one.

    `start` is what the first one begins with: nothing but in a revision. `read` is what the same
    model took to read the request's text before.
    """

    planner: PlannerName
    steps: tuple[Step, ...]
    stop: str | None
    error: str | None
    model: str | None = None
    start: RunState = field(default_factory=RunState)
    read: Usage = field(default_factory=Usage)

    @property
    def usage(self) -> Usage:
        """Tokens of its replies, and of the reading of the text before them."""
        replies = select_payloads(self.steps, ModelReplied)
        return sum((replied.reply.usage for replied in replies), self.read)

    @property
    def turns(self) -> int:
        """How many replies it has had."""
        return sum(isinstance(step.payload, ModelReplied) for step in self.steps)

    @property
    def tool_calls(self) -> int:
        """How many calls it has made."""
        return len(self.calls)

    @property
    def calls(self) -> tuple[ToolCalled, ...]:
        """Its calls with their outcomes, in order."""
        return tuple(select_payloads(self.steps, ToolCalled))

    def fold(self, start: RunState) -> RunState:
        """The state after its recorded calls."""
        state = start
        for called in self.calls:
            state = state.after(called.outcome)
        return state


def read_stages(steps: Sequence[Step]) -> list[Stage]:
    """Stages in order: each begins with `planner_chosen` or `planner_fell_back`."""
    stages: list[Stage] = []
    start, read = read_start(steps), Usage()
    for step in steps:
        found = step.payload
        if isinstance(found, TextRead) and found.reply is not None:
            read += found.reply.usage
        elif isinstance(found, PlannerChosen | PlannerFellBack):
            model = found.model if isinstance(found, PlannerChosen) else None
            stages.append(Stage(found.planner, (), None, None, model, start, read))
            read = Usage()
        elif stages and isinstance(found, ModelReplied | ToolCalled):
            last = stages[-1]
            stages[-1] = replace(last, steps=(*last.steps, step))
        elif stages and isinstance(found, PlannerStopped):
            stages[-1] = replace(stages[-1], stop=found.stop, error=found.error)
    return stages


def read_start(steps: Sequence[Step]) -> RunState:
    """What a run begins with: the plan that it revises, or nothing."""
    begun = next(select_payloads(steps, RevisionBegun), None)
    if begun is None:
        return RunState()
    return RunState(draft=begun.draft, locks=begun.locks, wish=begun.wish, gone=begun.gone)


def describe_stop(
    planner: PlannerName, result: AgentResult, code: str | None = None
) -> PlannerStopped:
    """The step that ends a planner's stage; `code` says what was wrong with a plan without visits."""
    error = result.error
    return PlannerStopped(
        planner=planner,
        stop=str(result.stop),
        error=error.code if error else code,
        message=error.message if error else None,
        context=dict(result.context),
    )


def fold_state(stages: Sequence[Stage]) -> RunState:
    """The state after all recorded calls of all stages."""
    state = stages[0].start if stages else RunState()
    for n, stage in enumerate(stages):
        state = stage.fold(hand_over(state) if n else state)
    return state

"""Runs, their log, and the keys that make a request idempotent."""

import datetime as dt
from decimal import Decimal
from typing import Any

from sqlalchemy import (
    CheckConstraint,
    DateTime,
    Double,
    ForeignKey,
    Index,
    Numeric,
    SmallInteger,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import JSON
from sqlalchemy.orm import Mapped, mapped_column

from backend.db.session import Base, CodeText

Moment = DateTime(timezone=True)


class AgentRun(Base):
    """One execution for one request.

    `input_snapshot` is canonical JSON (RFC 8785) as text, since its hash is over those bytes;
    `executor` says who carries the run on: a worker of the queue, or the command that began it.
    A run that came out of another names it as its parent; `overrides` is what a replay sets for
    itself, `figures` what statistics count.
    One that is admitted has a job in the queue; the others wait until their tenant's turn comes.
    `reading` is what was read in a text, with the body it came in and the open questions.
    `model` is the one that was asked for, None the default; `cost` what its replies took, in
    `currency`; `revision` what a run changes in that of its parent.
    """

    __tablename__ = "agent_run"
    __table_args__ = (
        Index("ix_agent_run_tenant_id", "tenant", "id"),
        Index("ix_agent_run_status", "status"),
        Index("ix_agent_run_parent_run_id", "parent_run_id"),
        Index(
            "ix_agent_run_unfinished",
            "tenant",
            "id",
            postgresql_where=text("status in ('queued', 'running')"),
        ),
        Index("ix_agent_run_finished_at", "finished_at"),
        Index(
            "ix_agent_run_tenant_created_at",
            "tenant",
            "created_at",
            postgresql_where=text("cost is not null"),
        ),
    )

    id: Mapped[CodeText] = mapped_column(primary_key=True)
    tenant: Mapped[str] = mapped_column(Text)
    status: Mapped[str] = mapped_column(Text)
    executor: Mapped[str] = mapped_column(Text)
    planner: Mapped[str] = mapped_column(Text)
    locale: Mapped[str] = mapped_column(Text)
    model: Mapped[str | None] = mapped_column(Text)
    cost: Mapped[Decimal | None] = mapped_column(Numeric)
    currency: Mapped[str | None] = mapped_column(Text)
    revision: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    request: Mapped[dict[str, Any]] = mapped_column(JSON)
    reading: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    input_snapshot: Mapped[str | None] = mapped_column(Text)
    snapshot_sha256: Mapped[str | None] = mapped_column(Text)
    catalogue_version: Mapped[int | None]
    parent_run_id: Mapped[CodeText | None] = mapped_column(
        ForeignKey("agent_run.id", ondelete="SET NULL")
    )
    overrides: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    figures: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    result: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    created_at: Mapped[dt.datetime] = mapped_column(Moment)
    started_at: Mapped[dt.datetime | None] = mapped_column(Moment)
    finished_at: Mapped[dt.datetime | None] = mapped_column(Moment)
    cancel_requested_at: Mapped[dt.datetime | None] = mapped_column(Moment)
    admitted_at: Mapped[dt.datetime | None] = mapped_column(Moment)
    deadline_at: Mapped[dt.datetime | None] = mapped_column(Moment)
    pinned_at: Mapped[dt.datetime | None] = mapped_column(Moment)


class RunLogRow(Base):
    """One recorded unit of a run; the primary key makes the second writer of a `seq` lose.

    `payload` is JSON, not JSONB: the order of keys is part of what the model reads again.
    """

    __tablename__ = "run_log"

    run_id: Mapped[CodeText] = mapped_column(
        ForeignKey("agent_run.id", ondelete="CASCADE"), primary_key=True
    )
    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    kind: Mapped[str] = mapped_column(Text)
    payload: Mapped[dict[str, Any]] = mapped_column(JSON)
    at: Mapped[dt.datetime] = mapped_column(Moment)


class RunPayloadRow(Base):
    """The payload of a step that is too large for the log's own row, which holds its size then."""

    __tablename__ = "run_payload"

    run_id: Mapped[CodeText] = mapped_column(
        ForeignKey("agent_run.id", ondelete="CASCADE"), primary_key=True
    )
    seq: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    payload: Mapped[dict[str, Any]] = mapped_column(JSON)


class RunCounter(Base):
    """What ended runs add up to, by name and labels (canonical JSON); pruning takes nothing away."""

    __tablename__ = "run_counter"

    name: Mapped[CodeText] = mapped_column(primary_key=True)
    labels: Mapped[CodeText] = mapped_column(primary_key=True)
    value: Mapped[float] = mapped_column(Double)


class IdempotencyKey(Base):
    """The run that a tenant's key stands for, and the hash of the body it came with."""

    __tablename__ = "idempotency_key"
    __table_args__ = (Index("ix_idempotency_key_run_id", "run_id"),)

    tenant: Mapped[str] = mapped_column(Text, primary_key=True)
    key: Mapped[str] = mapped_column(Text, primary_key=True)
    body_sha256: Mapped[str] = mapped_column(Text)
    run_id: Mapped[CodeText] = mapped_column(ForeignKey("agent_run.id", ondelete="CASCADE"))
    created_at: Mapped[dt.datetime] = mapped_column(Moment)


class RunVerification(Base):
    """A verification of a run that was asked for; unfinished, a worker will come to it.

    `report` is what it came to, `error` why it came to nothing.
    """

    __tablename__ = "run_verification"
    __table_args__ = (
        Index("ix_run_verification_run_id", "run_id"),
        Index(
            "ix_run_verification_unfinished",
            "tenant",
            postgresql_where=text("finished_at is null"),
        ),
    )

    id: Mapped[CodeText] = mapped_column(primary_key=True)
    run_id: Mapped[CodeText] = mapped_column(ForeignKey("agent_run.id", ondelete="CASCADE"))
    tenant: Mapped[str] = mapped_column(Text)
    created_at: Mapped[dt.datetime] = mapped_column(Moment)
    finished_at: Mapped[dt.datetime | None] = mapped_column(Moment)
    report: Mapped[dict[str, Any] | None] = mapped_column(JSON)
    error: Mapped[dict[str, Any] | None] = mapped_column(JSON)


class RunFeedback(Base):
    """What the traveller thinks of the plan, 1 to 5; a later word replaces the former."""

    __tablename__ = "run_feedback"
    __table_args__ = (CheckConstraint("rating between 1 and 5", name="rating"),)

    run_id: Mapped[CodeText] = mapped_column(
        ForeignKey("agent_run.id", ondelete="CASCADE"), primary_key=True
    )
    rating: Mapped[int] = mapped_column(SmallInteger)
    comment: Mapped[str | None] = mapped_column(Text)
    at: Mapped[dt.datetime] = mapped_column(Moment)

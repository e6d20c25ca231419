"""Admission by tenant, deadlines, pins, large payloads apart, counters of ended runs."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "20261130_0210"
down_revision = "20261130_0202"


def upgrade() -> None:
    for name in ("admitted_at", "deadline_at", "pinned_at"):
        op.add_column("agent_run", sa.Column(name, sa.DateTime(timezone=True), nullable=True))
    # What was queued before has its job already.
    op.execute(
        "update agent_run set admitted_at = created_at where status in ('queued', 'running')"
    )
    op.create_index(
        "ix_agent_run_unfinished",
        "agent_run",
        ["tenant", "id"],
        postgresql_where=sa.text("status in ('queued', 'running')"),
    )
    op.create_index("ix_idempotency_key_run_id", "idempotency_key", ["run_id"])
    op.create_table(
        "run_payload",
        sa.Column("run_id", sa.Text(collation="C"), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("payload", postgresql.JSON(astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["agent_run.id"],
            name=op.f("fk_run_payload_run_id_agent_run"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("run_id", "seq", name=op.f("pk_run_payload")),
    )
    op.create_table(
        "run_counter",
        sa.Column("name", sa.Text(collation="C"), nullable=False),
        sa.Column("labels", sa.Text(collation="C"), nullable=False),
        sa.Column("value", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("name", "labels", name=op.f("pk_run_counter")),
    )

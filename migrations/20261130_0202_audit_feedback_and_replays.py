"""The audit trail, travellers' feedback, and what replays and statistics keep with a run."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "20261130_0202"
down_revision = "20261130_0030"

JSON = postgresql.JSON(astext_type=sa.Text())


def upgrade() -> None:
    op.create_table(
        "audit_entry",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=True),
        sa.Column("old", JSON, nullable=False),
        sa.Column("new", JSON, nullable=False),
        sa.Column("why", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_entry")),
    )
    columns = ["kind", "subject", "id"]
    op.create_index("ix_audit_entry_kind_subject_id", "audit_entry", columns)
    op.execute(
        "create function waypool_refuse_change() returns trigger language plpgsql as"
        " $$ begin raise exception 'the audit trail is append-only'"
        " using errcode = 'restrict_violation'; end $$"
    )
    op.execute(
        "create trigger audit_entry_stands before update or delete or truncate on audit_entry"
        " for each statement execute function waypool_refuse_change()"
    )
    op.create_table(
        "run_feedback",
        sa.Column("run_id", sa.Text(collation="C"), nullable=False),
        sa.Column("rating", sa.SmallInteger(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("rating between 1 and 5", name=op.f("ck_run_feedback_rating")),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["agent_run.id"],
            name=op.f("fk_run_feedback_run_id_agent_run"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_run_feedback")),
    )
    op.add_column("agent_run", sa.Column("parent_run_id", sa.Text(collation="C"), nullable=True))
    op.add_column("agent_run", sa.Column("overrides", JSON, nullable=True))
    op.add_column("agent_run", sa.Column("figures", JSON, nullable=True))
    op.create_foreign_key(
        op.f("fk_agent_run_parent_run_id_agent_run"),
        "agent_run",
        "agent_run",
        ["parent_run_id"],
        ["id"],
        ondelete="SET NULL",
    )
    for column in ("parent_run_id", "finished_at"):
        op.create_index(f"ix_agent_run_{column}", "agent_run", [column])

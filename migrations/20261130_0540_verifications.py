"""Verifications of runs: asked for over HTTP, done by the workers, kept with their run."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "20261130_0540"
down_revision = "20261130_0320"

JSON = postgresql.JSON(astext_type=sa.Text())


def upgrade() -> None:
    op.create_table(
        "run_verification",
        sa.Column("id", sa.Text(collation="C"), nullable=False),
        sa.Column("run_id", sa.Text(collation="C"), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("report", JSON, nullable=True),
        sa.Column("error", JSON, nullable=True),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["agent_run.id"],
            name=op.f("fk_run_verification_run_id_agent_run"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run_verification")),
    )
    op.create_index("ix_run_verification_run_id", "run_verification", ["run_id"])
    op.create_index(
        "ix_run_verification_unfinished",
        "run_verification",
        ["tenant"],
        postgresql_where=sa.text("finished_at is null"),
    )

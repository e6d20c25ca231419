"""Runs remember their model, what it cost, and what they change in the run that they revise."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSON

revision = "20261130_0220"
down_revision = "20261130_0210"


def upgrade() -> None:
    op.add_column("agent_run", sa.Column("model", sa.Text(), nullable=True))
    op.add_column("agent_run", sa.Column("cost", sa.Numeric(), nullable=True))
    op.add_column("agent_run", sa.Column("currency", sa.Text(), nullable=True))
    op.add_column("agent_run", sa.Column("revision", JSON(), nullable=True))
    op.create_index(
        "ix_agent_run_tenant_created_at",
        "agent_run",
        ["tenant", "created_at"],
        postgresql_where=sa.text("cost is not null"),
    )

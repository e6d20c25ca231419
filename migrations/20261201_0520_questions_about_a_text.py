"""What was read in the text of a request, and the questions that it left open."""

import sqlalchemy as sa
from alembic import op

revision = "20261201_0520"
down_revision = "20261130_2335"

PHASE = "expand"


def upgrade() -> None:
    op.add_column("agent_run", sa.Column("reading", sa.JSON(), nullable=True))

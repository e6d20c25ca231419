"""What each later migration does to processes of older versions, for these to read."""

import sqlalchemy as sa
from alembic import op

revision = "20261130_2335"
down_revision = "20261130_2330"

PHASE = "expand"


def upgrade() -> None:
    op.create_table(
        "migration_phase",
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("previous", sa.Text(), nullable=True),
        sa.Column("phase", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("revision", name=op.f("pk_migration_phase")),
    )

"""Large results behind handles: the results, their parts, who read them."""

import sqlalchemy as sa
from alembic import op

revision = "20261130_0030"
down_revision = "20261129_2328"


def upgrade() -> None:
    op.create_table(
        "stored_result",
        sa.Column("id", sa.Text(collation="C"), nullable=False),
        sa.Column("tenant", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(collation="C"), nullable=True),
        sa.Column("tool", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_read_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("pinned_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("expired_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint(
            "state in ('pending', 'ready', 'failed')", name=op.f("ck_stored_result_state")
        ),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["agent_run.id"],
            name=op.f("fk_stored_result_run_id_agent_run"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_stored_result")),
    )
    for columns in (["tenant", "id"], ["run_id"], ["last_read_at"]):
        op.create_index(f"ix_stored_result_{'_'.join(columns)}", "stored_result", columns)
    op.create_table(
        "stored_result_part",
        sa.Column("result_id", sa.Text(collation="C"), nullable=False),
        sa.Column("name", sa.Text(collation="C"), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["result_id"],
            ["stored_result.id"],
            name=op.f("fk_stored_result_part_result_id_stored_result"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("result_id", "name", name=op.f("pk_stored_result_part")),
    )
    # The parts are compressed, perhaps encrypted: the server need not try again.
    op.execute("alter table stored_result_part alter column content set storage external")
    op.create_table(
        "stored_result_read",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("handle", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_stored_result_read")),
    )
    op.create_index("ix_stored_result_read_handle", "stored_result_read", ["handle"])

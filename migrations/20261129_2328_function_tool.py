"""The tools' switches and return limits."""

import sqlalchemy as sa
from alembic import op

revision = "20261129_2328"
down_revision = "20261129_2313"


def upgrade() -> None:
    op.create_table(
        "function_tool",
        sa.Column("name", sa.Text(collation="C"), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("max_return_rows", sa.Integer(), nullable=True),
        sa.Column("handle_mode", sa.Text(), nullable=False),
        sa.Column("handle_threshold_tokens", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "handle_mode in ('auto', 'never', 'always')",
            name=op.f("ck_function_tool_handle_mode"),
        ),
        sa.CheckConstraint(
            "handle_threshold_tokens > 0", name=op.f("ck_function_tool_handle_threshold_tokens")
        ),
        sa.CheckConstraint(
            "max_return_rows between 1 and 200", name=op.f("ck_function_tool_max_return_rows")
        ),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_function_tool")),
    )

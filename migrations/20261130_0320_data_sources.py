"""Sources: third-party data that becomes tools, and their last responses."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "20261130_0320"
down_revision = "20261130_0243"


def upgrade() -> None:
    op.create_table(
        "data_source",
        sa.Column("name", sa.Text(collation="C"), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("spec", postgresql.JSON(astext_type=sa.Text()), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_data_source")),
    )
    op.create_table(
        "source_response",
        sa.Column("address", sa.Text(collation="C"), nullable=False),
        sa.Column("source", sa.Text(collation="C"), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("size_bytes", sa.BigInteger(), nullable=False),
        sa.Column("content_type", sa.Text(), nullable=True),
        sa.Column("etag", sa.Text(), nullable=True),
        sa.Column("modified", sa.Text(), nullable=True),
        sa.Column("fresh_until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["source"],
            ["data_source.name"],
            name=op.f("fk_source_response_source_data_source"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("address", name=op.f("pk_source_response")),
    )
    for column in ("source", "used_at"):
        op.create_index(f"ix_source_response_{column}", "source_response", [column])
    # The content is compressed, perhaps encrypted: the server need not try again.
    op.execute("alter table source_response alter column content set storage external")

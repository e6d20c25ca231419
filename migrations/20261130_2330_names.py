"""Names that people use, and the index by which the finder finds them."""

import sqlalchemy as sa
from alembic import op

revision = "20261130_2330"
down_revision = "20261130_2320"

CODE = sa.Text(collation="C")


def upgrade() -> None:
    op.create_table(
        "spoken_name",
        sa.Column("kind", CODE, nullable=False),
        sa.Column("id", CODE, nullable=False),
        sa.Column("name", CODE, nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("use", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "id", "name", name=op.f("pk_spoken_name")),
    )
    op.create_table(
        "name_key",
        sa.Column("key", CODE, nullable=False),
        sa.Column("kind", CODE, nullable=False),
        sa.Column("id", CODE, nullable=False),
        sa.Column("city", CODE, nullable=True),
        sa.Column("way", sa.SmallInteger(), nullable=False),
        sa.Column("head", CODE, nullable=True),
        sa.Column("tail", CODE, nullable=True),
        sa.PrimaryKeyConstraint("key", "kind", "id", name=op.f("pk_name_key")),
    )
    op.create_index("ix_name_key_kind_id", "name_key", ["kind", "id"])
    for half in ("head", "tail"):
        op.create_index(
            f"ix_name_key_{half}",
            "name_key",
            [half],
            postgresql_where=sa.text(f"{half} is not null"),
        )

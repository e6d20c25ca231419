"""Places know their whole, their hour and the way there; fares by age; the metro's hours."""

import sqlalchemy as sa
from alembic import op

revision = "20261130_2320"
down_revision = "20261130_2315"


def upgrade() -> None:
    op.add_column("city", sa.Column("metro_hours", sa.Text(), nullable=True))
    for column in (
        sa.Column("part_of", sa.Text(collation="C"), nullable=True),
        sa.Column("best_time", sa.ARRAY(sa.Text()), nullable=True),
        sa.Column("halls_hours", sa.Text(), nullable=True),
        sa.Column("reach_mode", sa.Text(), nullable=True),
        sa.Column("reach_minutes", sa.SmallInteger(), nullable=True),
        sa.Column("reach_fare", sa.Numeric(12, 2), nullable=True),
        sa.Column("wheelchair", sa.Text(), nullable=True),
        sa.Column("cuisine", sa.ARRAY(sa.Text()), nullable=True),
    ):
        op.add_column("place", column)
    op.create_index(
        "ix_place_part_of",
        "place",
        ["part_of"],
        postgresql_where=sa.text("part_of is not null"),
    )
    op.add_column("hotel", sa.Column("beds", sa.ARRAY(sa.Text()), nullable=True))
    op.add_column("hotel", sa.Column("brand", sa.Text(), nullable=True))
    op.create_table(
        "fare",
        sa.Column("country", sa.Text(collation="C"), nullable=False),
        sa.Column("kind", sa.Text(collation="C"), nullable=False),
        sa.Column("who", sa.Text(collation="C"), nullable=False),
        sa.Column("age_from", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("age_to", sa.SmallInteger(), nullable=True),
        sa.Column("share", sa.Numeric(4, 3), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("country", "kind", "who", "age_from", name=op.f("pk_fare")),
    )

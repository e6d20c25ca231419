"""Places know whether they sell food, so that the ranking of a pool reads the index alone."""

import sqlalchemy as sa
from alembic import op

revision = "20261130_2315"
down_revision = "20261130_0540"

INCLUDED = ["tag_mask", "popularity", "id", "schedule_id", "enabled", "is_synthetic", "is_food"]


def upgrade() -> None:
    is_food = sa.Computed("type in ('food_street', 'restaurant', 'teahouse')", persisted=True)
    op.add_column("place", sa.Column("is_food", sa.Boolean(), is_food, nullable=False))
    op.drop_index("ix_place_pool", table_name="place")
    op.create_index("ix_place_pool", "place", ["city_id", "price"], postgresql_include=INCLUDED)

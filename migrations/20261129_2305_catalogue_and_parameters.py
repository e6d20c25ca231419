"""Catalogue and parameters."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "20261129_2305"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "catalogue_state",
        sa.Column("id", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_catalogue_state_one_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_catalogue_state")),
    )
    op.create_table(
        "city",
        sa.Column("id", sa.Text(collation="C"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_en", sa.Text(), nullable=False),
        sa.Column("country", sa.Text(), nullable=False),
        sa.Column("lat", sa.Double(), nullable=False),
        sa.Column("lon", sa.Double(), nullable=False),
        sa.Column("timezone", sa.Text(), nullable=False),
        sa.Column("modes", sa.ARRAY(sa.Text()), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_city")),
    )
    op.create_table(
        "schedule",
        sa.Column("id", sa.Integer(), sa.Identity(always=False), nullable=False),
        sa.Column("opening_hours", sa.Text(), nullable=False),
        sa.Column("closed_season", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_schedule")),
        sa.UniqueConstraint(
            "opening_hours", "closed_season", name=op.f("uq_schedule_opening_hours_closed_season")
        ),
    )
    op.create_table(
        "system_param",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_system_param")),
    )
    op.create_table(
        "tag",
        sa.Column("id", sa.Text(collation="C"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_en", sa.Text(), nullable=False),
        sa.Column("bit", sa.SmallInteger(), nullable=False),
        sa.CheckConstraint("bit between 0 and 254", name=op.f("ck_tag_bit_range")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tag")),
        sa.UniqueConstraint("bit", name=op.f("uq_tag_bit")),
    )
    op.create_table(
        "hotel",
        sa.Column("id", sa.Text(collation="C"), nullable=False),
        sa.Column("city_id", sa.Text(collation="C"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_en", sa.Text(), nullable=False),
        sa.Column("stars", sa.SmallInteger(), nullable=True),
        sa.Column("price_per_night", sa.Numeric(precision=12, scale=2), nullable=True),
        sa.Column("area", sa.Text(), nullable=False),
        sa.Column("lat", sa.Double(), nullable=False),
        sa.Column("lon", sa.Double(), nullable=False),
        sa.Column("rating", sa.Double(), nullable=True),
        sa.Column("tags", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("intro", sa.Text(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column(
            "is_synthetic",
            sa.Boolean(),
            sa.Computed("source = 'synthetic'", persisted=True),
            nullable=False,
        ),
        sa.Column("check_in", sa.Text(), nullable=True),
        sa.Column("check_out", sa.Text(), nullable=True),
        sa.Column("as_of", sa.Date(), nullable=True),
        sa.ForeignKeyConstraint(["city_id"], ["city.id"], name=op.f("fk_hotel_city_id_city")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_hotel")),
    )
    op.create_index("ix_hotel_city_id_stars", "hotel", ["city_id", "stars"], unique=False)
    op.create_table(
        "place",
        sa.Column("id", sa.Text(collation="C"), nullable=False),
        sa.Column("city_id", sa.Text(collation="C"), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_en", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("area", sa.Text(), nullable=False),
        sa.Column("price", sa.Numeric(precision=12, scale=2), nullable=True),
        sa.Column("duration_min", sa.Integer(), nullable=False),
        sa.Column("popularity", sa.Double(), nullable=True),
        sa.Column("tags", sa.ARRAY(sa.Text()), nullable=False),
        sa.Column("tag_mask", postgresql.BIT(length=256), nullable=False),
        sa.Column("lat", sa.Double(), nullable=False),
        sa.Column("lon", sa.Double(), nullable=False),
        sa.Column("schedule_id", sa.Integer(), nullable=False),
        sa.Column("last_entry", sa.Text(), nullable=True),
        sa.Column("intro", sa.Text(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column(
            "is_synthetic",
            sa.Boolean(),
            sa.Computed("source = 'synthetic'", persisted=True),
            nullable=False,
        ),
        sa.Column("booking", sa.Text(), nullable=False),
        sa.Column("book_days_ahead", sa.Integer(), nullable=False),
        sa.Column("as_of", sa.Date(), nullable=True),
        sa.ForeignKeyConstraint(["city_id"], ["city.id"], name=op.f("fk_place_city_id_city")),
        sa.ForeignKeyConstraint(
            ["schedule_id"], ["schedule.id"], name=op.f("fk_place_schedule_id_schedule")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_place")),
    )
    op.create_index("ix_place_city_id_name", "place", ["city_id", "name"], unique=False)
    op.create_index("ix_place_name", "place", ["name"], unique=False)
    op.create_index("ix_place_name_en", "place", ["name_en"], unique=False)
    op.create_index(
        "ix_place_pool",
        "place",
        ["city_id", "price"],
        unique=False,
        postgresql_include=[
            "tag_mask",
            "popularity",
            "id",
            "schedule_id",
            "enabled",
            "is_synthetic",
        ],
    )
    op.create_table(
        "station",
        sa.Column("city_id", sa.Text(collation="C"), nullable=False),
        sa.Column("name", sa.Text(collation="C"), nullable=False),
        sa.Column("lat", sa.Double(), nullable=False),
        sa.Column("lon", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["city_id"], ["city.id"], name=op.f("fk_station_city_id_city")),
        sa.PrimaryKeyConstraint("city_id", "name", name=op.f("pk_station")),
    )
    op.create_table(
        "train",
        sa.Column("id", sa.Text(collation="C"), nullable=False),
        sa.Column("number", sa.Text(), nullable=False),
        sa.Column("from_city_id", sa.Text(collation="C"), nullable=False),
        sa.Column("from_station", sa.Text(), nullable=False),
        sa.Column("to_city_id", sa.Text(collation="C"), nullable=False),
        sa.Column("to_station", sa.Text(), nullable=False),
        sa.Column("depart_min", sa.SmallInteger(), nullable=False),
        sa.Column("arrive_min", sa.SmallInteger(), nullable=False),
        sa.Column("day_offset", sa.SmallInteger(), nullable=False),
        sa.Column("price", sa.Numeric(precision=12, scale=2), nullable=True),
        sa.Column("runs_on", sa.Text(), nullable=False),
        sa.Column("runs_on_mask", sa.SmallInteger(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column(
            "is_synthetic",
            sa.Boolean(),
            sa.Computed("source = 'synthetic'", persisted=True),
            nullable=False,
        ),
        sa.Column("as_of", sa.Date(), nullable=True),
        sa.CheckConstraint("runs_on_mask between 1 and 127", name=op.f("ck_train_runs_on")),
        sa.ForeignKeyConstraint(
            ["from_city_id"], ["city.id"], name=op.f("fk_train_from_city_id_city")
        ),
        sa.ForeignKeyConstraint(["to_city_id"], ["city.id"], name=op.f("fk_train_to_city_id_city")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_train")),
    )
    op.create_index(
        "ix_train_from_city_id_to_city_id", "train", ["from_city_id", "to_city_id"], unique=False
    )
    op.create_index("ix_train_to_city_id", "train", ["to_city_id"], unique=False)

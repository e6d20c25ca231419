"""Tables of the catalogue; a place's hours and season stand in `schedule`, since few differ."""

import datetime as dt
from decimal import Decimal

from sqlalchemy import (
    ARRAY,
    BigInteger,
    Boolean,
    CheckConstraint,
    Computed,
    Date,
    ForeignKey,
    Identity,
    Index,
    Integer,
    Numeric,
    SmallInteger,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import BIT
from sqlalchemy.orm import Mapped, mapped_column

from backend.catalogue.place_types import FOOD_TYPES
from backend.db.session import Base, CodeText

MAX_TAGS = 255
TAG_BITS = 256

Price = Numeric(12, 2)
_FOOD = ", ".join(f"'{name}'" for name in sorted(FOOD_TYPES))


class CatalogueState(Base):
    """One row: the version that every import and edit raises, and the one currency."""

    __tablename__ = "catalogue_state"
    __table_args__ = (CheckConstraint("id = 1", name="one_row"),)

    id: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    version: Mapped[int] = mapped_column(BigInteger, default=0)
    currency: Mapped[str] = mapped_column(Text, default="CNY")


class City(Base):
    """A city: where legs end and days are spent."""

    __tablename__ = "city"

    id: Mapped[CodeText] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    name_en: Mapped[str] = mapped_column(Text)
    country: Mapped[str] = mapped_column(Text)
    lat: Mapped[float]
    lon: Mapped[float]
    timezone: Mapped[str] = mapped_column(Text)
    modes: Mapped[list[str]] = mapped_column(ARRAY(Text))
    metro_hours: Mapped[str | None] = mapped_column(Text)


class Tag(Base):
    """A word of the vocabulary, and the bit that stands for it in `tag_mask`."""

    __tablename__ = "tag"
    __table_args__ = (CheckConstraint(f"bit between 0 and {MAX_TAGS - 1}", name="bit_range"),)

    id: Mapped[CodeText] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(Text)
    name_en: Mapped[str] = mapped_column(Text)
    bit: Mapped[int] = mapped_column(SmallInteger, unique=True)


class Schedule(Base):
    """A distinct pair of opening hours and closed season; empty text is unknown or none."""

    __tablename__ = "schedule"
    __table_args__ = (UniqueConstraint("opening_hours", "closed_season"),)

    id: Mapped[int] = mapped_column(Integer, Identity(), primary_key=True)
    opening_hours: Mapped[str] = mapped_column(Text)
    closed_season: Mapped[str] = mapped_column(Text)


class Place(Base):
    """A place to visit; the covering index answers all six rejection rules without the row.

    `part_of` is a place of the same city: the importer sees to it, since a key could not.
    """

    __tablename__ = "place"

    id: Mapped[CodeText] = mapped_column(primary_key=True)
    city_id: Mapped[CodeText] = mapped_column(ForeignKey("city.id"))
    name: Mapped[str] = mapped_column(Text)
    name_en: Mapped[str] = mapped_column(Text)
    type: Mapped[str] = mapped_column(Text)
    area: Mapped[str] = mapped_column(Text)
    price: Mapped[Decimal | None] = mapped_column(Price)
    duration_min: Mapped[int]
    popularity: Mapped[float | None]
    tags: Mapped[list[str]] = mapped_column(ARRAY(Text))
    tag_mask: Mapped[str] = mapped_column(BIT(TAG_BITS))
    lat: Mapped[float]
    lon: Mapped[float]
    schedule_id: Mapped[int] = mapped_column(ForeignKey("schedule.id"))
    last_entry: Mapped[str | None] = mapped_column(Text)
    intro: Mapped[str] = mapped_column(Text)
    enabled: Mapped[bool]
    source: Mapped[str] = mapped_column(Text)
    is_synthetic: Mapped[bool] = mapped_column(
        Boolean, Computed("source = 'synthetic'", persisted=True)
    )
    is_food: Mapped[bool] = mapped_column(Boolean, Computed(f"type in ({_FOOD})", persisted=True))
    booking: Mapped[str] = mapped_column(Text)
    book_days_ahead: Mapped[int]
    as_of: Mapped[dt.date | None] = mapped_column(Date)
    part_of: Mapped[CodeText | None]
    best_time: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    halls_hours: Mapped[str | None] = mapped_column(Text)
    reach_mode: Mapped[str | None] = mapped_column(Text)
    reach_minutes: Mapped[int | None] = mapped_column(SmallInteger)
    reach_fare: Mapped[Decimal | None] = mapped_column(Price)
    wheelchair: Mapped[str | None] = mapped_column(Text)
    cuisine: Mapped[list[str] | None] = mapped_column(ARRAY(Text))

    __table_args__ = (
        Index(
            "ix_place_pool",
            "city_id",
            "price",
            postgresql_include=[
                "tag_mask",
                "popularity",
                "id",
                "schedule_id",
                "enabled",
                "is_synthetic",
                "is_food",
            ],
        ),
        Index("ix_place_city_id_name", "city_id", "name"),
        Index("ix_place_part_of", "part_of", postgresql_where="part_of is not null"),
        Index("ix_place_name", "name"),
        Index("ix_place_name_en", "name_en"),
    )


class Hotel(Base):
    """A hotel; `check_in` and `check_out` are HH:MM where known."""

    __tablename__ = "hotel"
    __table_args__ = (Index("ix_hotel_city_id_stars", "city_id", "stars"),)

    id: Mapped[CodeText] = mapped_column(primary_key=True)
    city_id: Mapped[CodeText] = mapped_column(ForeignKey("city.id"))
    name: Mapped[str] = mapped_column(Text)
    name_en: Mapped[str] = mapped_column(Text)
    stars: Mapped[int | None] = mapped_column(SmallInteger)
    price_per_night: Mapped[Decimal | None] = mapped_column(Price)
    area: Mapped[str] = mapped_column(Text)
    lat: Mapped[float]
    lon: Mapped[float]
    rating: Mapped[float | None]
    tags: Mapped[list[str]] = mapped_column(ARRAY(Text))
    intro: Mapped[str] = mapped_column(Text)
    enabled: Mapped[bool]
    source: Mapped[str] = mapped_column(Text)
    is_synthetic: Mapped[bool] = mapped_column(
        Boolean, Computed("source = 'synthetic'", persisted=True)
    )
    check_in: Mapped[str | None] = mapped_column(Text)
    check_out: Mapped[str | None] = mapped_column(Text)
    as_of: Mapped[dt.date | None] = mapped_column(Date)
    beds: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    brand: Mapped[str | None] = mapped_column(Text)


class Fare(Base):
    """A share of the adult's price that an age or a group pays in a country, by kind."""

    __tablename__ = "fare"

    country: Mapped[CodeText] = mapped_column(primary_key=True)
    kind: Mapped[CodeText] = mapped_column(primary_key=True)
    who: Mapped[CodeText] = mapped_column(primary_key=True)
    age_from: Mapped[int] = mapped_column(SmallInteger, primary_key=True, autoincrement=False)
    age_to: Mapped[int | None] = mapped_column(SmallInteger)
    share: Mapped[Decimal] = mapped_column(Numeric(4, 3))
    source: Mapped[str] = mapped_column(Text)


class Station(Base):
    """A railway station; one without a row stands at its city's position."""

    __tablename__ = "station"

    city_id: Mapped[CodeText] = mapped_column(ForeignKey("city.id"), primary_key=True)
    name: Mapped[CodeText] = mapped_column(primary_key=True)
    lat: Mapped[float]
    lon: Mapped[float]


class Train(Base):
    """A train on the days of `runs_on_mask` (bit 0 is Monday), by its first station's weekday."""

    __tablename__ = "train"
    __table_args__ = (
        Index("ix_train_from_city_id_to_city_id", "from_city_id", "to_city_id"),
        Index("ix_train_to_city_id", "to_city_id"),
        CheckConstraint("runs_on_mask between 1 and 127", name="runs_on"),
    )

    id: Mapped[CodeText] = mapped_column(primary_key=True)
    number: Mapped[str] = mapped_column(Text)
    from_city_id: Mapped[CodeText] = mapped_column(ForeignKey("city.id"))
    from_station: Mapped[str] = mapped_column(Text)
    to_city_id: Mapped[CodeText] = mapped_column(ForeignKey("city.id"))
    to_station: Mapped[str] = mapped_column(Text)
    depart_min: Mapped[int] = mapped_column(SmallInteger)
    arrive_min: Mapped[int] = mapped_column(SmallInteger)
    day_offset: Mapped[int] = mapped_column(SmallInteger)
    price: Mapped[Decimal | None] = mapped_column(Price)
    runs_on: Mapped[str] = mapped_column(Text)
    runs_on_mask: Mapped[int] = mapped_column(SmallInteger)
    enabled: Mapped[bool]
    source: Mapped[str] = mapped_column(Text)
    is_synthetic: Mapped[bool] = mapped_column(
        Boolean, Computed("source = 'synthetic'", persisted=True)
    )
    as_of: Mapped[dt.date | None] = mapped_column(Date)


class SpokenName(Base):
    """A name that people use, beside those of the row: a line of names.csv.

    A station's id is `city/name`. Rows of the kind `group` of the same name in one city are places
    of which any is meant.
    """

    __tablename__ = "spoken_name"

    kind: Mapped[CodeText] = mapped_column(primary_key=True)
    id: Mapped[CodeText] = mapped_column(primary_key=True)
    name: Mapped[CodeText] = mapped_column(primary_key=True)
    language: Mapped[str] = mapped_column(Text)
    use: Mapped[str] = mapped_column(Text)


class NameKey(Base):
    """The finder's index: a key of a name, whose it is, and the halves that find a mistyped one."""

    __tablename__ = "name_key"
    __table_args__ = (
        Index("ix_name_key_kind_id", "kind", "id"),
        Index("ix_name_key_head", "head", postgresql_where=text("head is not null")),
        Index("ix_name_key_tail", "tail", postgresql_where=text("tail is not null")),
    )

    key: Mapped[CodeText] = mapped_column(primary_key=True)
    kind: Mapped[CodeText] = mapped_column(primary_key=True)
    id: Mapped[CodeText] = mapped_column(primary_key=True)
    city: Mapped[CodeText | None]
    way: Mapped[int] = mapped_column(SmallInteger)
    head: Mapped[CodeText | None]
    tail: Mapped[CodeText | None]

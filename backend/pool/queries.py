"""The rules of the pool in SQL, and the full rows of what they leave over.

Each rule stands once and is read twice: in order, to count what it rejects, and as a filter, to
rank the rest. What has few distinct values is settled between the two: the counts name the
schedules (stars) of the rows that are left, and those without an open day (nearest to the band)
come back as ids (stars). The places' statements read `ix_place_pool` alone. Order is by code
point, since ids have collation "C".
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

from sqlalchemy import (
    ARRAY,
    BindParameter,
    Boolean,
    ColumnElement,
    Integer,
    Numeric,
    Select,
    Text,
    and_,
    any_,
    bindparam,
    case,
    column,
    false,
    func,
    not_,
    or_,
    select,
)
from sqlalchemy.dialects.postgresql import BIT

from backend.catalogue.importers.catalogue_csv import make_mask
from backend.catalogue.tables import TAG_BITS, Hotel, Place, Schedule, Tag
from backend.db.session import Session

TEXTS = ARRAY(Text)
_MASK = BIT(TAG_BITS)
_NO_TAGS = "0" * TAG_BITS

_CITY: BindParameter[str] = bindparam("city", type_=Text)
_CITIES: BindParameter[Any] = bindparam("cities", type_=TEXTS)
_SIZE: BindParameter[int] = bindparam("size", type_=Integer)
_AVOID: BindParameter[Any] = bindparam("avoid", type_=TEXTS)
_AVOID_MASK: BindParameter[str] = bindparam("avoid_mask", type_=_MASK)
_WANT_MASK: BindParameter[str] = bindparam("want_mask", type_=_MASK)
_CAP: BindParameter[Decimal] = bindparam("price_cap", type_=Numeric)
WITH_SYNTHETIC: BindParameter[bool] = bindparam("with_synthetic", type_=Boolean)

Rules = tuple[tuple[str, ColumnElement[bool]], ...]

PLACE_RULES: Rules = (
    ("disabled", not_(Place.enabled)),
    (
        "avoided",
        or_(Place.id == any_(_AVOID), Place.tag_mask.op("&")(_AVOID_MASK) != _NO_TAGS),
    ),
    ("synthetic", and_(Place.is_synthetic, not_(WITH_SYNTHETIC))),
    ("price", Place.price > _CAP),
)
"""In order; `closed` and `rank` follow. Without a cap or tags to avoid a rule is null, not true."""

HOTEL_RULES: Rules = (
    ("disabled", not_(Hotel.enabled)),
    ("synthetic", and_(Hotel.is_synthetic, not_(WITH_SYNTHETIC))),
    ("avoided", or_(Hotel.id == any_(_AVOID), Hotel.tags.op("&&")(_AVOID))),
)


def first_reason(rules: Rules) -> ColumnElement[str | None]:
    """The name of the first rule that is true."""
    return case(*((rule, name) for name, rule in rules))


def passes(rules: Rules) -> ColumnElement[bool]:
    """Whether no rule is true: null is not."""
    return and_(*(not_(func.coalesce(rule, false())) for _, rule in rules))


def _count_places() -> Select[Any]:
    judged = (
        select(Place.city_id, Place.schedule_id, first_reason(PLACE_RULES).label("reason"))
        .where(Place.city_id == any_(_CITIES))
        .subquery()
    )
    schedule = case((judged.c.reason.is_(None), judged.c.schedule_id)).label("schedule")
    counted = select(judged.c.city_id, judged.c.reason, schedule, func.count().label("count"))
    counts = counted.group_by(judged.c.city_id, judged.c.reason, schedule).subquery()
    texts = Schedule.opening_hours, Schedule.closed_season
    return select(counts, *texts).outerjoin(Schedule, Schedule.id == counts.c.schedule)


COUNT_PLACES = _count_places()
RANK_PLACES = (
    select(Place.id)
    .where(
        Place.city_id == _CITY,
        passes(PLACE_RULES),
        not_(Place.schedule_id == any_(bindparam("closed", type_=ARRAY(Integer)))),
    )
    .order_by(
        func.bit_count(Place.tag_mask.op("&")(_WANT_MASK)).desc(),
        func.coalesce(Place.popularity, 0).desc(),
        Place.id,
    )
    .limit(_SIZE)
)
JUDGE_PLACES = (
    select(
        Place.id,
        Place.city_id,
        first_reason(PLACE_RULES).label("reason"),
        Schedule.opening_hours,
        Schedule.closed_season,
    )
    .join(Schedule)
    .where(Place.id == any_(bindparam("ids", type_=TEXTS)))
)

COUNT_HOTELS = (
    select(
        Hotel.city_id,
        first_reason(HOTEL_RULES).label("reason"),
        Hotel.stars,
        func.count().label("count"),
    )
    .where(Hotel.city_id == any_(_CITIES))
    .group_by(Hotel.city_id, column("reason"), Hotel.stars)
)
RANK_HOTELS = (
    select(Hotel.id)
    .where(
        Hotel.city_id == _CITY,
        passes(HOTEL_RULES),
        Hotel.stars == any_(bindparam("stars", type_=ARRAY(Integer))),
    )
    .order_by(
        func.coalesce(Hotel.rating, 0).desc(), Hotel.price_per_night.asc().nulls_last(), Hotel.id
    )
    .limit(_SIZE)
)


@dataclass(frozen=True)
class Wanted:
    """What all rules of one request compare with, as parameters of the statements."""

    avoid: list[str]
    avoid_mask: str | None
    want_mask: str
    price_cap: Decimal | None
    with_synthetic: bool

    @property
    def binds(self) -> dict[str, Any]:
        """By name."""
        return vars(self)


class PlaceCount(NamedTuple):
    """Places of a city with one first reason, or without one and with one schedule."""

    city: str
    reason: str | None
    schedule: int | None
    total: int
    opening_hours: str | None
    closed_season: str | None


class JudgedPlace(NamedTuple):
    """A place with the first reason before `closed`, and what decides that one."""

    id: str
    city: str
    reason: str | None
    opening_hours: str
    closed_season: str


class HotelCount(NamedTuple):
    """Hotels of a city with one first reason (before `stars`) and one number of stars."""

    city: str
    reason: str | None
    stars: int | None
    total: int


async def read_wanted(
    session: Session,
    interests: Collection[str],
    avoid: Collection[str],
    price_cap: Decimal | None,
    *,
    with_synthetic: bool,
) -> Wanted:
    """Interests and tags to avoid as bits; words that are no tag have none."""
    names = [*interests, *avoid]
    rows = await session.execute(select(Tag.id, Tag.bit).where(Tag.id.in_(names)))
    bits = {row.id: row.bit for row in rows}
    tags = tuple(word for word in avoid if word in bits)
    return Wanted(
        avoid=list(avoid),
        avoid_mask=make_mask(tags, bits) if tags else None,
        want_mask=make_mask(tuple(word for word in interests if word in bits), bits),
        price_cap=price_cap,
        with_synthetic=with_synthetic,
    )


async def count_places(session: Session, cities: Sequence[str], wanted: Wanted) -> list[PlaceCount]:
    """All places of the cities, by the first reason or the schedule."""
    rows = await session.execute(COUNT_PLACES, wanted.binds | {"cities": cities})
    return [PlaceCount(*row) for row in rows]


async def rank_places(
    session: Session, city: str, wanted: Wanted, closed: Collection[int], size: int
) -> tuple[str, ...]:
    """The first `size` places of a city whose schedule is not among `closed`."""
    binds = wanted.binds | {"city": city, "closed": sorted(closed), "size": size}
    return tuple((await session.scalars(RANK_PLACES, binds)).all())


async def judge_places(session: Session, ids: Collection[str], wanted: Wanted) -> list[JudgedPlace]:
    """Places one by one."""
    if not ids:
        return []
    rows = await session.execute(JUDGE_PLACES, wanted.binds | {"ids": list(ids)})
    return [JudgedPlace(*row) for row in rows]


async def count_hotels(session: Session, cities: Sequence[str], wanted: Wanted) -> list[HotelCount]:
    """All hotels of the cities, by the first reason and stars."""
    rows = await session.execute(COUNT_HOTELS, wanted.binds | {"cities": cities})
    return [HotelCount(*row) for row in rows]


async def rank_hotels(
    session: Session, city: str, wanted: Wanted, stars: Collection[int], size: int
) -> tuple[str, ...]:
    """The first `size` hotels of a city with one of these numbers of stars."""
    binds = wanted.binds | {"city": city, "stars": sorted(stars), "size": size}
    return tuple((await session.scalars(RANK_HOTELS, binds)).all())

"""The rules of the pool in SQL, for places and hotels.

Each rule is written once and used twice: to count the rows it rejects, and as a filter when the rest
is ranked. Opening hours and stars have few distinct values, so Python judges them between the two
statements: the count gives the schedules (stars) of the rows that are left, and the ranking gets
back the schedules without an open day (the stars nearest to the tier). Places are counted and
ranked from the index `ix_place_pool` alone. Ids have collation "C", so they sort by code point.
"""

from collections.abc import Collection, Mapping
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
    literal,
    not_,
    or_,
    select,
    union_all,
)
from sqlalchemy.dialects.postgresql import BIT

from backend.catalogue.importers.catalogue_csv import make_mask
from backend.catalogue.tables import TAG_BITS, Hotel, Place, Schedule, Tag
from backend.db.session import Session
from backend.pool.findings import PoolLimits
from backend.pool.wished import SPARE_PLACES
from backend.pool.wishes import EatWish, VisitWish

# Columns of tables, not attributes of classes: the ORM's loading would cost as much as a scan.
_place, _hotel, _schedule = Place.__table__.c, Hotel.__table__.c, Schedule.__table__.c

TEXTS = ARRAY(Text)
_MASK = BIT(TAG_BITS)
_NO_TAGS = "0" * TAG_BITS

_CITY: BindParameter[str] = bindparam("city", type_=Text)
_SIZE: BindParameter[int] = bindparam("size", type_=Integer)
_KNOWN_SIZE: BindParameter[int] = bindparam("known_size", type_=Integer)
_FOOD_SIZE: BindParameter[int] = bindparam("food_size", type_=Integer)
_KNOWN, _BY_RANK, _PASSED_OVER = range(3)
"""The sections of rule 6."""
_AVOID: BindParameter[Any] = bindparam("avoid", type_=TEXTS)
_AVOID_MASK: BindParameter[str] = bindparam("avoid_mask", type_=_MASK)
_WANT_MASK: BindParameter[str] = bindparam("want_mask", type_=_MASK)
_CAP: BindParameter[Decimal] = bindparam("price_cap", type_=Numeric)
WITH_SYNTHETIC: BindParameter[bool] = bindparam("with_synthetic", type_=Boolean)

Rules = tuple[tuple[str, ColumnElement[bool]], ...]

PLACE_RULES: Rules = (
    ("disabled", not_(_place.enabled)),
    (
        "avoided",
        or_(_place.id == any_(_AVOID), _place.tag_mask.op("&")(_AVOID_MASK) != _NO_TAGS),
    ),
    ("synthetic", and_(_place.is_synthetic, not_(WITH_SYNTHETIC))),
    ("price", _place.price > _CAP),
)
"""In order; `closed` and `rank` follow. Without a cap or tags to avoid a rule is null, not true."""

_TYPES, _TAGS, _CUISINES = (
    bindparam(name, type_=TEXTS) for name in ("of_types", "of_tags", "of_cuisines")
)
_IS_ANY_PRICE: BindParameter[bool] = bindparam("any_price", type_=Boolean)
_OF_KIND = and_(
    or_(
        _place.type == any_(_TYPES),
        _place.tags.op("&&")(_TAGS),
        _place.cuisine.op("&&")(_CUISINES),
        _place.id == any_(bindparam("named", type_=TEXTS)),
    ),
    or_(_IS_ANY_PRICE, _place.price == 0),
)
_IS_REFUSED = and_(
    or_(
        _place.type == any_(bindparam("refused_types", type_=TEXTS)),
        _place.tags.op("&&")(bindparam("refused_tags", type_=TEXTS)),
        _place.id == any_(bindparam("refused_ids", type_=TEXTS)),
    ),
    not_(_place.id == any_(bindparam("let_in", type_=TEXTS))),
)
UNREFUSED_PLACE_RULES: Rules = tuple(
    (name, or_(rule, _IS_REFUSED) if name == "avoided" else rule) for name, rule in PLACE_RULES
)
"""The rules where a wish refuses places of a kind: types are not in the index that all others need."""

HOTEL_RULES: Rules = (
    ("disabled", not_(_hotel.enabled)),
    ("synthetic", and_(_hotel.is_synthetic, not_(WITH_SYNTHETIC))),
    ("avoided", or_(_hotel.id == any_(_AVOID), _hotel.tags.op("&&")(_AVOID))),
)


def first_reason(rules: Rules) -> ColumnElement[str | None]:
    """The name of the first rule that is true."""
    return case(*((rule, name) for name, rule in rules))


def passes(rules: Rules) -> ColumnElement[bool]:
    """Whether no rule is true: null is not."""
    return and_(*(not_(func.coalesce(rule, false())) for _, rule in rules))


def _count_places(rules: Rules) -> Select[Any]:
    """By verdict: the schedule of a place that no rule rejects so far, else minus the rule's number.

    One number makes the group, as texts would cost a third more. Each must-see is a group by itself.
    """
    numbered = ((rule, -n) for n, (_, rule) in enumerate(rules, 1))
    verdict = case(*numbered, else_=_place.schedule_id).label("verdict")
    must_see = case((_place.id == any_(bindparam("must_see", type_=TEXTS)), _place.id))
    counted = select(must_see.label("must_see"), verdict, func.count().label("total"))
    counts = counted.where(_place.city_id == _CITY).group_by(column("must_see"), verdict).subquery()
    return select(counts, _schedule.opening_hours, _schedule.closed_season).outerjoin(
        Schedule.__table__, _schedule.id == counts.c.verdict
    )


COUNT_PLACES = _count_places(PLACE_RULES)
COUNT_UNREFUSED_PLACES = _count_places(UNREFUSED_PLACE_RULES)
MATCHES = func.bit_count(_place.tag_mask.op("&")(_WANT_MASK)).label("matches")
LIKING = func.coalesce(_place.popularity, 0).label("liking")
PLACE_ORDER = (MATCHES.desc(), LIKING.desc(), _place.id)


def _rank_places(rules: Rules) -> Select[Any]:
    """Ids in the order of rule 6, with their `position`: known sights, by rank, food passed over.

    Three sorts that stop early cost less than one of the whole city.
    """
    eligible = select(_place.id, MATCHES, LIKING).where(_is_eligible(rules))
    sights, food = eligible.where(not_(_place.is_food)), eligible.where(_place.is_food)
    best = sights.order_by(LIKING.desc(), _place.id).limit(_KNOWN_SIZE).cte("best")
    others = sights.order_by(*PLACE_ORDER).limit(_SIZE).subquery()
    eaten = food.order_by(*PLACE_ORDER).limit(_SIZE).subquery()
    by_rank = (eaten.c.matches.desc(), eaten.c.liking.desc(), eaten.c.id)
    number = func.row_number().over(order_by=by_rank)
    sections = union_all(
        select(*best.c, literal(_KNOWN).label("section")),
        select(*others.c, literal(_BY_RANK)).where(others.c.id.not_in(select(best.c.id))),
        select(*eaten.c, case((number <= _FOOD_SIZE, literal(_BY_RANK)), else_=_PASSED_OVER)),
    ).subquery()
    matches = case((sections.c.section == _KNOWN, 0), else_=sections.c.matches)
    order = (sections.c.section, matches.desc(), sections.c.liking.desc(), sections.c.id)
    position = func.row_number().over(order_by=order).label("position")
    return select(sections.c.id, position).order_by(position).limit(_SIZE)


def _is_eligible(rules: Rules) -> ColumnElement[bool]:
    return and_(
        _place.city_id == _CITY,
        passes(rules),
        not_(_place.schedule_id == any_(bindparam("closed", type_=ARRAY(Integer)))),
    )


RANK_PLACES = _rank_places(PLACE_RULES)
RANK_UNREFUSED_PLACES = _rank_places(UNREFUSED_PLACE_RULES)


def _find_of_kind(rules: Rules) -> Select[Any]:
    """The best places of a kind that is wished for."""
    found = select(_place.id, MATCHES, LIKING).where(_is_eligible(rules), _OF_KIND)
    return found.order_by(*PLACE_ORDER).limit(_SIZE)


_FIND_OF_KIND = _find_of_kind(PLACE_RULES)
_FIND_UNREFUSED_OF_KIND = _find_of_kind(UNREFUSED_PLACE_RULES)

COUNT_HOTELS = (
    select(first_reason(HOTEL_RULES).label("reason"), _hotel.stars, func.count().label("total"))
    .where(_hotel.city_id == _CITY)
    .group_by(column("reason"), _hotel.stars)
)
HOTEL_ORDER = (
    func.coalesce(_hotel.rating, 0).desc(),
    _hotel.price_per_night.asc().nulls_last(),
    _hotel.id,
)
RANK_HOTELS = (
    select(_hotel.id)
    .where(
        _hotel.city_id == _CITY,
        passes(HOTEL_RULES),
        _hotel.stars == any_(bindparam("stars", type_=ARRAY(Integer))),
    )
    .order_by(*HOTEL_ORDER)
    .limit(_SIZE)
)


@dataclass(frozen=True)
class Wanted:
    """The values of one request that the rules compare with, as parameters of the statements.

    `refused` are wishes that refuse places of a kind, but for those `let_in` by name.
    """

    avoid: list[str]
    avoid_mask: str | None
    want_mask: str
    price_cap: Decimal | None
    with_synthetic: bool
    refused: tuple[VisitWish, ...] = ()
    let_in: tuple[str, ...] = ()

    @property
    def binds(self) -> dict[str, Any]:
        """By name."""
        if not self.refused:
            return vars(self)
        return vars(self) | {
            "let_in": list(self.let_in),
            "refused_types": [name for wish in self.refused for name in wish.type],
            "refused_tags": [name for wish in self.refused for name in wish.tag],
            "refused_ids": [name for wish in self.refused for name in wish.any_of],
        }

    @property
    def place_rules(self) -> Rules:
        """The rules that reject places for this request."""
        return UNREFUSED_PLACE_RULES if self.refused else PLACE_RULES


class PlaceCount(NamedTuple):
    """Places of a city with one first reason, or without one and with one schedule.

    A must-see is counted by itself. `closed` is not among the reasons: the texts decide it.
    """

    must_see: str | None
    reason: str | None
    schedule: int | None
    total: int
    opening_hours: str
    closed_season: str


class HotelCount(NamedTuple):
    """Hotels of a city with one first reason (before `stars`) and one number of stars."""

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
    named = Tag.id == any_(bindparam("names", type_=TEXTS))
    rows = await session.execute(
        select(Tag.id, Tag.bit).where(named), {"names": [*interests, *avoid]}
    )
    bits = {row.id: row.bit for row in rows}
    tags = tuple(word for word in avoid if word in bits)
    return Wanted(
        avoid=list(avoid),
        avoid_mask=make_mask(tags, bits) if tags else None,
        want_mask=make_mask(tuple(word for word in interests if word in bits), bits),
        price_cap=price_cap,
        with_synthetic=with_synthetic,
    )


async def count_places(
    session: Session, city: str, wanted: Wanted, must_see: Collection[str]
) -> list[PlaceCount]:
    """All places of a city, by the first reason or the schedule."""
    binds = wanted.binds | {"city": city, "must_see": list(must_see)}
    statement = COUNT_UNREFUSED_PLACES if wanted.refused else COUNT_PLACES
    return [
        _read_count(must_see, verdict, total, hours or "", season or "")
        for must_see, verdict, total, hours, season in await session.execute(statement, binds)
    ]


async def find_of_kind(
    session: Session, binds: Mapping[str, Any], wish: VisitWish | EatWish, wanted: Wanted
) -> list[str]:
    """The first places of a kind that is wished for; `binds` are those of the ranking."""
    kinds = {
        "of_types": list(wish.type) if isinstance(wish, VisitWish) else [],
        "of_tags": list(wish.tag) if isinstance(wish, VisitWish) else [],
        "of_cuisines": [] if isinstance(wish, VisitWish) else list(wish.cuisine),
        "named": list(wish.places),
        "any_price": not (isinstance(wish, VisitWish) and wish.free),
        "size": wish.at_least + SPARE_PLACES,
    }
    statement = _FIND_UNREFUSED_OF_KIND if wanted.refused else _FIND_OF_KIND
    return list((await session.scalars(statement, {**binds, **kinds})).all())


def _read_count(
    must_see: str | None, verdict: int, total: int, hours: str, season: str
) -> PlaceCount:
    if verdict < 0:
        return PlaceCount(must_see, PLACE_RULES[-verdict - 1][0], None, total, hours, season)
    return PlaceCount(must_see, None, verdict, total, hours, season)


def bind_ranking(
    city: str, wanted: Wanted, closed: Collection[int], limits: PoolLimits
) -> dict[str, Any]:
    """Parameters of `RANK_PLACES`: pool and reserve, without those of a schedule in `closed`."""
    return wanted.binds | {
        "city": city,
        "closed": sorted(closed),
        "size": limits.poi_size + limits.reserve_size,
        "known_size": limits.known_size,
        "food_size": limits.food_size,
    }


async def count_hotels(session: Session, city: str, wanted: Wanted) -> list[HotelCount]:
    """All hotels of a city, by the first reason and stars."""
    rows = await session.execute(COUNT_HOTELS, wanted.binds | {"city": city})
    return [HotelCount(*row) for row in rows]


async def rank_hotels(
    session: Session, city: str, wanted: Wanted, stars: Collection[int], size: int
) -> tuple[str, ...]:
    """The first `size` hotels of a city with one of these numbers of stars."""
    binds = wanted.binds | {"city": city, "stars": sorted(stars), "size": size}
    return tuple((await session.scalars(RANK_HOTELS, binds)).all())

"""The rows behind one count of rejections, by the rules that count them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    Integer,
    Select,
    Text,
    any_,
    func,
    literal,
    not_,
    or_,
    select,
    true,
)

from backend.catalogue.editing import has_words, show_times
from backend.catalogue.tables import Hotel, Place, Train
from backend.db.session import Session
from backend.pool.queries import (
    HOTEL_ORDER,
    HOTEL_RULES,
    PLACE_ORDER,
    Rules,
    Wanted,
    first_reason,
    passes,
)
from backend.pool.stay import Leg
from backend.pool.train_queries import LEG, ON_LEG, TRAIN_RULES, bind_legs

_place, _hotel, _train = Place.__table__.c, Hotel.__table__.c, Train.__table__.c


@dataclass(frozen=True)
class View:
    """Which part of the rows, in which order; `words` is looked for in names and ids."""

    words: str = ""
    order: str = "rank"
    offset: int = 0
    size: int = 50


@dataclass(frozen=True)
class CityScope:
    """One city: ids in its pool, schedules without an open day, stars that fit (None: no night)."""

    city: str
    kept: Collection[str]
    closed: Collection[int] = ()
    stars: Collection[int] | None = field(default=None)


Page = tuple[int, list[dict[str, Any]]]
"""How many there are, and the rows of the part."""

_PLACE_COLUMNS = (
    _place.id,
    _place.city_id.label("city"),
    _place.name,
    _place.name_en,
    _place.area,
    _place.price,
    _place.popularity,
)
_HOTEL_COLUMNS = (
    _hotel.id,
    _hotel.city_id.label("city"),
    _hotel.name,
    _hotel.name_en,
    _hotel.area,
    _hotel.price_per_night.label("price"),
    _hotel.stars,
    _hotel.rating,
)
_TRAIN_COLUMNS = (
    _train.id,
    _train.number.label("name"),
    _train.from_city_id.label("from_city"),
    _train.from_station,
    _train.to_city_id.label("to_city"),
    _train.to_station,
    _train.depart_min,
    _train.arrive_min,
    _train.day_offset,
    _train.price,
    _train.runs_on,
)


async def read_places(
    session: Session, reason: str, scopes: Sequence[CityScope], wanted: Wanted, view: View
) -> Page:
    """Places that a reason has dropped."""
    chosen = or_(*(_drops_place(reason, scope, wanted.place_rules) for scope in scopes))
    named = has_words(view.words, _place.id, _place.name, _place.name_en)
    orders = {"rank": PLACE_ORDER, **_order(_place.name, _place.price, _place.id)}
    rows = select(*_PLACE_COLUMNS).where(chosen, named)
    return await _read(session, rows, orders, view, wanted.binds)


def _drops_place(reason: str, scope: CityScope, rules: Rules) -> ColumnElement[bool]:
    here = (_place.city_id == scope.city) & not_(_is_among(_place.id, scope.kept))
    is_closed = _place.schedule_id == any_(literal(list(scope.closed), ARRAY(Integer)))
    if reason == "closed":
        return here & passes(rules) & is_closed
    if reason == "rank":
        return here & passes(rules) & not_(is_closed)
    return here & _is_reason(rules, reason)


async def read_hotels(
    session: Session, reason: str, scopes: Sequence[CityScope], wanted: Wanted, view: View
) -> Page:
    """Hotels that a reason has dropped."""
    chosen = or_(*(_drops_hotel(reason, scope) for scope in scopes))
    named = has_words(view.words, _hotel.id, _hotel.name, _hotel.name_en)
    orders = {"rank": HOTEL_ORDER, **_order(_hotel.name, _hotel.price_per_night, _hotel.id)}
    rows = select(*_HOTEL_COLUMNS).where(chosen, named)
    return await _read(session, rows, orders, view, wanted.binds)


def _drops_hotel(reason: str, scope: CityScope) -> ColumnElement[bool]:
    here = (_hotel.city_id == scope.city) & not_(_is_among(_hotel.id, scope.kept))
    if (scope.stars is None) != (reason == "no_night"):
        return here & not_(true())
    if scope.stars is None:
        return here
    fits = func.coalesce(
        _hotel.stars == any_(literal(list(scope.stars), ARRAY(Integer))), not_(true())
    )
    if reason == "stars":
        return here & passes(HOTEL_RULES) & not_(fits)
    if reason == "rank":
        return here & passes(HOTEL_RULES) & fits
    return here & _is_reason(HOTEL_RULES, reason)


async def read_trains(
    session: Session,
    reason: str,
    legs: Mapping[Leg, Collection[str]],
    wanted: Wanted,
    view: View,
) -> Page:
    """Trains that a reason has dropped from legs, each with the trains that it has kept."""
    kept = {train for trains in legs.values() for train in trains}
    is_dropped = _is_reason(TRAIN_RULES, reason)
    if reason == "spread":
        is_dropped = passes(TRAIN_RULES) & not_(_is_among(_train.id, kept))
    named = has_words(view.words, _train.id, _train.number, _train.from_station, _train.to_station)
    by_time = (LEG.c.n, _train.depart_min, _train.id)
    orders = {"rank": by_time, **_order(_train.number, _train.price, _train.id)}
    rows = select(*_TRAIN_COLUMNS).join_from(LEG, Train.__table__, ON_LEG)
    binds = wanted.binds | bind_legs(list(legs))
    return await _read(session, rows.where(is_dropped, named), orders, view, binds)


def _order(name: Any, price: Any, row_id: Any) -> dict[str, tuple[Any, ...]]:
    return {
        "name": (name, row_id),
        "price": (price.asc().nulls_last(), row_id),
        "dearest": (price.desc().nulls_last(), row_id),
    }


def _is_reason(rules: Rules, reason: str) -> ColumnElement[bool]:
    return func.coalesce(first_reason(rules), "") == reason


def _is_among(column: ColumnElement[Any], ids: Collection[str]) -> ColumnElement[bool]:
    return column == any_(literal(sorted(ids), ARRAY(Text)))


async def _read(
    session: Session,
    rows: Select[Any],
    orders: Mapping[str, tuple[Any, ...]],
    view: View,
    binds: Mapping[str, Any],
) -> Page:
    counted = select(func.count()).select_from(rows.subquery())
    total = (await session.execute(counted, dict(binds))).scalar_one()
    part = rows.order_by(*orders[view.order]).limit(view.size).offset(view.offset)
    found = await session.execute(part, dict(binds))
    return total, [show_times(dict(row)) for row in found.mappings()]

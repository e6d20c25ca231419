"""The rules for trains in SQL: by leg, and for changes between two of them."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    ARRAY,
    BindParameter,
    Integer,
    Text,
    and_,
    bindparam,
    column,
    func,
    not_,
    or_,
    select,
)

from backend.catalogue.tables import Train
from backend.db.session import Session
from backend.pool.queries import TEXTS, WITH_SYNTHETIC, Rules, Wanted, first_reason, passes
from backend.pool.stay import Departure, Leg

_train = Train.__table__.c

LEG = (
    func.unnest(
        bindparam("starts", type_=TEXTS),
        bindparam("ends", type_=TEXTS),
        bindparam("days", type_=ARRAY(Integer)),
    )
    .table_valued(
        column("start", Text), column("end", Text), column("day", Integer), with_ordinality="n"
    )
    .render_derived("leg")
)
ON_LEG = and_(_train.from_city_id == LEG.c.start, _train.to_city_id == LEG.c.end)

TRAIN_RULES: Rules = (
    ("disabled", not_(_train.enabled)),
    ("synthetic", and_(_train.is_synthetic, not_(WITH_SYNTHETIC))),
    ("not_running", _train.runs_on_mask.op("&")(LEG.c.day) == 0),
)


COUNT_TRAINS = (
    select(LEG.c.n, first_reason(TRAIN_RULES).label("reason"), func.count().label("count"))
    .join(Train.__table__, ON_LEG)
    .group_by(LEG.c.n, column("reason"))
)
_DEPARTURE = (
    _train.id,
    _train.from_city_id,
    _train.from_station,
    _train.to_city_id,
    _train.to_station,
    _train.depart_min,
    (_train.arrive_min + 1440 * _train.day_offset).label("arrive"),
    _train.price,
    _train.runs_on_mask,
    _train.number,
)
RUNNING_TRAINS = (
    select(LEG.c.n, *_DEPARTURE)
    .join(Train.__table__, ON_LEG)
    .where(passes(TRAIN_RULES))
    .order_by(LEG.c.n, _train.depart_min, _train.id)
)
_USABLE = passes(TRAIN_RULES[:2])
_START: BindParameter[str] = bindparam("start", type_=Text)
_END: BindParameter[str] = bindparam("end", type_=Text)
CHANGING_TRAINS = select(*_DEPARTURE).where(
    _USABLE,
    or_(
        and_(
            _train.from_city_id == _START,
            _train.to_city_id != _END,
            _train.runs_on_mask.op("&")(bindparam("day", type_=Integer)) != 0,
        ),
        and_(_train.to_city_id == _END, _train.from_city_id != _START),
    ),
)


async def count_trains(
    session: Session, legs: Sequence[Leg], wanted: Wanted
) -> list[tuple[int, str | None, int]]:
    """Trains between the cities of each leg: index of the leg, first reason, count."""
    rows = await session.execute(COUNT_TRAINS, wanted.binds | bind_legs(legs))
    return [(n - 1, reason, count) for n, reason, count in rows]


async def find_running(
    session: Session, legs: Sequence[Leg], wanted: Wanted
) -> list[list[Departure]]:
    """The trains that may be used, by leg, each in the order of departure."""
    running: list[list[Departure]] = [[] for _ in legs]
    for n, *train in await session.execute(RUNNING_TRAINS, wanted.binds | bind_legs(legs)):
        running[n - 1].append(Departure(*train))
    return running


async def find_changing(session: Session, leg: Leg, wanted: Wanted) -> list[Departure]:
    """Trains out of the first city on the leg's date, and all into the second, from elsewhere."""
    binds = {"start": leg.from_city, "end": leg.to_city, "day": _bit(leg)}
    rows = await session.execute(CHANGING_TRAINS, wanted.binds | binds)
    return [Departure._make(row) for row in rows]


def _bit(leg: Leg) -> int:
    return 1 << leg.date.weekday()


def bind_legs(legs: Sequence[Leg]) -> dict[str, Any]:
    """Parameters of statements over legs; their ordinality `n` counts from 1."""
    return {
        "starts": [leg.from_city for leg in legs],
        "ends": [leg.to_city for leg in legs],
        "days": [_bit(leg) for leg in legs],
    }

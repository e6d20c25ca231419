"""What the rules found in a catalogue, before sizes cut it into a pool.

The same values come from SQL, from the pure rules over rows, and out of a snapshot.

Counts how many rows were left at each step of one run, from the catalogue to the plan.

The sizes, highest price and hotel stars for one pool, read from the parameters by budget tier.
"""

import datetime as dt
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from pydantic import BaseModel, ConfigDict

from backend.params.registry import ParamValue
from backend.pool.plan_request import PlanRequest, Tier
from backend.pool.snapshot import HOTEL_REJECTIONS, REJECTIONS, TRAIN_REJECTIONS, Kind, Snapshot
from backend.pool.stay import Departure, Stay
from backend.pool.wished import Spots, list_refused
from backend.pool.wishes import VisitWish, Wish

MAX_LEG_TRAINS = 200
"""Trains of one leg that a snapshot keeps; not a parameter, since the contract fixes it."""


_UNLIMITED = 1_000_000


@dataclass(frozen=True)
class PoolLimits:
    """Typed parameters of one pool; `price_cap` None: no cap.

    A snapshot of version 0.1.0 knows neither `known_size` nor `food_size`: it was ranked by
    interests alone.
    """

    poi_size: int
    known_size: int
    food_size: int
    hotel_size: int
    train_size: int
    reserve_size: int
    allow_synthetic: bool
    price_cap: Decimal | None
    stars: tuple[int, ...]


def read_limits(params: Mapping[str, ParamValue], tier: Tier) -> PoolLimits:
    """The limits that `params` set for a request of this tier."""
    values: Mapping[str, Any] = params
    cap = values[f"POI_PRICE_CAP_{tier.upper()}"]
    return PoolLimits(
        poi_size=values["POOL_POI_SIZE"],
        known_size=values.get("POOL_KNOWN_SIZE", 0),
        food_size=values.get("POOL_FOOD_SIZE", _UNLIMITED),
        hotel_size=values["POOL_HOTEL_SIZE"],
        train_size=values["POOL_TRAIN_SIZE"],
        reserve_size=values["POOL_RESERVE_SIZE"],
        allow_synthetic=values["POOL_ALLOW_SYNTHETIC"],
        price_cap=None if cap is None else Decimal(str(cap)),
        stars=tuple(values[f"HOTEL_STARS_{tier.upper()}"]),
    )


EXEMPT = ("price", "closed")
"""Reasons that do not keep a must-see out of the pool; rank does not either."""


PlaceRank = tuple[int, float, str]
"""Interests (negative), popularity (negative), id: the least comes first."""


@dataclass(frozen=True)
class CityAsk:
    """What the rows of one city are judged by; `avoid` holds ids and tags alike.

    `must_see` has the places too that a wish names.
    """

    stay: Stay
    days_off: frozenset[dt.date]
    limits: PoolLimits
    interests: frozenset[str]
    avoid: frozenset[str]
    must_see: tuple[str, ...]
    wishes: tuple[Wish, ...] = ()
    spots: Spots = field(default_factory=dict)

    @property
    def refused(self) -> tuple[VisitWish, ...]:
        """Wishes by which places of a kind must not be visited; what is named is let in."""
        return list_refused(self.wishes)


@dataclass(frozen=True)
class PlaceFindings:
    """Places of a city: `ranking` is the best part of the `eligible`, or all of them.

    `ranking` is the order in which they get into the pool, `ranks` that in which a pool lists
    them. `must_see` holds those in this city, in the order asked, with the first reason that would
    reject them or None, then those of wished kinds; `rejected` counts the rest by reason, without
    rank.
    """

    ranking: tuple[str, ...]
    ranks: dict[str, PlaceRank]
    eligible: int
    must_see: dict[str, str | None]
    rejected: dict[str, int]


@dataclass(frozen=True)
class HotelFindings:
    """Hotels of a city: `ranking` is the best part of the `eligible`, or all of them.

    `wished` are those that wishes let in besides: whether they are among the eligible.
    """

    ranking: tuple[str, ...]
    eligible: int
    is_widened: bool
    rejected: dict[str, int]
    wished: dict[str, bool] = field(default_factory=dict)


@dataclass(frozen=True)
class TrainFindings:
    """Trains of a leg: all that may be used on its date, and the others by reason."""

    running: tuple[Departure, ...]
    rejected: dict[str, int]


def ask_city(
    request: PlanRequest,
    stay: Stay,
    days_off: frozenset[dt.date],
    limits: PoolLimits,
    spots: Spots | None = None,
) -> CityAsk:
    """What a resolved request asks of one city."""
    return CityAsk(
        stay,
        days_off,
        limits,
        interests=frozenset(request.interests),
        avoid=frozenset(request.avoid),
        must_see=list_let_in(request),
        wishes=request.wishes,
        spots=spots or {},
    )


def list_let_in(request: PlanRequest) -> tuple[str, ...]:
    """Places that are in the pool whatever its rules say."""
    named = (*request.must_see_ids, *request.wished_place_ids)
    return tuple(dict.fromkeys(named))


class FunnelStep(BaseModel):
    """One kind, from all rows to those chosen; the first two count rows, the others distinct ids."""

    model_config = ConfigDict(frozen=True)

    catalogue: int
    in_cities: int
    pool: int
    listed: int
    opened: int
    selected: int
    rejected: dict[str, int]


IdsByKind = Mapping[Kind, Collection[str]]


def count_funnel(
    snapshot: Snapshot,
    listed: IdsByKind | None = None,
    opened: IdsByKind | None = None,
    selected: IdsByKind | None = None,
) -> dict[Kind, FunnelStep]:
    """The funnel of each kind from ids by kind; those outside of the pool do not count."""
    pools = snapshot.ids_by_kind
    rejected = _sum_rejections(snapshot)
    between = sum(len(leg.trains) for leg in snapshot.legs)  # changes are between other cities
    chosen: dict[Kind, int] = {
        "poi": sum(len(city.pois) for city in snapshot.cities.values()),
        "hotel": sum(len(city.hotels) for city in snapshot.cities.values()),
        "train": between,
    }
    return {
        kind: FunnelStep(
            catalogue=snapshot.catalogue.rows[kind],
            in_cities=chosen[kind] + sum(rejected[kind].values()),
            pool=len(ids),
            listed=len(ids.intersection((listed or {}).get(kind, ()))),
            opened=len(ids.intersection((opened or {}).get(kind, ()))),
            selected=len(ids.intersection((selected or {}).get(kind, ()))),
            rejected=rejected[kind],
        )
        for kind, ids in pools.items()
    }


def _sum_rejections(snapshot: Snapshot) -> Mapping[Kind, dict[str, int]]:
    cities = snapshot.cities.values()
    return {
        "poi": _sum(REJECTIONS, (city.rejected for city in cities)),
        "hotel": _sum(HOTEL_REJECTIONS, (city.hotels_rejected for city in cities)),
        "train": _sum(TRAIN_REJECTIONS, (leg.rejected for leg in snapshot.legs)),
    }


def _sum(reasons: Sequence[str], counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Totals in the order of the rules; a snapshot read from a file may have another order."""
    total: Counter[str] = Counter()
    for count in counts:
        total.update(count)
    return {reason: total[reason] for reason in reasons if reason in total}

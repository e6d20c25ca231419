"""The sizes, highest price and hotel stars for one pool, read from the parameters by budget tier."""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from backend.params.registry import ParamValue
from backend.pool.plan_request import Tier

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

"""What the rules found in a catalogue, before sizes cut it into a pool.

The same values come from SQL, from the pure rules over rows, and out of a snapshot.
"""

import datetime as dt
from dataclasses import dataclass

from backend.pool.departure import Departure
from backend.pool.limits import PoolLimits
from backend.pool.plan_request import PlanRequest
from backend.pool.stay import Stay

EXEMPT = ("price", "closed")
"""Reasons that do not hold for a must-see; neither does rank."""


PlaceRank = tuple[int, float, str]
"""Interests (negative), popularity (negative), id: the least comes first."""


@dataclass(frozen=True)
class CityAsk:
    """What the rows of one city are judged by; `avoid` holds ids and tags alike."""

    stay: Stay
    days_off: frozenset[dt.date]
    limits: PoolLimits
    interests: frozenset[str]
    avoid: frozenset[str]
    must_see: tuple[str, ...]


@dataclass(frozen=True)
class PlaceFindings:
    """Places of a city: `ranking` is the best part of the `eligible`, or all of them.

    `ranking` is the order in which they get into the pool, `ranks` that in which a pool lists
    them. `must_see` holds those in this city, in the order asked, with the first reason that would
    reject them or None; `rejected` counts the rest by reason, without rank.
    """

    ranking: tuple[str, ...]
    ranks: dict[str, PlaceRank]
    eligible: int
    must_see: dict[str, str | None]
    rejected: dict[str, int]


@dataclass(frozen=True)
class HotelFindings:
    """Hotels of a city: `ranking` is the best part of the `eligible`, or all of them."""

    ranking: tuple[str, ...]
    eligible: int
    is_widened: bool
    rejected: dict[str, int]


@dataclass(frozen=True)
class TrainFindings:
    """Trains of a leg: all that may be used on its date, and the others by reason."""

    running: tuple[Departure, ...]
    rejected: dict[str, int]


def ask_city(
    request: PlanRequest, stay: Stay, days_off: frozenset[dt.date], limits: PoolLimits
) -> CityAsk:
    """What a resolved request asks of one city."""
    return CityAsk(
        stay,
        days_off,
        limits,
        interests=frozenset(request.interests),
        avoid=frozenset(request.avoid),
        must_see=request.must_see,
    )

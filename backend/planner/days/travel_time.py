"""Estimates how long a way inside a city takes and what it costs, from the tables in this file.

There is no street map: the way is the straight line times a detour factor, and the mode follows
from the distance and from what the city has.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple

from backend.planner.plan.itinerary import Mode
from backend.pool.candidate import measure_distance_m
from backend.pool.snapshot import Snapshot
from backend.pool.wishes import LocalWish

Position = tuple[float, float]

DETOUR = 1.3
"""Streets against the straight line; 1.2–1.4 in studies of city grids."""

SAME_PLACE_M = 60
"""Two places nearer than this count as one, without a way between them."""


@dataclass(frozen=True)
class ModeRow:
    """A mode serves ways up to `max_m`; `access_min` is waiting, stairs, finding a car."""

    mode: Mode
    max_m: float
    metres_per_min: float
    access_min: int
    fast_from_m: float = math.inf
    fast_metres_per_min: float = 0.0


MODES: tuple[ModeRow, ...] = (
    # a quarter of an hour on foot is what people take without thinking of a ticket
    ModeRow("walk", 1_200, 5_000 / 60, 0),
    # trains with stops make 30 km/h; beyond 25 km lines end and changes eat the advantage
    ModeRow("metro", 25_000, 30_000 / 60, 10),
    # 40 km/h in town; past 30 km most of the way is an expressway
    ModeRow("taxi", math.inf, 40_000 / 60, 5, 30_000, 60_000 / 60),
)


@dataclass(frozen=True)
class Fares:
    """What local transport costs in one currency."""

    metro: tuple[tuple[float, int], ...]
    taxi_base: Decimal
    taxi_base_km: int
    taxi_per_km: Decimal


FARES: dict[str, Fares] = {
    # Beijing's metro table, and a middle of the large cities' taxi tariffs
    "CNY": Fares(
        metro=((6, 3), (12, 4), (22, 5), (32, 6), (52, 7), (72, 8), (math.inf, 9)),
        taxi_base=Decimal(13),
        taxi_base_km=3,
        taxi_per_km=Decimal("2.30"),
    ),
}
"""Other currencies have no rows: their local transport counts 0, warning FARES_UNKNOWN."""

USED_FROM_M = 2_500.0, 6_000.0
"""Who wishes to go by taxi too takes one from here on, or from there on beside the metro."""

CAR_SEATS = 4
"""Travellers in one taxi."""

NO_WAY_COST = Decimal(0)


class Way(NamedTuple):
    """A way between two places; `cost` is the party's."""

    mode: Mode
    minutes: int
    distance_m: int
    cost: Decimal


@dataclass(frozen=True)
class Party:
    """What a way depends on besides its ends: fares on how many they are, modes on what they wish."""

    travellers: int
    currency: str
    wishes: tuple[LocalWish, ...] = ()


def make_party(snapshot: Snapshot) -> Party:
    """Who gets about in the cities of a trip."""
    request = snapshot.request
    wishes = tuple(wish for wish in request.wishes if isinstance(wish, LocalWish))
    return Party(request.travellers, snapshot.currency, wishes)


def find_way(a: Position, b: Position, modes: Sequence[str], party: Party) -> Way:
    """The way from `a` to `b` with the city's modes; 0 minutes where both are one place."""
    distance = measure_distance_m(a, b) * DETOUR
    if distance < SAME_PLACE_M:
        return Way("walk", 0, 0, NO_WAY_COST)
    row = _choose_mode(distance, modes, party.wishes)
    return Way(
        row.mode, _count_minutes(row, distance), round(distance), _price(row, distance, party)
    )


def _choose_mode(
    distance: float, modes: Sequence[str], wishes: Sequence[LocalWish] = ()
) -> ModeRow:
    """The first mode that reaches so far; a city without a word on modes has taxis."""
    usable = [row for row in MODES if row.mode == "walk" or row.mode in modes]
    if len(usable) == 1:
        usable = [MODES[0], MODES[-1]]
    for wish in sorted(wishes, key=lambda wish: wish.weight, reverse=True):  # musts come last
        usable = _keep_modes(usable, wish, distance)
    return next((row for row in usable if distance <= row.max_m), usable[-1])


def _keep_modes(rows: list[ModeRow], wish: LocalWish, distance: float) -> list[ModeRow]:
    """The modes that a wish leaves, if any; what is to be used too comes before what is not."""
    never, use = (wish.use, wish.never) if wish.negated else (wish.never, wish.use)
    only = () if wish.negated else tuple(mode for mode in wish.only if mode != "bus")
    kept = [r for r in rows if r.mode not in never and (not only or r.mode in only)]
    if wish.longest_walk_m is not None and not wish.negated:
        most = min(MODES[0].max_m, wish.longest_walk_m)
        kept = [replace(r, max_m=most) if r.mode == "walk" else r for r in kept]
    if "taxi" in use and distance > USED_FROM_M["metro" in use]:
        kept = [r for r in kept if r.mode != "metro"]
    elif "metro" in use and distance > MODES[0].max_m / 2:
        kept = [r for r in kept if r.mode != "walk"]
    return kept or rows


def _count_minutes(row: ModeRow, distance: float) -> int:
    slow = min(distance, row.fast_from_m)
    minutes = row.access_min + slow / row.metres_per_min
    if distance > slow:
        minutes += (distance - slow) / row.fast_metres_per_min
    return math.ceil(minutes)


def _price(row: ModeRow, distance: float, party: Party) -> Decimal:
    fares = FARES.get(party.currency)
    if row.mode == "walk" or fares is None:
        return NO_WAY_COST
    km = distance / 1000
    if row.mode == "metro":
        fare = next(fare for up_to_km, fare in fares.metro if km <= up_to_km)
        return Decimal(fare * party.travellers)
    cars = math.ceil(party.travellers / CAR_SEATS)
    paid_km = max(0, math.ceil(km) - fares.taxi_base_km)
    return (fares.taxi_base + fares.taxi_per_km * paid_km) * cars


class Ways:
    """Ways between numbered places of one city, each measured once: the planner's inner loop."""

    def __init__(self, modes: Sequence[str], party: Party) -> None:
        self._modes = tuple(modes)
        self._party = party
        self._positions: list[Position] = []
        self._numbers: dict[Position, int] = {}
        self._known: dict[tuple[int, int], Way] = {}
        self._minutes: dict[tuple[int, int], int] = {}
        self._fares: dict[tuple[int, int], float] = {}

    def add(self, position: Position) -> int:
        """The number of a place; the same for the same position."""
        number = self._numbers.setdefault(position, len(self._positions))
        if number == len(self._positions):
            self._positions.append(position)
        return number

    def position(self, number: int) -> Position:
        """Where a place stands."""
        return self._positions[number]

    def between(self, a: int, b: int) -> Way:
        """The way from place number `a` to place number `b`."""
        way = self._known.get((a, b))
        if way is None:
            way = find_way(self._positions[a], self._positions[b], self._modes, self._party)
            self._known[a, b] = self._known[b, a] = way
        return way

    def minutes(self, a: int, b: int) -> int:
        """Minutes from `a` to `b`; a negative number is a place nobody knows, reached at once."""
        minutes = self._minutes.get((a, b))
        if minutes is None:
            minutes = 0 if a == b or b < 0 else self.between(a, b).minutes
            self._minutes[a, b] = minutes
        return minutes

    def fare(self, a: int, b: int) -> float:
        """What each traveller pays for the way from `a` to `b`, near enough to weigh it."""
        fare = self._fares.get((a, b))
        if fare is None:
            fare = 0.0 if a == b else float(self.between(a, b).cost) / self._party.travellers
            self._fares[a, b] = fare
        return fare


OWN_ROAD_M_PER_MIN = 80_000 / 60
OWN_ROAD_ACCESS_MIN = 60
OWN_FLIGHT_M_PER_MIN = 750_000 / 60
OWN_FLIGHT_ACCESS_MIN = 240


def estimate_own_leg_min(a: Position, b: Position) -> int:
    """Minutes to keep free for the traveller's own way between two cities: road or flight."""
    line = measure_distance_m(a, b)
    road = OWN_ROAD_ACCESS_MIN + line * DETOUR / OWN_ROAD_M_PER_MIN
    flight = OWN_FLIGHT_ACCESS_MIN + line / OWN_FLIGHT_M_PER_MIN
    return math.ceil(min(road, flight))

"""The brief of a conversation with types: what the built-in planner knows before its first call.

Rides, and how much of a city they leave: minutes within the traveller's days.

The first hours in a city are worth more than the last ones: nobody goes there to see none of it.
"""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from backend.clock import parse_minutes
from backend.money import add_up
from backend.planner.days.legs import BOARDING_MIN, find_own_arrival, find_own_departure
from backend.planner.plan.draft import Locks
from backend.pool.plan_request import OwnTransport, Pace, Tier
from backend.pool.wishes import EatWish, LocalWish, VisitWish, Wish
from backend.text import Locale

DAY_MIN = 24 * 60

SMALL_CHILD, OLD = 10, 65
"""Ages under, and from, which nobody should travel at night."""


@dataclass(frozen=True)
class BriefCity:
    """A destination; both days belong to the stay, `pois` and `hotels` count the pool."""

    id: str
    first_day: int
    last_day: int
    nights: int
    pois: int
    hotels: int
    modes: tuple[str, ...]

    @property
    def days(self) -> range:
        """Days of the trip that touch the city."""
        return range(self.first_day, self.last_day + 1)


@dataclass(frozen=True)
class BriefLeg:
    """A way between two cities that trains may serve."""

    leg: int
    from_city: str
    to_city: str
    date: dt.date
    day: int
    trains: int
    connections: int


@dataclass(frozen=True)
class Booked:
    """Something fixed, in local time."""

    start: dt.datetime
    end: dt.datetime


@dataclass(frozen=True)
class BriefWish:
    """A wish, and what keeps it: hotels by city, rides by leg as `id+id`, places; or breaks it."""

    wish: Wish
    hotels: Mapping[str, frozenset[str]]
    trains: Mapping[str, frozenset[str]]
    pois: tuple[str, ...]
    breaks: frozenset[str]

    @property
    def is_must(self) -> bool:
        """Whether it has to be kept."""
        return self.wish.weight == "must"

    @property
    def places_needed(self) -> int:
        """How many of its places the plan needs."""
        return self.wish.at_least if isinstance(self.wish, VisitWish | EatWish) else 1

    def breaks_by(self, slot: tuple[str, str], ids: Sequence[str]) -> bool:
        """Whether a hotel of a city or a ride of a leg does not keep it, though another may."""
        kind, name = slot
        kept = self.hotels if kind == "hotel" else self.trains
        return name in kept and "+".join(ids) not in kept[name]


@dataclass(frozen=True)
class Brief:
    """A trip as `describe_trip` wrote it; times of day in minutes, money as numbers.

    `rail_fares` and `sight_fares` are how many adult tickets the party's tickets cost. `is_tender`:
    with somebody who should sleep at night.
    """

    cities: tuple[BriefCity, ...]
    legs: tuple[BriefLeg, ...]
    start_date: dt.date
    days: int
    travellers: int
    rail_fares: float
    sight_fares: float
    rooms: int
    tier: Tier
    budget: float | None
    currency: str
    interests: frozenset[str]
    must_see: tuple[tuple[str, str], ...]
    pace: Pace
    day_start: int
    day_end: int
    arrival: int | None
    departure: int | None
    fixed: tuple[Booked, ...]
    draft: Mapping[str, Any]
    max_calls: int
    locale: Locale
    locks: Locks
    wishes: tuple[BriefWish, ...] = ()
    is_tender: bool = False

    def count_broken(self, slot: tuple[str, str], ids: Sequence[str], *, is_must: bool) -> int:
        """How many wishes of a weight a hotel or a ride breaks."""
        wishes = (wish for wish in self.wishes if wish.is_must == is_must)
        return sum(wish.breaks_by(slot, ids) for wish in wishes)

    @property
    def refused(self) -> frozenset[str]:
        """Places that the traveller does not want to see."""
        return frozenset(poi_id for wish in self.wishes for poi_id in wish.breaks)

    @property
    def asked_places(self) -> tuple[str, ...]:
        """As many places of each wish that must be kept as it asks for, the best ones."""
        asked = (wish.pois[: wish.places_needed] for wish in self.wishes if wish.is_must)
        return tuple(dict.fromkeys(poi_id for pois in asked for poi_id in pois))

    @property
    def local_wishes(self) -> tuple[LocalWish, ...]:
        """How to get about."""
        return tuple(w.wish for w in self.wishes if isinstance(w.wish, LocalWish))

    def city(self, city_id: str) -> BriefCity:
        """The destination with this id."""
        return next(city for city in self.cities if city.id == city_id)

    def date_of(self, day: int) -> str:
        """The ISO date of a day, which counts from 1."""
        return (self.start_date + dt.timedelta(day - 1)).isoformat()

    def is_way_in(self, leg: BriefLeg) -> bool:
        """From home to the first city."""
        return leg.to_city == self.cities[0].id

    def is_way_home(self, leg: BriefLeg) -> bool:
        """From the last city home."""
        return leg.from_city == self.cities[-1].id


def parse_brief(brief: Mapping[str, Any]) -> Brief:
    """The typed brief of its JSON values."""
    budget, fares = brief["budget_total"], brief.get("adult_fares", {})
    return Brief(
        cities=tuple(_parse_city(city) for city in brief["cities"]),
        legs=tuple(_parse_leg(leg) for leg in brief["legs"]),
        start_date=dt.date.fromisoformat(brief["start_date"]),
        days=brief["days"],
        travellers=brief["travellers"],
        rail_fares=fares.get("rail", brief["travellers"]),
        sight_fares=fares.get("sight", brief["travellers"]),
        rooms=brief["rooms"],
        tier=brief["budget_tier"],
        budget=None if budget is None else float(budget),
        currency=brief["currency"],
        interests=frozenset(interest["tag"] for interest in brief["interests"]),
        must_see=tuple((place["id"], place["city"]) for place in brief["must_see"]),
        pace=brief["pace"],
        day_start=parse_minutes(brief["day_start"]),
        day_end=parse_minutes(brief["day_end"]),
        arrival=_parse_own(brief["arrival"], find_own_arrival),
        departure=_parse_own(
            brief["departure"], lambda own: find_own_departure(own) + BOARDING_MIN
        ),
        fixed=tuple(_parse_booking(booking) for booking in brief["fixed"]),
        draft=brief.get("draft", {}),
        max_calls=brief["limits"]["tool_calls"],
        locale=brief["locale"],
        locks=Locks.model_validate(brief.get("locked", {})),
        wishes=tuple(_parse_wish(wish) for wish in brief.get("wishes", ())),
        is_tender=any(age < SMALL_CHILD for age in brief.get("children", ()))
        or any(age >= OLD for age in brief.get("seniors", ())),
    )


_WISH: TypeAdapter[Wish] = TypeAdapter(Wish)
_BESIDE = frozenset({"wish", "text", "fits", "breaks"})
"""What stands in the brief beside the fields of a wish."""


def _parse_wish(shown: Mapping[str, Any]) -> BriefWish:
    fits, breaks = shown.get("fits", {}), shown.get("breaks", {})
    return BriefWish(
        wish=_WISH.validate_python({k: v for k, v in shown.items() if k not in _BESIDE}),
        hotels={city: frozenset(ids) for city, ids in fits.get("hotels", {}).items()},
        trains={leg: frozenset(ids) for leg, ids in fits.get("trains", {}).items() if ids},
        pois=tuple(fits.get("pois", ())),
        breaks=frozenset(breaks.get("pois", ())),
    )


def _parse_city(city: Mapping[str, Any]) -> BriefCity:
    first, last = city["days"]
    counts = city["nights"], city["pois"], city["hotels"]
    return BriefCity(city["id"], first, last, *counts, modes=tuple(city["modes"]))


def _parse_leg(leg: Mapping[str, Any]) -> BriefLeg:
    return BriefLeg(
        leg=leg["leg"],
        from_city=leg["from"],
        to_city=leg["to"],
        date=dt.date.fromisoformat(leg["date"]),
        day=leg["day"],
        trains=leg["trains"],
        connections=leg["connections"],
    )


def _parse_own(
    transport: Mapping[str, Any] | None, find: Callable[[OwnTransport], int]
) -> int | None:
    """When the traveller's own transport ends, or leaves if one boards it as one boards a train."""
    return None if transport is None else find(OwnTransport.model_validate(transport))


def _parse_booking(booking: Mapping[str, Any]) -> Booked:
    start, end = (dt.datetime.fromisoformat(booking[key]) for key in ("start", "end"))
    return Booked(start.replace(tzinfo=None), end.replace(tzinfo=None))


TO_STATION_MIN = 60
FROM_STATION_MIN = 40

SCARCE: tuple[tuple[float, float], ...] = ((4.0, 7.0), (8.0, 2.0))
"""Up to so many hours in a city each one counts so many times more."""


@dataclass(frozen=True)
class Ride:
    """One train or two; minutes count from midnight of the leg's date, `price` is for one."""

    leg: int
    train_ids: tuple[str, ...]
    depart: int
    arrive: int
    price: float | None


def measure_day(brief: Brief, city: BriefCity, day: int, rides: Sequence[Ride]) -> int:
    """Minutes of a day in the city, between its trains or the traveller's own ways."""
    start, end = brief.day_start, brief.day_end
    midnight = (day - 1) * DAY_MIN
    for ride in rides:
        leg = brief.legs[ride.leg]
        begins = (leg.day - 1) * DAY_MIN - midnight
        if leg.to_city == city.id:
            start = max(start, begins + ride.arrive + FROM_STATION_MIN)
        if leg.from_city == city.id:
            end = min(end, begins + ride.depart - TO_STATION_MIN)
    if day == 1 and brief.arrival is not None:
        start = max(start, brief.arrival + FROM_STATION_MIN)
    if day == brief.days and brief.departure is not None:
        end = min(end, brief.departure - TO_STATION_MIN)
    return max(0, end - start)


def rate_shortage(brief: Brief, city: BriefCity, rides: Sequence[Ride]) -> float:
    """What is missing of a city's first hours, as hours."""
    hours = add_up(measure_day(brief, city, day, rides) for day in city.days) / 60
    return add_up(times * max(0.0, enough - hours) for enough, times in SCARCE)

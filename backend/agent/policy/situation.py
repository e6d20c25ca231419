"""What every phase of the policy looks at: the calls so far, the draft, and what is chosen in it.

Which hotel: rating against price by tier, and the ways that it brings about, in time and money.

A night brings a way in the evening and one in the morning: to the places, or to a station where the
day has no time for them. Positions are known of what was opened; of the rest the district has to do.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean

from backend.agent.policy.brief import Brief, BriefCity, Ride, measure_day
from backend.agent.policy.call_log import CallLog, DraftView, Row, read_draft, read_price
from backend.agent.policy.places import list_free, list_tables, list_wanted
from backend.agent.policy.rides import Choice, list_rides
from backend.money import add_up
from backend.planner.days.travel_time import Party, Position, Way, find_way
from backend.pool.plan_request import Tier
from backend.tools.call import ToolCall

RATING_POINTS = 12.0
UNKNOWN_RATING = 3.8
PRICE_POINTS: dict[Tier, float] = {"economy": 24.0, "comfort": 14.0, "quality": 6.0}
"""Points for the city's mean price of a night."""

HOUR_SHARE: dict[Tier, float] = {"economy": 0.3, "comfort": 0.45, "quality": 0.6}
"""What an hour on the way to bed or from it is worth, in mean prices of a night."""

UNKNOWN_KM = 20.0
"""What is assumed of a hotel in a district of which nothing is known."""

KM_A_DEGREE = 111.2

UNKNOWN_PRICE = 1.2
"""Nobody knows it, so rather above the mean."""

WISHED_NIGHTS = 0.4
"""Of the mean price of a night, for each wish that a hotel does not keep and rather should."""

SHORT_DAY_MIN = 150
"""A day with less than this begins, or ends, at the station."""


def list_beds(
    log: CallLog, city: BriefCity, wanted: Sequence[str], rides: Sequence[Ride]
) -> list[Choice]:
    """Hotels that were shown and not refused as choices for all nights of the party."""
    rows = _list_hotels(log, city)
    prices = [price for row in rows if (price := read_price(row["price_per_night"])) is not None]
    mean = fmean(prices) if prices else 1.0
    nights = city.nights * log.brief.rooms
    ways = {row["id"]: _list_ways(log, city, row, wanted, rides) for row in rows}
    best = max(map(_read_rating, rows), default=0.0)
    points = mean * nights * RATING_POINTS / PRICE_POINTS[log.brief.tier]
    hour = mean * log.brief.rooms * HOUR_SHARE[log.brief.tier]
    choices = [
        Choice(
            slot=("hotel", city.id),
            ids=(row["id"],),
            price=nights * _expect_price(row, mean),
            discomfort=(best - _read_rating(row)) * points
            + sum(way.minutes for way in ways[row["id"]]) / 60 * hour
            + WISHED_NIGHTS * mean * nights * _count_broken(log, city, row, is_must=False),
            ways=add_up(float(way.cost) for way in ways[row["id"]]),
        )
        for row in rows
    ]
    broken = [_count_broken(log, city, row, is_must=True) for row in rows]
    least, held = min(broken, default=0), log.brief.locks.hotels.get(city.id)
    return [c for c, n in zip(choices, broken, strict=True) if n == least or held in c.ids]


def _count_broken(log: CallLog, city: BriefCity, row: Row, *, is_must: bool) -> int:
    return log.brief.count_broken(("hotel", city.id), (row["id"],), is_must=is_must)


def _expect_price(row: Row, mean: float) -> float:
    price = read_price(row["price_per_night"])
    return mean * UNKNOWN_PRICE if price is None else price


def _read_rating(row: Row) -> float:
    return UNKNOWN_RATING if row["rating"] is None else float(row["rating"])


def _list_hotels(log: CallLog, city: BriefCity) -> list[Row]:
    """Rows of the lists, else bare ids that a refusal named."""
    refused = {
        step.arguments.get("hotel_id")
        for step in log.find("choose_hotel", city=city.id)
        if step.is_error
    }
    named = [
        {"id": hotel_id, "price_per_night": None, "rating": None, "area": ""}
        for hotel_id in log.list_allowed("choose_hotel", city=city.id)
    ]
    rows: list[Row] = log.list_rows("list_hotels", city=city.id) or [*named]
    rows += _list_wished(log, city, {row["id"] for row in rows})
    return [row for row in rows if row["id"] not in refused]


def _list_wished(log: CallLog, city: BriefCity, known: set[str]) -> list[Row]:
    """Hotels that keep a wish and were not listed, as far as they were opened."""
    wished = (hotel_id for wish in log.brief.wishes for hotel_id in wish.hotels.get(city.id, ()))
    missing = sorted(set(wished) - known)
    bare = {"price_per_night": None, "rating": None, "area": ""}
    return [log.detail("get_hotel", hotel_id) or {"id": hotel_id, **bare} for hotel_id in missing]


def _list_ways(
    log: CallLog, city: BriefCity, row: Row, wanted: Sequence[str], rides: Sequence[Ride]
) -> list[Way]:
    """The party's ways in the evenings and mornings; those to places over all of them in turn."""
    places = [place for poi_id in wanted if (place := log.detail("get_poi", poi_id))]
    here = _find_position(log, city, row, places)
    stations = list(_list_stations(log, city, rides))
    count = max(0, 2 * city.nights - len(stations))
    ends = [_read_position(place) for place in places]
    ways = sorted((_measure(log.brief, city, here, end) for end in ends), key=lambda w: w.minutes)
    return _spread(ways, count) + [_measure(log.brief, city, here, end) for end in stations]


def _spread(ways: Sequence[Way], count: int) -> list[Way]:
    """`count` of the ways, evenly from the first to the last."""
    return [ways[n * len(ways) // count] for n in range(count)] if ways else []


def _list_stations(log: CallLog, city: BriefCity, rides: Sequence[Ride]) -> Iterator[Position]:
    """Stations that the first way to bed begins at, or the last one from it ends at."""
    for ride in rides:
        leg = log.brief.legs[ride.leg]
        is_in = leg.to_city == city.id
        day = city.first_day if is_in else city.last_day
        train = log.detail("get_train", ride.train_ids[-1 if is_in else 0])
        at = train.get("to_position" if is_in else "from_position")
        is_short = measure_day(log.brief, city, day, rides) < SHORT_DAY_MIN
        if at and is_short and city.id in (leg.to_city, leg.from_city):
            yield _read_position(at)


def _measure(brief: Brief, city: BriefCity, a: Position | None, b: Position) -> Way:
    start = (b[0] + UNKNOWN_KM / KM_A_DEGREE, b[1]) if a is None else a
    return find_way(
        start, b, city.modes, Party(brief.travellers, brief.currency, brief.local_wishes)
    )


def _find_position(
    log: CallLog, city: BriefCity, row: Row, places: Sequence[Row]
) -> Position | None:
    """Where the hotel is; else where another one of its district is, or the district's places."""
    hotel = log.detail("get_hotel", row["id"])
    if hotel:
        return _read_position(hotel)
    others = [
        log.detail("get_hotel", other["id"])
        for other in log.list_rows("list_hotels", city=city.id)
        if other["area"] == row["area"]
    ]
    near = [other for other in others if other] or [p for p in places if p["area"] == row["area"]]
    if not near:
        return None
    return fmean(p["lat"] for p in near), fmean(p["lon"] for p in near)


def _read_position(row: Row) -> Position:
    return row["lat"], row["lon"]


@dataclass(frozen=True)
class Situation:
    """A conversation, read."""

    log: CallLog

    @property
    def brief(self) -> Brief:
        """The trip."""
        return self.log.brief

    @cached_property
    def draft(self) -> DraftView:
        """The draft as it stands."""
        return read_draft(self.log)

    @cached_property
    def rides(self) -> tuple[Ride, ...]:
        """The chosen rides whose times are known, by leg."""
        known = [ride for leg in self.brief.legs for ride in list_rides(self.log, leg)]
        chosen = set(self.draft.trains.items())
        return tuple(ride for ride in known if (ride.leg, ride.train_ids) in chosen)

    @cached_property
    def _wanted(self) -> dict[str, list[str]]:
        cities = self.brief.cities
        return {city.id: list_wanted(self.log, city, self.rides) for city in cities}

    @cached_property
    def _beds(self) -> dict[str, list[Choice]]:
        return {}

    @cached_property
    def wanted(self) -> tuple[str, ...]:
        """Places worth a visit, city by city, must-sees first."""
        return tuple(poi_id for city in self.brief.cities for poi_id in self.list_wanted(city))

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """The best places to eat, for meals that lie on the way."""
        cities = self.brief.cities
        return tuple(i for city in cities for i in list_tables(self.log, city))

    @property
    def over_budget(self) -> float:
        """How much more the plan costs than the budget allows; 0 where that is not known."""
        budget, total = self.brief.budget, self.draft.total
        return 0.0 if budget is None or total is None else max(0.0, total - budget)

    def may_afford(self, poi_id: str) -> bool:
        """Whether the place may be added to a plan that is over its budget: free, and not far.

        The traveller will have to raise the budget, but not for this.
        """
        must = any(poi_id == must_id for must_id, _ in self.brief.must_see)
        return must or self.over_budget == 0 or poi_id in self._free

    @cached_property
    def _free(self) -> set[str]:
        return {i for city in self.brief.cities for i in list_free(self.log, city)}

    def list_wanted(self, city: BriefCity) -> list[str]:
        """Places of one city worth a visit, most wanted first."""
        return self._wanted[city.id]

    def list_beds(self, city: BriefCity) -> list[Choice]:
        """The city's hotels as choices."""
        if city.id not in self._beds:
            wanted = self.list_wanted(city)
            self._beds[city.id] = list_beds(self.log, city, wanted, self.rides)
        return self._beds[city.id]


Phase = Callable[[Situation], list[ToolCall]]
"""The next calls of a phase; none where it has nothing (more) to do."""

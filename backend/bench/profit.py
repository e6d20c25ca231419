"""What the visits of a plan are worth, and more than any plan for the same pool could be worth.

The bound forgets ways, rest, hours within a day and the budget: each city's days are one sack of
minutes and of visits, filled with the best fractions of places.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from backend.clock import parse_minutes
from backend.planner.hours import read_hours
from backend.planner.moves import BOARDING_MIN
from backend.planner.pace import share_visits
from backend.pool.candidate import PoiCandidate
from backend.pool.snapshot import CityPool, LegPool, Snapshot

BASE_POINTS = 10.0
INTEREST_POINTS = 50.0
MUST_SEE_POINTS = 200.0
MEALS_A_DAY = 2
"""Food places that are eaten at take no visit of the pace."""

END_OF_TIME = 48 * 60


@dataclass(frozen=True)
class Item:
    """A place in the sack; `visits` is 0 for a must-see, which may exceed the pace."""

    points: float
    minutes: int
    visits: int


def rate_place(snapshot: Snapshot, poi: PoiCandidate) -> float:
    """Points: popularity up to 100, 50 for each interest that it serves, 200 for a must-see."""
    request = snapshot.request
    matched = len(set(poi.tags).intersection(request.interests))
    must = MUST_SEE_POINTS * (poi.id in request.must_see)
    return BASE_POINTS + float(poi.popularity or 0) + INTEREST_POINTS * matched + must


def rate_visits(snapshot: Snapshot, poi_ids: Iterable[str]) -> float:
    """Points of all places that are visited."""
    return sum(rate_place(snapshot, snapshot.rows.pois[poi_id]) for poi_id in set(poi_ids))


def bound_profit(snapshot: Snapshot) -> float:
    """No plan has more points."""
    return sum(_bound_city(snapshot, city, pool) for city, pool in snapshot.cities.items())


def _bound_city(snapshot: Snapshot, city: str, pool: CityPool) -> float:
    spans = [_find_span(snapshot, city, pool, date) for date in _list_dates(pool)]
    visits = sum(share_visits(snapshot.request, span) + MEALS_A_DAY for span in spans)
    items = [
        Item(rate_place(snapshot, poi), poi.duration_min, poi.id not in snapshot.request.must_see)
        for poi in map(snapshot.rows.pois.__getitem__, pool.pois)
        if _is_ever_open(snapshot, poi, pool)
    ]
    return bound_sack(items, sum(spans), visits)


def bound_sack(items: Sequence[Item], minutes: int, visits: int) -> float:
    """The most points of fractions of items: the limit on visits is priced, the price is tried out."""
    prices = {0.0, *(item.points for item in items)}
    return min(price * visits + _fill(items, minutes, price) for price in prices)


def _fill(items: Iterable[Item], minutes: int, price: float) -> float:
    worth = [(item.points - price * item.visits, item.minutes) for item in items]
    points, left = 0.0, float(minutes)
    for gain, length in sorted(worth, key=lambda w: w[0] / max(1, w[1]), reverse=True):
        if gain <= 0 or left <= 0:
            break
        share = min(1.0, left / max(1, length))
        points += gain * share
        left -= length * share
    return points


def _list_dates(pool: CityPool) -> list[dt.date]:
    return [pool.arrive + dt.timedelta(n) for n in range((pool.leave - pool.arrive).days + 1)]


def _is_ever_open(snapshot: Snapshot, poi: PoiCandidate, pool: CityPool) -> bool:
    dates = _list_dates(pool)
    return any(read_hours(snapshot, poi, date).list_starts(poi.duration_min) for date in dates)


def _find_span(snapshot: Snapshot, city: str, pool: CityPool, date: dt.date) -> int:
    """Minutes of a day in the city by its earliest train in and its latest train out."""
    first, last = (
        parse_minutes(text) for text in (snapshot.request.day_start, snapshot.request.day_end)
    )
    for leg in snapshot.legs:
        if leg.to_city == city and leg.date == date == pool.arrive:
            first = max(first, _find_arrival(snapshot, leg))
        if leg.from_city == city and leg.date == date == pool.leave:
            last = min(last, _find_departure(snapshot, leg))
    return max(0, last - first)


def _find_arrival(snapshot: Snapshot, leg: LegPool) -> int:
    """Minutes after midnight of the leg's date; a leg without direct trains may begin at any time."""
    rows = [snapshot.rows.trains[train] for train in leg.trains]
    return min((row.arrive_min for row in rows), default=0)


def _find_departure(snapshot: Snapshot, leg: LegPool) -> int:
    rows = [snapshot.rows.trains[train] for train in leg.trains]
    return max((row.depart_min - BOARDING_MIN for row in rows), default=END_OF_TIME)

"""The rules of the pool over rows in memory.

A pool is found in the catalogue by SQL (`city_search`, `train_queries`) with the same rules. Those
here check a stored pool again or cut it to other sizes (`rebuild`), explain why a place is not in
it (`why`), and give the answers that tests compare the SQL with. `city_search` takes two of them:
whether a place is closed throughout, and how far a number of stars is from the band.
"""

import datetime as dt
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Generic, NamedTuple, TypeVar

from backend.catalogue.opening_hours import is_open_on
from backend.catalogue.place_types import FOOD_TYPES
from backend.pool.candidate import HotelCandidate, PoiCandidate
from backend.pool.findings import (
    EXEMPT,
    CityAsk,
    HotelFindings,
    PlaceFindings,
    PlaceRank,
    PoolLimits,
    TrainFindings,
)
from backend.pool.snapshot import HOTEL_REJECTIONS, REJECTIONS, TRAIN_REJECTIONS
from backend.pool.stay import Departure, Leg
from backend.pool.wished import (
    HotelRank,
    is_of_kind,
    list_hotel_wishes,
    pick_of_kinds,
    rank_wished,
)
from backend.pool.wishes import SpendWish, list_exempt_hotels

T = TypeVar("T")
WISHED_HOTELS = 4
"""Hotels of a city that wishes bring into the pool."""

_MISSING = "rank", "spread"  # decided by sizes, when the findings become a pool


class Entry(NamedTuple, Generic[T]):
    """A row of the catalogue that may be switched off."""

    row: T
    enabled: bool = True
    is_synthetic: bool = False


def find_places(entries: Sequence[Entry[PoiCandidate]], ask: CityAsk) -> PlaceFindings:
    """Judge and rank all places of a city."""
    reasons = {entry.row.id: judge_place(entry, ask) for entry in entries}
    usable = [entry.row for entry in entries if reasons[entry.row.id] is None]
    ranks = {row.id: rank_place(row, ask.interests) for row in usable}
    must_see = {poi_id: reasons[poi_id] for poi_id in ask.must_see if poi_id in reasons}
    by_rank = sorted(usable, key=lambda row: ranks[row.id])
    must_see = dict.fromkeys(pick_of_kinds(by_rank, ask.wishes)) | must_see
    counted = [
        reason
        for poi_id, reason in reasons.items()
        if reason and not (poi_id in must_see and reason in EXEMPT)
    ]
    return PlaceFindings(
        ranking=tuple(_order_places(usable, ranks, ask.limits)),
        ranks=ranks,
        eligible=len(usable),
        must_see=must_see,
        rejected=_count(counted, REJECTIONS),
    )


def rank_place(row: PoiCandidate, interests: frozenset[str]) -> PlaceRank:
    """What a place is ranked by: interests, popularity, id."""
    return -count_matches(row, interests), -(row.popularity or 0), row.id


def _order_places(
    rows: Sequence[PoiCandidate], ranks: Mapping[str, PlaceRank], limits: PoolLimits
) -> list[str]:
    """Rule 6: what a city is known for, then by rank, then the food places that were too many."""
    sights = [row for row in rows if row.type not in FOOD_TYPES]
    by_popularity = sorted(sights, key=lambda row: (-(row.popularity or 0), row.id))
    known = [row.id for row in by_popularity[: limits.known_size]]
    food = {row.id for row in rows if row.type in FOOD_TYPES}
    others = sorted((row.id for row in rows if row.id not in known), key=lambda i: ranks[i])
    passed_over = [poi_id for poi_id in others if poi_id in food][limits.food_size :]
    return [*known, *(i for i in others if i not in passed_over), *passed_over]


def judge_place(entry: Entry[PoiCandidate], ask: CityAsk) -> str | None:
    """The first reason that rejects a place, must-see or not; None where it may be ranked."""
    row, limits = entry.row, ask.limits
    if not entry.enabled:
        return "disabled"
    if is_avoided(row.id, row.tags, ask.avoid) or _is_refused(row, ask):
        return "avoided"
    if entry.is_synthetic and not limits.allow_synthetic:
        return "synthetic"
    if limits.price_cap is not None and row.price is not None and row.price > limits.price_cap:
        return "price"
    if is_closed_throughout(row.opening_hours, row.closed_season, ask.stay.dates, ask.days_off):
        return "closed"
    return None


def _is_refused(row: PoiCandidate, ask: CityAsk) -> bool:
    return row.id not in ask.must_see and any(is_of_kind(row, wish) for wish in ask.refused)


def is_avoided(row_id: str, tags: Collection[str], avoid: Collection[str]) -> bool:
    """Whether the id or one of the tags is to be avoided."""
    return row_id in avoid or any(tag in avoid for tag in tags)


def is_closed_throughout(
    opening_hours: str,
    closed_season: str,
    dates: Collection[dt.date],
    days_off: Collection[dt.date],
) -> bool:
    """Whether a place is open on none of the dates."""
    return not any(is_open_on(opening_hours, closed_season, day, days_off) for day in dates)


def count_matches(row: PoiCandidate, interests: frozenset[str]) -> int:
    """Distinct interests among the tags of a place."""
    return len(interests.intersection(row.tags))


def find_hotels(entries: Sequence[Entry[HotelCandidate]], ask: CityAsk) -> HotelFindings:
    """Judge and rank all hotels of a city; none where no night is spent."""
    if ask.stay.nights == 0:
        passed_by = _count(["no_night"] * len(entries), HOTEL_REJECTIONS)
        return HotelFindings(ranking=(), eligible=0, is_widened=False, rejected=passed_by)
    reasons = [_judge_hotel(entry, ask) for entry in entries]
    usable = [entry.row for entry, why in zip(entries, reasons, strict=True) if why is None]
    distances = {
        row.id: measure_stars(row.stars, ask.limits.stars)
        for row in usable
        if row.stars is not None
    }
    nearest = min(distances.values(), default=None)
    fitting = [row for row in usable if row.id in distances and distances[row.id] == nearest]
    fitting.sort(key=rank_hotel)
    others = ["stars"] * (len(usable) - len(fitting))
    return let_in_wished(
        HotelFindings(
            ranking=tuple(row.id for row in fitting),
            eligible=len(fitting),
            is_widened=bool(nearest),
            rejected=_count([*others, *(why for why in reasons if why)], HOTEL_REJECTIONS),
        ),
        usable,
        {row.id for row in fitting},
        ask,
    )


def let_in_wished(
    found: HotelFindings,
    usable: Sequence[HotelCandidate],
    fitting: Collection[str],
    ask: CityAsk,
) -> HotelFindings:
    """The findings with the hotels that keep the wishes best, whatever their stars.

    `usable` are all that no rule but that of the stars keeps out.
    """
    wished = {row.id: row.id in fitting for row in pick_hotels(usable, ask)}
    out = sum(not fits for fits in wished.values())
    stars = found.rejected["stars"] - out
    return replace(found, wished=wished, rejected={**found.rejected, "stars": stars})


def pick_hotels(rows: Iterable[HotelCandidate], ask: CityAsk) -> list[HotelCandidate]:
    """Hotels named by a wish, those that keep all wishes best, and the cheapest where it matters."""
    rows = list(rows)
    named = list_exempt_hotels(ask.wishes)
    picked = [row for row in rows if row.id in named]
    if list_hotel_wishes(ask.wishes):

        def rank(row: HotelCandidate) -> tuple[HotelRank, int, HotelOrder]:
            stars = 9 if row.stars is None else measure_stars(row.stars, ask.limits.stars)
            return rank_wished(row, ask.wishes, ask.spots), stars, rank_hotel(row)

        picked += sorted(rows, key=rank)[:WISHED_HOTELS]
    if any(isinstance(wish, SpendWish) and wish.on == "hotels" for wish in ask.wishes):
        priced = [row for row in rows if row.price_per_night is not None and row.stars is not None]
        priced.sort(key=lambda row: (row.price_per_night, rank_hotel(row)))
        picked += [*priced[:1], *priced[-1:]]
    return list({row.id: row for row in picked}.values())


def _judge_hotel(entry: Entry[HotelCandidate], ask: CityAsk) -> str | None:
    if not entry.enabled:
        return "disabled"
    if entry.is_synthetic and not ask.limits.allow_synthetic:
        return "synthetic"
    return "avoided" if is_avoided(entry.row.id, entry.row.tags, ask.avoid) else None


def measure_stars(stars: int, band: Collection[int]) -> int:
    """How far a number of stars lies from the nearest one of the band; 0 inside."""
    return min(abs(stars - wanted) for wanted in band)


HotelOrder = tuple[float, bool, Decimal, str]


def rank_hotel(row: HotelCandidate) -> HotelOrder:
    """What a hotel is ranked by: rating, price, id."""
    price = row.price_per_night
    return -(row.rating or 0), price is None, price or Decimal(0), row.id


def find_trains(
    entries: Sequence[Entry[Departure]], leg: Leg, *, allow_synthetic: bool
) -> TrainFindings:
    """Judge all trains between the two cities of a leg."""
    running: list[Departure] = []
    reasons: list[str] = []
    for entry in entries:
        reason = judge_train(entry, leg.date, allow_synthetic=allow_synthetic)
        if reason:
            reasons.append(reason)
        else:
            running.append(entry.row)
    running.sort(key=lambda train: (train.depart, train.id))
    return TrainFindings(tuple(running), _count(reasons, TRAIN_REJECTIONS))


def judge_train(entry: Entry[Departure], date: dt.date, *, allow_synthetic: bool) -> str | None:
    """The first reason against a train on a date, or None."""
    if not entry.enabled:
        return "disabled"
    if entry.is_synthetic and not allow_synthetic:
        return "synthetic"
    return None if entry.row.runs_on(date) else "not_running"


def _count(reasons: Collection[str], names: Sequence[str]) -> dict[str, int]:
    counts = Counter(reasons)
    return {name: counts[name] for name in names if name not in _MISSING}

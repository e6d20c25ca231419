"""What the rules find in the cities of a trip, by the statements of `queries`."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from backend.db.session import Session
from backend.pool.findings import EXEMPT, CityAsk, HotelFindings, PlaceFindings
from backend.pool.queries import (
    HotelCount,
    JudgedPlace,
    PlaceCount,
    Wanted,
    count_hotels,
    count_places,
    judge_places,
    rank_hotels,
    rank_places,
)
from backend.pool.rules import is_closed_throughout, measure_stars
from backend.pool.snapshot import HOTEL_REJECTIONS, REJECTIONS

Asks = Mapping[str, CityAsk]


async def search_places(session: Session, asks: Asks, wanted: Wanted) -> dict[str, PlaceFindings]:
    """Places of each city, ranked as far as pool and reserve go."""
    counts = await count_places(session, list(asks), wanted)
    must_see = {poi_id for ask in asks.values() for poi_id in ask.must_see}
    judged = await judge_places(session, sorted(must_see), wanted)
    found = {}
    for city, ask in asks.items():
        closed = _find_closed([count for count in counts if count.city == city], ask)
        size = ask.limits.poi_size + ask.limits.reserve_size
        ranking = await rank_places(session, city, wanted, closed, size)
        found[city] = _sum_places(city, ask, ranking, counts, judged)
    return found


def _find_closed(counts: Iterable[PlaceCount], ask: CityAsk) -> set[int]:
    return {c.schedule for c in counts if c.schedule is not None and _is_closed(c, ask)}


def _is_closed(place: PlaceCount | JudgedPlace, ask: CityAsk) -> bool:
    hours, season = place.opening_hours or "", place.closed_season or ""
    return is_closed_throughout(hours, season, ask.stay.dates, ask.days_off)


def _reason(place: PlaceCount | JudgedPlace, ask: CityAsk) -> str | None:
    return place.reason or ("closed" if _is_closed(place, ask) else None)


def _sum_places(
    city: str,
    ask: CityAsk,
    ranking: tuple[str, ...],
    counts: Iterable[PlaceCount],
    judged: Iterable[JudgedPlace],
) -> PlaceFindings:
    reasons = {place.id: _reason(place, ask) for place in judged if place.city == city}
    must_see = {poi_id: reasons[poi_id] for poi_id in ask.must_see if poi_id in reasons}
    totals: Counter[str | None] = Counter()
    for count in counts:
        if count.city == city:
            totals[_reason(count, ask)] += count.total
    totals.subtract(reason for reason in must_see.values() if reason in EXEMPT)
    return PlaceFindings(
        ranking=ranking,
        eligible=totals[None],
        must_see=must_see,
        rejected={name: totals[name] for name in REJECTIONS if name != "rank"},
    )


async def search_hotels(session: Session, asks: Asks, wanted: Wanted) -> dict[str, HotelFindings]:
    """Hotels of each city where a night is spent, ranked as far as the pool goes."""
    counts = await count_hotels(session, list(asks), wanted)
    found = {}
    for city, ask in asks.items():
        here = [count for count in counts if count.city == city]
        stars, is_widened = _choose_stars(here, ask)
        ranking: tuple[str, ...] = ()
        if stars:
            size = ask.limits.hotel_size
            ranking = await rank_hotels(session, city, wanted, stars, size)
        found[city] = _sum_hotels(ask, ranking, here, stars, is_widened=is_widened)
    return found


def _choose_stars(counts: Sequence[HotelCount], ask: CityAsk) -> tuple[set[int], bool]:
    """The numbers of stars that fit: those nearest to the band; and whether none lies in it."""
    if ask.stay.nights == 0:
        return set(), False
    usable = {c.stars for c in counts if c.reason is None and c.stars is not None}
    distances = {stars: measure_stars(stars, ask.limits.stars) for stars in usable}
    nearest = min(distances.values(), default=0)
    return {stars for stars in usable if distances[stars] == nearest}, nearest > 0


def _sum_hotels(
    ask: CityAsk,
    ranking: tuple[str, ...],
    counts: Iterable[HotelCount],
    stars: set[int],
    *,
    is_widened: bool,
) -> HotelFindings:
    totals: Counter[str | None] = Counter()
    for count in counts:
        fits = None if count.stars in stars else "stars"
        reason = count.reason or fits
        totals["no_night" if ask.stay.nights == 0 else reason] += count.total
    return HotelFindings(
        ranking=ranking,
        eligible=totals[None],
        is_widened=is_widened,
        rejected={name: totals[name] for name in HOTEL_REJECTIONS if name != "rank"},
    )

"""What the rules find in one city, by the statements of `queries`."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from backend.db.session import Session
from backend.pool.candidate import PoiCandidate
from backend.pool.findings import EXEMPT, CityAsk, HotelFindings, PlaceFindings
from backend.pool.queries import (
    HotelCount,
    PlaceCount,
    Wanted,
    bind_ranking,
    count_hotels,
    count_places,
    rank_hotels,
)
from backend.pool.row_queries import rank_places
from backend.pool.rules import is_closed_throughout, measure_stars, rank_place
from backend.pool.snapshot import HOTEL_REJECTIONS, REJECTIONS

Judged = tuple[PlaceCount, str | None]


async def search_places(
    session: Session, ask: CityAsk, wanted: Wanted
) -> tuple[PlaceFindings, dict[str, PoiCandidate]]:
    """Places of a city, ranked as far as pool and reserve go, and the rows of the ranking."""
    city, limits = ask.stay.city, ask.limits
    judged = judge_counts(await count_places(session, city, wanted, ask.must_see), ask)
    binds = bind_ranking(city, wanted, find_closed(judged), limits)
    rows = await rank_places(session, binds)
    return _sum_places(ask, rows, judged), rows


def judge_counts(counts: Iterable[PlaceCount], ask: CityAsk) -> list[Judged]:
    """Each count with its first reason, `closed` among them."""
    return [(count, count.reason or _find_closed_reason(count, ask)) for count in counts]


def find_closed(judged: Iterable[Judged]) -> set[int]:
    """Ids of the schedules in use that have no open day during the stay."""
    return {c.schedule for c, reason in judged if c.schedule is not None and reason == "closed"}


def _find_closed_reason(count: PlaceCount, ask: CityAsk) -> str | None:
    dates, days_off = ask.stay.dates, ask.days_off
    closed = is_closed_throughout(count.opening_hours, count.closed_season, dates, days_off)
    return "closed" if closed else None


def _sum_places(
    ask: CityAsk, rows: Mapping[str, PoiCandidate], judged: Iterable[Judged]
) -> PlaceFindings:
    totals: Counter[str | None] = Counter()
    reasons: dict[str, str | None] = {}
    for count, reason in judged:
        totals[reason] += count.total
        if count.must_see is not None:
            reasons[count.must_see] = reason
    must_see = {poi_id: reasons[poi_id] for poi_id in ask.must_see if poi_id in reasons}
    totals.subtract(reason for reason in must_see.values() if reason in EXEMPT)
    return PlaceFindings(
        ranking=tuple(rows),
        ranks={row.id: rank_place(row, ask.interests) for row in rows.values()},
        eligible=totals[None],
        must_see=must_see,
        rejected={name: totals[name] for name in REJECTIONS if name != "rank"},
    )


async def search_hotels(session: Session, ask: CityAsk, wanted: Wanted) -> HotelFindings:
    """Hotels of a city where a night is spent, ranked as far as the pool goes."""
    city = ask.stay.city
    counts = await count_hotels(session, city, wanted)
    stars, is_widened = choose_stars(counts, ask)
    ranking: tuple[str, ...] = ()
    if stars:
        ranking = await rank_hotels(session, city, wanted, stars, ask.limits.hotel_size)
    totals = _sum_hotels(ask, counts, stars)
    return HotelFindings(
        ranking=ranking,
        eligible=totals[None],
        is_widened=is_widened,
        rejected={name: totals[name] for name in HOTEL_REJECTIONS if name != "rank"},
    )


def choose_stars(counts: Sequence[HotelCount], ask: CityAsk) -> tuple[set[int], bool]:
    """The numbers of stars that fit: those nearest to the band; and whether none lies in it."""
    if ask.stay.nights == 0:
        return set(), False
    usable = {c.stars for c in counts if c.reason is None and c.stars is not None}
    distances = {stars: measure_stars(stars, ask.limits.stars) for stars in usable}
    nearest = min(distances.values(), default=0)
    return {stars for stars in usable if distances[stars] == nearest}, nearest > 0


def _sum_hotels(ask: CityAsk, counts: Iterable[HotelCount], stars: set[int]) -> Counter[str | None]:
    totals: Counter[str | None] = Counter()
    for count in counts:
        fits = None if count.stars in stars else "stars"
        reason = "no_night" if ask.stay.nights == 0 else count.reason or fits
        totals[reason] += count.total
    return totals

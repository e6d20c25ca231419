"""What the rules find in one city, by the statements of `queries`.

Full rows of what is in a pool and its reserve, and of what the run needs around them.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import (
    ARRAY,
    BindParameter,
    Engine,
    Executable,
    Select,
    Text,
    any_,
    bindparam,
    func,
    select,
)

from backend.catalogue.queries import read_state
from backend.catalogue.tables import City, Fare, Hotel, Place, Schedule, Station, Tag, Train
from backend.clock import format_minutes
from backend.db.session import Session
from backend.pool.candidate import (
    CityRow,
    HotelCandidate,
    PoiCandidate,
    StationRow,
    TagRow,
    TrainCandidate,
)
from backend.pool.fares import FareRule, has_ages
from backend.pool.findings import EXEMPT, CityAsk, HotelFindings, PlaceFindings
from backend.pool.plan_request import PlanRequest
from backend.pool.queries import (
    HOTEL_RULES,
    RANK_PLACES,
    RANK_UNREFUSED_PLACES,
    HotelCount,
    PlaceCount,
    Wanted,
    bind_ranking,
    count_hotels,
    count_places,
    find_of_kind,
    passes,
    rank_hotels,
)
from backend.pool.rules import is_closed_throughout, let_in_wished, measure_stars, rank_place
from backend.pool.snapshot import HOTEL_REJECTIONS, REJECTIONS, CatalogueCounts, Kind
from backend.pool.wished import Spots, has_hotel_wishes, list_wanted_kinds
from backend.pool.wishes import HotelWish, Wish, list_exempt_hotels

# Columns of tables, not attributes of classes: the ORM's loading would cost as much as a scan.
_place, _hotel, _train = Place.__table__.c, Hotel.__table__.c, Train.__table__.c
_schedule = Schedule.__table__.c

_PLACE = select(
    _place.id,
    _place.city_id.label("city"),
    _place.name,
    _place.name_en,
    _place.type,
    _place.area,
    _place.price,
    _place.duration_min,
    _place.popularity,
    _place.tags,
    _place.lat,
    _place.lon,
    _schedule.opening_hours,
    _place.last_entry,
    _schedule.closed_season,
    _place.intro,
    _place.source,
    _place.booking,
    _place.book_days_ahead,
    _place.as_of,
    _place.part_of,
    _place.best_time,
    _place.halls_hours,
    _place.reach_mode,
    _place.reach_minutes,
    _place.reach_fare,
    _place.wheelchair,
    _place.cuisine,
).join_from(Place.__table__, Schedule.__table__)
_HOTEL = select(
    _hotel.id,
    _hotel.city_id.label("city"),
    _hotel.name,
    _hotel.name_en,
    _hotel.stars,
    _hotel.price_per_night,
    _hotel.area,
    _hotel.lat,
    _hotel.lon,
    _hotel.rating,
    _hotel.tags,
    _hotel.intro,
    _hotel.source,
    _hotel.check_in,
    _hotel.check_out,
    _hotel.as_of,
    _hotel.beds,
    _hotel.brand,
)
_TRAIN = select(
    _train.id,
    _train.number,
    _train.from_city_id.label("from_city"),
    _train.from_station,
    _train.to_city_id.label("to_city"),
    _train.to_station,
    _train.depart_min,
    _train.arrive_min,
    _train.day_offset,
    _train.price,
    _train.runs_on,
    _train.source,
    _train.as_of,
)


_IDS: BindParameter[Any] = bindparam("ids", type_=ARRAY(Text))
_PLACES = _PLACE.where(_place.id == any_(_IDS))
_HOTELS = _HOTEL.where(_hotel.id == any_(_IDS))
_TRAINS = _TRAIN.where(_train.id == any_(_IDS))


_USABLE_HOTELS = _HOTEL.where(
    _hotel.city_id == bindparam("city", type_=Text), passes(HOTEL_RULES)
).order_by(_hotel.id)
_CITIES = select(*City.__table__.c).where(City.__table__.c.id == any_(_IDS))


def _with_rows(ranking: Select[Any]) -> Select[Any]:
    found = ranking.subquery()
    return _PLACE.join(found, found.c.id == _place.id).order_by(found.c.position)


_RANKED, _RANKED_UNREFUSED = _with_rows(RANK_PLACES), _with_rows(RANK_UNREFUSED_PLACES)


async def rank_places(
    session: Session, binds: Mapping[str, Any], *, with_refused: bool = False
) -> dict[str, PoiCandidate]:
    """The first places of a city, in the order in which they get into a pool."""
    rows = await _read(session, _RANKED_UNREFUSED if with_refused else _RANKED, binds)
    return {row["id"]: PoiCandidate(**row) for row in rows}


async def read_places(session: Session, ids: Sequence[str]) -> dict[str, PoiCandidate]:
    """Places by id."""
    rows = await _read(session, _PLACES, {"ids": ids})
    return {row["id"]: PoiCandidate(**row) for row in rows}


async def read_hotels(session: Session, ids: Sequence[str]) -> dict[str, HotelCandidate]:
    """Hotels by id."""
    rows = await _read(session, _HOTELS, {"ids": ids})
    return {row["id"]: HotelCandidate(**row) for row in rows}


async def read_trains(session: Session, ids: Sequence[str]) -> dict[str, TrainCandidate]:
    """Trains by id."""
    rows = await _read(session, _TRAINS, {"ids": ids})
    for row in rows:
        row["depart"] = format_minutes(row.pop("depart_min"))
        row["arrive"] = format_minutes(row.pop("arrive_min"))
    return {row["id"]: TrainCandidate(**row) for row in rows}


async def _read(
    session: Session, query: Executable, binds: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Rows by column; zipped here, as a mapping for each row takes twice the time."""
    result = await session.execute(query, binds)
    names = tuple(result.keys())
    return [dict(zip(names, row, strict=True)) for row in result]


async def read_city_rows(session: Session, ids: Collection[str]) -> dict[str, CityRow]:
    """Cities by id."""
    rows = await _read(session, _CITIES, {"ids": sorted(ids)})
    return {row["id"]: CityRow(**row) for row in rows}


async def read_stations(session: Session, cities: Collection[str]) -> tuple[StationRow, ...]:
    """Stations of some cities, by city and name."""
    columns = select(Station.city_id.label("city"), Station.name, Station.lat, Station.lon)
    chosen = columns.where(Station.city_id.in_(sorted(cities)))
    rows = (await session.execute(chosen.order_by(Station.city_id, Station.name))).mappings()
    return tuple(StationRow(**row) for row in rows)


async def read_fares(
    session: Session, request: PlanRequest, cities: Iterable[CityRow]
) -> tuple[FareRule, ...]:
    """Fares by age in the countries of the trip; none where the party is of adults alone."""
    if not has_ages(request):
        return ()
    columns = select(Fare.country, Fare.kind, Fare.who, Fare.age_from, Fare.age_to, Fare.share)
    here = Fare.country.in_(sorted({city.country for city in cities}))
    chosen = columns.where(here, Fare.who != "student")  # nobody of a request is known as one
    order = chosen.order_by(Fare.country, Fare.kind, Fare.age_from, Fare.who)
    return tuple(FareRule(**row) for row in (await session.execute(order)).mappings())


async def read_tag_rows(session: Session, ids: Collection[str]) -> tuple[TagRow, ...]:
    """Words of the vocabulary, by id."""
    columns = select(Tag.id, Tag.name, Tag.name_en).where(Tag.id.in_(sorted(ids)))
    rows = (await session.execute(columns.order_by(Tag.id))).mappings()
    return tuple(TagRow(**row) for row in rows)


async def read_catalogue(session: Session) -> tuple[CatalogueCounts, str]:
    """The catalogue's version and numbers of rows, and its currency.

    Rows are counted once a version: in a large catalogue that takes longer than the pool.
    """
    state = await read_state(session)
    engine = session.get_bind().engine
    known = _counted.get(engine)
    if known is None or known.version != state.version:
        known = CatalogueCounts(version=state.version, rows=await _count_rows(session))
        _counted[engine] = known
    return known, state.currency


_counted: WeakKeyDictionary[Engine, CatalogueCounts] = WeakKeyDictionary()


async def _count_rows(session: Session) -> dict[Kind, int]:
    counts = [
        select(func.count()).select_from(table).scalar_subquery().label(kind)
        for kind, table in (("poi", Place), ("hotel", Hotel), ("train", Train))
    ]
    row = (await session.execute(select(*counts))).one()
    return {"poi": row.poi, "hotel": row.hotel, "train": row.train}


Judged = tuple[PlaceCount, str | None]


async def search_places(
    session: Session, ask: CityAsk, wanted: Wanted
) -> tuple[PlaceFindings, dict[str, PoiCandidate]]:
    """Places of a city, ranked as far as pool and reserve go, and the rows of the ranking."""
    city, limits = ask.stay.city, ask.limits
    judged = judge_counts(await count_places(session, city, wanted, ask.must_see), ask)
    binds = bind_ranking(city, wanted, find_closed(judged), limits)
    rows = await rank_places(session, binds, with_refused=bool(wanted.refused))
    found = _sum_places(ask, rows, judged)
    wished = [
        poi_id
        for wish in list_wanted_kinds(ask.wishes)
        for poi_id in await find_of_kind(session, binds, wish, wanted)
    ]
    return replace(found, must_see=dict.fromkeys(wished) | found.must_see), rows


async def read_spots(session: Session, wishes: Sequence[Wish], cities: Collection[str]) -> Spots:
    """Where the places, stations and hotels are that wishes for hotels name."""
    hotel_wishes = [wish for wish in wishes if isinstance(wish, HotelWish)]
    if not hotel_wishes:
        return {}
    places = [place for wish in hotel_wishes for place in wish.places]
    rows: list[PoiCandidate | HotelCandidate]
    rows = [*(await read_places(session, places)).values()]
    rows += (await read_hotels(session, list_exempt_hotels(wishes))).values()
    stations = await read_stations(session, cities)
    return {
        **{row.id: (row.city, row.position) for row in rows},
        **{f"{s.city}/{s.name}": (s.city, (s.lat, s.lon)) for s in stations},
    }


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
    found = HotelFindings(
        ranking=ranking,
        eligible=totals[None],
        is_widened=is_widened,
        rejected={name: totals[name] for name in HOTEL_REJECTIONS if name != "rank"},
    )
    if ask.stay.nights == 0 or not has_hotel_wishes(ask.wishes):
        return found
    usable = await _read_usable(session, city, wanted)
    return let_in_wished(found, usable, {row.id for row in usable if row.stars in stars}, ask)


async def _read_usable(session: Session, city: str, wanted: Wanted) -> list[HotelCandidate]:
    """All hotels of a city that no rule keeps out but that of the stars."""
    rows = await _read(session, _USABLE_HOTELS, wanted.binds | {"city": city})
    return [HotelCandidate(**row) for row in rows]


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

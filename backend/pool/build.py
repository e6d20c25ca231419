"""Cuts what was found into a pool of the sizes asked for, and puts a snapshot together; pure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from backend.params.registry import ParamValue
from backend.pool.candidate import CityRow, StationRow, TagRow
from backend.pool.departure import Zones, measure_journey
from backend.pool.findings import EXEMPT, HotelFindings, PlaceFindings, TrainFindings
from backend.pool.limits import MAX_LEG_TRAINS, PoolLimits
from backend.pool.plan_request import PlanRequest
from backend.pool.pool_warnings import find_warnings
from backend.pool.snapshot import (
    CatalogueCounts,
    CityPool,
    Connection,
    LegPool,
    Snapshot,
    SnapshotRows,
)
from backend.pool.stay import Leg, Stay
from backend.pool.train_spread import Choice, spread_trains
from backend.pool.trip_calendar import TripCalendar


@dataclass(frozen=True)
class Frame:
    """What stands around the candidates."""

    currency: str
    city_rows: dict[str, CityRow]
    stations: tuple[StationRow, ...]
    tags: tuple[TagRow, ...]
    calendar: TripCalendar
    catalogue: CatalogueCounts


def cut_city(
    stay: Stay, places: PlaceFindings, hotels: HotelFindings, limits: PoolLimits
) -> CityPool:
    """The pool of one city. Places counted = in the pool + rejected, must-sees among them."""
    ranked = sorted(places.ranking[: limits.poi_size], key=lambda poi_id: places.ranks[poi_id])
    added = [
        poi_id
        for poi_id, reason in places.must_see.items()
        if reason in EXEMPT or (reason is None and poi_id not in ranked)
    ]
    exempt_from_rank = sum(places.must_see[poi_id] is None for poi_id in added)
    rank = places.eligible - len(ranked) - exempt_from_rank
    chosen = hotels.ranking[: limits.hotel_size]
    return CityPool(
        arrive=stay.arrive,
        leave=stay.leave,
        nights=stay.nights,
        pois=(*ranked, *added),
        must_see_added=tuple(added),
        rejected={**places.rejected, "rank": rank},
        reserve=places.ranking[limits.poi_size : limits.poi_size + limits.reserve_size],
        hotels=chosen,
        hotels_widened=hotels.is_widened,
        hotels_rejected={**hotels.rejected, "rank": hotels.eligible - len(chosen)},
    )


def cut_leg(
    leg: Leg,
    trains: TrainFindings,
    connections: Sequence[Connection],
    limits: PoolLimits,
    zones: Zones,
) -> LegPool:
    """The pool of one leg; the reserve fills up to 200 trains, earliest first."""
    chosen = spread_trains(
        [
            Choice(train.id, train.depart, measure_journey(train, leg.date, zones), train.price)
            for train in trains.running
        ],
        limits.train_size,
    )
    others = [train.id for train in trains.running if train.id not in chosen]
    return LegPool(
        from_city=leg.from_city,
        to_city=leg.to_city,
        date=leg.date,
        trains=tuple(chosen),
        direct=bool(trains.running),
        connections=tuple(connections),
        reserve=tuple(others[: MAX_LEG_TRAINS - len(chosen)]),
        rejected={**trains.rejected, "spread": len(others)},
    )


def list_candidates(
    cities: Iterable[CityPool], legs: Iterable[LegPool]
) -> tuple[list[str], list[str], list[str]]:
    """Ids of all places, hotels and trains that a snapshot keeps in full, sorted."""
    cities, legs = list(cities), list(legs)
    pois = {poi for city in cities for poi in (*city.pois, *city.reserve)}
    hotels = {hotel for city in cities for hotel in city.hotels}
    trains = {train for leg in legs for train in (*leg.trains, *leg.reserve)}
    trains.update(t for leg in legs for c in leg.connections for t in c.trains)
    return sorted(pois), sorted(hotels), sorted(trains)


def list_tags(request: PlanRequest, rows: SnapshotRows) -> frozenset[str]:
    """Words that the request or a candidate uses."""
    used = {tag for row in rows.pois.values() for tag in row.tags}
    used.update(tag for row in rows.hotels.values() for tag in row.tags)
    return frozenset(used.union(request.interests, request.avoid))


def put_together(
    request: PlanRequest,
    params: Mapping[str, ParamValue],
    cities: dict[str, CityPool],
    legs: Sequence[LegPool],
    rows: SnapshotRows,
    frame: Frame,
) -> Snapshot:
    """The snapshot, not sealed yet."""
    return Snapshot(
        request=request,
        params=dict(params),
        currency=frame.currency,
        cities=cities,
        legs=tuple(legs),
        warnings=find_warnings(request, cities, legs, rows, frame.calendar),
        rows=rows,
        city_rows=frame.city_rows,
        stations=frame.stations,
        tags=frame.tags,
        days_off=frame.calendar.by_country,
        catalogue=frame.catalogue,
    )

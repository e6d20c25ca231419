"""Builds the pool of a request from the catalogue, by rules alone, and freezes it in a snapshot."""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from backend.catalogue.queries import read_state
from backend.db.session import Session
from backend.errors import UnavailableError
from backend.params.registry import ParamValue, snapshot_values
from backend.pool.build import Frame, cut_city, cut_leg, list_candidates, list_tags, put_together
from backend.pool.candidate import CityRow, PoiCandidate
from backend.pool.city_search import (
    read_catalogue,
    read_city_rows,
    read_fares,
    read_hotels,
    read_places,
    read_spots,
    read_stations,
    read_tag_rows,
    read_trains,
    search_hotels,
    search_places,
)
from backend.pool.findings import (
    PoolLimits,
    TrainFindings,
    ask_city,
    list_let_in,
    read_limits,
)
from backend.pool.plan_request import PlanRequest
from backend.pool.queries import Wanted, read_wanted
from backend.pool.snapshot import (
    TRAIN_REJECTIONS,
    CityPool,
    Connection,
    LegPool,
    Snapshot,
    SnapshotRows,
)
from backend.pool.stay import (
    Leg,
    TripCalendar,
    find_connections,
    plan_legs,
    plan_stays,
    read_calendar,
    read_zones,
)
from backend.pool.train_queries import count_trains, find_changing, find_running
from backend.pool.wished import list_leg_wishes, list_refused

_TRIES = 5


@dataclass(frozen=True)
class _Trip:
    """What all statements of one pool are about."""

    request: PlanRequest
    limits: PoolLimits
    wanted: Wanted
    cities: Mapping[str, CityRow]
    calendar: TripCalendar


def _find_day(trip: _Trip, asked_at: dt.datetime | None) -> dt.date | None:
    """The date in the first city; None where the trip has begun by then, and was booked before."""
    if asked_at is None:
        return None
    zone = ZoneInfo(trip.cities[trip.request.destinations[0].city].timezone)
    asked_on = asked_at.astimezone(zone).date()
    return asked_on if asked_on <= trip.request.start_date else None


class CandidatePoolService:
    """Builds pools: only what is in one can be in an itinerary."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def build(
        self,
        request: PlanRequest,
        params: Mapping[str, ParamValue],
        *,
        is_sealed: bool = True,
        asked_at: dt.datetime | None = None,
    ) -> Snapshot:
        """The sealed snapshot of a resolved request (ids for names, nights and rooms filled in).

        A snapshot that is not stored needs no seal, and sealing is a good part of the work. With
        `asked_at` reservations are judged by that date.

        All statements must see one state of the catalogue, but others may write between them. So the
        version is compared at the end, and the pool is built again if it has changed.
        """
        for _ in range(_TRIES):
            catalogue, currency = await read_catalogue(self._session)
            trip = await self._read_trip(request, params)
            cities, ranked = await self._search_cities(trip)
            legs, vias = await self._search_legs(trip)
            rows = await self._read_rows(cities, legs, ranked)
            visited = {**trip.cities, **vias}
            frame = Frame(
                currency=currency,
                city_rows=visited,
                stations=await read_stations(self._session, visited),
                tags=await read_tag_rows(self._session, list_tags(request, rows)),
                calendar=trip.calendar,
                catalogue=catalogue,
                fares=await read_fares(self._session, request, visited.values()),
                asked_on=_find_day(trip, asked_at),
            )
            if (await read_state(self._session)).version == catalogue.version:
                kept = snapshot_values(params)
                pool = put_together(request, kept, cities, legs, rows, frame)
                return pool.sealed() if is_sealed else pool
        raise UnavailableError("the catalogue is being changed all the time; try again later")

    async def _read_trip(self, request: PlanRequest, params: Mapping[str, ParamValue]) -> _Trip:
        limits = read_limits(params, request.budget_tier)
        ends = {destination.city for destination in request.destinations}
        cities = await read_city_rows(self._session, ends | ({request.origin or ""} - {""}))
        wanted = await read_wanted(
            self._session,
            request.interests,
            request.avoid,
            limits.price_cap,
            with_synthetic=limits.allow_synthetic,
        )
        refused = list_refused(request.wishes)
        wanted = replace(wanted, refused=refused, let_in=list_let_in(request))
        calendar = read_calendar(request, plan_stays(request), cities)
        return _Trip(request, limits, wanted, cities, calendar)

    async def _search_cities(
        self, trip: _Trip
    ) -> tuple[dict[str, CityPool], dict[str, PoiCandidate]]:
        pools, ranked = {}, {}
        spots = await read_spots(self._session, trip.request.wishes, trip.cities)
        for stay in plan_stays(trip.request):
            days_off = trip.calendar.days_off_in(stay.city)
            ask = ask_city(trip.request, stay, days_off, trip.limits, spots)
            places, rows = await search_places(self._session, ask, trip.wanted)
            hotels = await search_hotels(self._session, ask, trip.wanted)
            pools[stay.city] = cut_city(stay, places, hotels, trip.limits)
            ranked.update(rows)
        return pools, ranked

    async def _search_legs(self, trip: _Trip) -> tuple[list[LegPool], dict[str, CityRow]]:
        """The legs, and the cities where trains are changed."""
        legs = plan_legs(trip.request)
        counts = await count_trains(self._session, legs, trip.wanted)
        running = await find_running(self._session, legs, trip.wanted)
        pools: list[LegPool] = []
        between: dict[str, CityRow] = {}
        for n, leg in enumerate(legs):
            rejected = {reason: count for at, reason, count in counts if at == n and reason}
            found = TrainFindings(
                tuple(running[n]),
                {why: rejected.get(why, 0) for why in TRAIN_REJECTIONS if why != "spread"},
            )
            connections = [] if running[n] else await self._connect(leg, trip, between)
            wishes = list_leg_wishes(trip.request, [leg[:2] for leg in legs], n)
            zones = read_zones(trip.cities)
            pools.append(cut_leg(leg, found, connections, trip.limits, zones, wishes))
        # Only those that are left: a wish for flights leaves no connection by train.
        vias = {connection.via for pool in pools for connection in pool.connections}
        return pools, {via: between[via] for via in sorted(vias)}

    async def _connect(self, leg: Leg, trip: _Trip, known: dict[str, CityRow]) -> list[Connection]:
        trains = await find_changing(self._session, leg, trip.wanted)
        between = {city for train in trains for city in (train.from_city, train.to_city)}
        cities = await read_city_rows(self._session, between)
        connections = find_connections(leg, trains, read_zones(cities))
        known.update({connection.via: cities[connection.via] for connection in connections})
        return connections

    async def _read_rows(
        self,
        cities: Mapping[str, CityPool],
        legs: Sequence[LegPool],
        ranked: Mapping[str, PoiCandidate],
    ) -> SnapshotRows:
        pois, hotels, trains = list_candidates(cities.values(), legs)
        others = [poi for poi in pois if poi not in ranked]
        return SnapshotRows(
            pois={**ranked, **(await read_places(self._session, others) if others else {})},
            hotels=await read_hotels(self._session, hotels),
            trains=await read_trains(self._session, trains),
        )

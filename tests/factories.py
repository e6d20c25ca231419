"""Snapshots for tests, without a database; stays and legs follow the request as section 2 says.

`make_snapshot()` is three days in Beijing from Shanghai. Give `destinations=("beijing", "xian")`
or any other field of the request by name; give `pois`, `hotels`, `trains` to replace the rows.
"""

import datetime as dt
import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from backend.catalogue.opening_hours import list_days_off
from backend.params.registry import default_values, snapshot_values
from backend.pool.candidate import HotelCandidate, PoiCandidate, TrainCandidate
from backend.pool.plan_request import PlanRequest, count_rooms, share_nights
from backend.pool.snapshot import (
    REJECTIONS,
    CatalogueCounts,
    CityPool,
    Connection,
    LegPool,
    Snapshot,
    SnapshotRows,
)
from tests.row_makers import CITIES, STATIONS, TAGS, make_hotel, make_poi, make_train
from tests.sample_rows import BEIJING_POIS, HOTELS, TRAINS, XIAN_POIS

__all__ = ["START_DATE", "make_hotel", "make_poi", "make_request", "make_snapshot", "make_train"]

START_DATE = dt.date(2026, 10, 13)
"""A Tuesday without days off around it."""


def make_request(destinations: Sequence[str] = ("beijing",), **changes: Any) -> PlanRequest:
    """A resolved request: nights and rooms filled in; 2 travellers from Shanghai, 3 days."""
    days = changes.get("days", 3)
    travellers = changes.get("travellers", 2)
    nights = changes.pop("nights", None) or share_nights(days, len(destinations))
    body: dict[str, Any] = {
        "origin": "shanghai",
        "destinations": [
            {"city": city, "nights": n} for city, n in zip(destinations, nights, strict=True)
        ],
        "start_date": START_DATE,
        "days": days,
        "travellers": travellers,
        "rooms": count_rooms(travellers, changes.get("children", ())),
        "budget_tier": "comfort",
        "locale": "en",
    }
    return PlanRequest.model_validate({**body, **changes})


def make_snapshot(
    destinations: Sequence[str] = ("beijing",),
    *,
    pois: Iterable[PoiCandidate] = (*BEIJING_POIS, *XIAN_POIS),
    hotels: Iterable[HotelCandidate] = HOTELS,
    trains: Iterable[TrainCandidate] = TRAINS,
    connections: Iterable[tuple[str, str]] = (),
    **request: Any,
) -> Snapshot:
    """A sealed snapshot of all given rows that fit the request; nothing is ranked or cut.

    `connections` are pairs of train ids, offered on the leg from the first's start to the
    second's end when no given train goes direct.
    """
    wanted = make_request(destinations, **request)
    rows = SnapshotRows(
        pois={poi.id: poi for poi in pois if poi.city in destinations},
        hotels={hotel.id: hotel for hotel in hotels if hotel.city in destinations},
        trains={train.id: train for train in trains},
    )
    days_off, _ = list_days_off(
        "CN", wanted.start_date - dt.timedelta(1), wanted.last_date + dt.timedelta(2)
    )
    pairs = tuple(connections)
    return Snapshot(
        request=wanted,
        params=snapshot_values(default_values()),
        currency="CNY",
        cities=_make_city_pools(wanted, rows),
        legs=tuple(_make_leg(ends, rows, pairs) for ends in _list_leg_ends(wanted)),
        warnings=(),
        rows=rows,
        city_rows={city.id: city for city in CITIES},
        stations=STATIONS,
        tags=TAGS,
        days_off={"CN": tuple(days_off)},
        catalogue=CatalogueCounts(
            version=1,
            rows={"poi": len(rows.pois), "hotel": len(rows.hotels), "train": len(rows.trains)},
        ),
    ).sealed()


def _list_stay_dates(request: PlanRequest) -> list[tuple[str, dt.date, dt.date]]:
    stays = []
    day = request.start_date
    for destination in request.destinations:
        leave = day + dt.timedelta(destination.nights or 0)
        stays.append((destination.city, day, leave))
        day = leave
    return stays


def _make_city_pools(request: PlanRequest, rows: SnapshotRows) -> dict[str, CityPool]:
    return {
        city: CityPool(
            arrive=arrive,
            leave=leave,
            nights=(leave - arrive).days,
            pois=tuple(poi.id for poi in rows.pois.values() if poi.city == city),
            must_see_added=(),
            rejected=dict.fromkeys(REJECTIONS, 0),
            reserve=(),
            hotels=tuple(h.id for h in rows.hotels.values() if h.city == city and leave > arrive),
            hotels_widened=False,
            hotels_rejected={},
        )
        for city, arrive, leave in _list_stay_dates(request)
    }


def _list_leg_ends(request: PlanRequest) -> list[tuple[str, str, dt.date]]:
    stays = _list_stay_dates(request)
    legs = [(a[0], b[0], b[1]) for a, b in itertools.pairwise(stays)]
    first, last = stays[0][0], stays[-1][0]
    if request.origin is not None and request.origin != first and request.arrival is None:
        legs.insert(0, (request.origin, first, request.start_date))
    if request.origin is not None and request.origin != last and request.departure is None:
        legs.append((last, request.origin, request.last_date))
    return legs


def _make_leg(
    ends: tuple[str, str, dt.date], rows: SnapshotRows, pairs: Sequence[tuple[str, str]]
) -> LegPool:
    start, end, date = ends
    direct = sorted(
        (t for t in rows.trains.values() if (t.from_city, t.to_city) == (start, end)),
        key=lambda t: (t.depart, t.id),
    )
    offered = () if direct else _make_connections(ends, rows, pairs)
    return LegPool(
        from_city=start,
        to_city=end,
        date=date,
        trains=tuple(train.id for train in direct),
        direct=bool(direct),
        connections=offered,
        reserve=(),
        rejected={},
    )


def _make_connections(
    ends: tuple[str, str, dt.date], rows: SnapshotRows, pairs: Sequence[tuple[str, str]]
) -> tuple[Connection, ...]:
    """Connections whose second train is the first that leaves after the other has arrived."""
    zone = dt.timezone(dt.timedelta(hours=8))
    midnight = dt.datetime.combine(ends[2], dt.time(), zone)
    found = []
    for first, second in ((rows.trains[a], rows.trains[b]) for a, b in pairs):
        if (first.from_city, second.to_city) != ends[:2]:
            continue
        price = None
        if first.price is not None and second.price is not None:
            price = first.price + second.price
        days = first.day_offset + (second.depart_min < first.arrive_min % 1440)
        arrive = dt.timedelta(days=days, minutes=second.arrive_min)
        found.append(
            Connection(
                trains=(first.id, second.id),
                via=first.to_city,
                depart=midnight + dt.timedelta(minutes=first.depart_min),
                arrive=midnight + arrive,
                price=price,
            )
        )
    return tuple(found)

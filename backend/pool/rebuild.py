"""Applies the rules to the rows of a snapshot, to check it or to cut it to other sizes.

A snapshot holds the best rows of each ranking and a reserve. If a new size needs more rows than
those, it is refused instead of answered with fewer. The counts of rejected rows are taken from the
snapshot, since those rows are not in it.
"""

from collections.abc import Mapping
from dataclasses import replace

from backend.catalogue.importers.lines import read_weekdays
from backend.errors import CatalogueNeededError, WaypoolError
from backend.params.registry import ParamValue
from backend.pool.build import Frame, cut_city, cut_leg, list_candidates, list_tags, put_together
from backend.pool.candidate import TrainCandidate
from backend.pool.findings import (
    CityAsk,
    HotelFindings,
    PlaceFindings,
    PoolLimits,
    ask_city,
    read_limits,
)
from backend.pool.rules import Entry, find_hotels, find_places, find_trains
from backend.pool.snapshot import CityPool, LegPool, Snapshot, SnapshotRows
from backend.pool.stay import Departure, Leg, TripCalendar, find_connections, plan_stays, read_zones


class BrokenSnapshotError(WaypoolError):
    """A snapshot that names rows which it does not hold; it was changed after it was written."""

    code = "BROKEN_SNAPSHOT"


def rebuild(snapshot: Snapshot, params: Mapping[str, ParamValue]) -> Snapshot:
    """The snapshot that `params` give instead; a `CatalogueNeededError` where its rows end.

    After a larger size less of the ranking is left for the reserve, so the hash is that of the
    catalogue's own pool only for sizes that do not reach further than before.
    """
    _refuse_holes(snapshot)
    tier = snapshot.request.budget_tier
    values = {**snapshot.params, **{k: v for k, v in params.items() if k in snapshot.params}}
    old, new = read_limits(snapshot.params, tier), read_limits(values, tier)
    _refuse_other_rules(old, new)
    calendar = _recall_calendar(snapshot)
    cities = {}
    for stay in plan_stays(snapshot.request):
        days_off, spots = calendar.days_off_in(stay.city), snapshot.spots
        ask = ask_city(snapshot.request, stay, days_off, new, spots)
        cities[stay.city] = _recut_city(snapshot, ask, old)
    legs = [_recut_leg(snapshot, n, old, new) for n in range(len(snapshot.legs))]
    rows = _keep_rows(snapshot, cities, legs)
    tags = list_tags(snapshot.request, rows)
    frame = Frame(
        currency=snapshot.currency,
        city_rows=snapshot.city_rows,
        stations=snapshot.stations,
        tags=tuple(tag for tag in snapshot.tags if tag.id in tags),
        calendar=calendar,
        catalogue=snapshot.catalogue,
        fares=snapshot.fares,
        asked_on=snapshot.asked_on,
    )
    return put_together(snapshot.request, values, cities, legs, rows, frame).sealed()


def find_differences(snapshot: Snapshot) -> list[str]:
    """Where the rules, applied to the rows, give another pool; empty for a sound snapshot."""
    again = rebuild(snapshot, {}).as_json()
    return sorted(_compare("", snapshot.as_json(), again))


def read_departure(row: TrainCandidate) -> Departure:
    """A candidate as the rules see it."""
    return Departure(
        row.id,
        row.from_city,
        row.from_station,
        row.to_city,
        row.to_station,
        row.depart_min,
        row.arrive_min,
        row.price,
        read_weekdays(row.runs_on),
        row.number,
    )


def _refuse_holes(snapshot: Snapshot) -> None:
    pois, hotels, trains = list_candidates(snapshot.cities.values(), snapshot.legs)
    rows = snapshot.rows
    missing = [
        *(city for city in snapshot.city_order if city not in snapshot.cities),
        *(poi for poi in pois if poi not in rows.pois),
        *(hotel for hotel in hotels if hotel not in rows.hotels),
        *(train for train in trains if train not in rows.trains),
    ]
    if missing:
        named = ", ".join(missing[:5])
        raise BrokenSnapshotError(f"the snapshot lacks {len(missing)} of its own rows: {named}")


def _compare(path: str, one: object, other: object) -> list[str]:
    if isinstance(one, dict) and isinstance(other, dict):
        return [
            difference
            for key in one.keys() | other.keys()
            for difference in _compare(f"{path}/{key}", one.get(key), other.get(key))
        ]
    return [] if one == other else [path]


def _refuse_other_rules(old: PoolLimits, new: PoolLimits) -> None:
    for name, label in (
        ("price_cap", "another price cap"),
        ("stars", "another band of stars"),
        ("allow_synthetic", "another say on synthetic rows"),
    ):
        if getattr(old, name) != getattr(new, name):
            raise CatalogueNeededError(f"{label} needs the catalogue: it lets in other rows")


def _refuse_larger(what: str, size: int, known: int) -> CatalogueNeededError:
    return CatalogueNeededError(f"{what}: the snapshot knows {known}, not {size}, and more existed")


def _recall_calendar(snapshot: Snapshot) -> TripCalendar:
    return TripCalendar(
        by_country=snapshot.days_off,
        countries={city: row.country for city, row in snapshot.city_rows.items()},
        unknown=frozenset(
            warning.city
            for warning in snapshot.warnings
            if warning.code == "HOLIDAY_UNKNOWN" and warning.city is not None
        ),
    )


def _recut_city(snapshot: Snapshot, ask: CityAsk, old: PoolLimits) -> CityPool:
    city, limits = ask.stay.city, ask.limits
    places, hotels = _recall_places(snapshot, ask), _recall_hotels(snapshot, ask, old)
    known = len(places.ranking)
    if known < places.eligible and _read_mix(old) != _read_mix(limits):
        raise CatalogueNeededError(f"places of {city}: the snapshot lacks some that would be in")
    deepest = limits.poi_size
    if limits.reserve_size > old.reserve_size:
        deepest += limits.reserve_size
    if deepest > known < places.eligible:
        raise _refuse_larger(f"places of {city}", deepest, known)
    if limits.hotel_size > len(hotels.ranking) < hotels.eligible:
        raise _refuse_larger(f"hotels of {city}", limits.hotel_size, len(hotels.ranking))
    return cut_city(ask.stay, places, hotels, limits)


def _read_mix(limits: PoolLimits) -> tuple[int, int]:
    """What decides who gets in first, beside the rank."""
    return limits.known_size, limits.food_size


def _recall_places(snapshot: Snapshot, ask: CityAsk) -> PlaceFindings:
    """A must-see that ranked beyond the reserve has a row, but its rank is not known."""
    pool = snapshot.cities[ask.stay.city]
    rows = [row for row in snapshot.rows.pois.values() if row.city == ask.stay.city]
    found = find_places([Entry(row, is_synthetic=row.source == "synthetic") for row in rows], ask)
    ranked_out = sum(found.must_see.get(poi_id) is None for poi_id in pool.must_see_added)
    ranked = len(pool.pois) - len(pool.must_see_added)
    return replace(
        found,
        ranking=found.ranking[: len(pool.ranking)],
        eligible=ranked + pool.rejected.get("rank", 0) + ranked_out,
        rejected={reason: n for reason, n in pool.rejected.items() if reason != "rank"},
    )


def _recall_hotels(snapshot: Snapshot, ask: CityAsk, old: PoolLimits) -> HotelFindings:
    """Hotels that wishes have let in come after the ranked ones, some of them not eligible.

    One that is eligible has a rank, but it is known only where no eligible hotel is missing.
    """
    pool = snapshot.cities[ask.stay.city]
    rows = [row for row in snapshot.rows.hotels.values() if row.city == ask.stay.city]
    found = find_hotels([Entry(row, is_synthetic=row.source == "synthetic") for row in rows], ask)
    let_in = sum(not fits for fits in found.wished.values())
    eligible = len(pool.hotels) - let_in + pool.hotels_rejected.get("rank", 0)
    known = eligible if len(found.ranking) == eligible else old.hotel_size
    return replace(
        found,
        ranking=found.ranking[:known],
        eligible=eligible,
        rejected={reason: n for reason, n in pool.hotels_rejected.items() if reason != "rank"},
    )


def _recut_leg(snapshot: Snapshot, number: int, old: PoolLimits, new: PoolLimits) -> LegPool:
    pool = snapshot.legs[number]
    known = [*pool.trains, *pool.reserve]
    total = len(pool.trains) + pool.rejected.get("spread", 0)
    if total > len(known):
        if old.train_size == new.train_size:
            return pool
        leg_name = f"trains from {pool.from_city} to {pool.to_city}"
        raise _refuse_larger(leg_name, total, len(known))
    leg = Leg(pool.from_city, pool.to_city, pool.date)
    zones = read_zones(snapshot.city_rows)
    rows = snapshot.rows.trains
    found = find_trains(
        [
            Entry(read_departure(rows[train]), is_synthetic=rows[train].source == "synthetic")
            for train in known
        ],
        leg,
        allow_synthetic=new.allow_synthetic,
    )
    rejected = {reason: n for reason, n in pool.rejected.items() if reason != "spread"}
    changes = {train for connection in pool.connections for train in connection.trains}
    connections = find_connections(leg, [read_departure(rows[t]) for t in sorted(changes)], zones)
    wishes = snapshot.list_leg_wishes(number)
    return cut_leg(leg, replace(found, rejected=rejected), connections, new, zones, wishes)


def _keep_rows(
    snapshot: Snapshot, cities: Mapping[str, CityPool], legs: list[LegPool]
) -> SnapshotRows:
    pois, hotels, trains = list_candidates(cities.values(), legs)
    rows = snapshot.rows
    return SnapshotRows(
        pois={poi: rows.pois[poi] for poi in pois},
        hotels={hotel: rows.hotels[hotel] for hotel in hotels},
        trains={train: rows.trains[train] for train in trains},
    )

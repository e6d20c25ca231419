"""Turns a day of a draft into what the scheduler takes: one frame for each part, and its stops."""

from collections.abc import Mapping, Sequence

from backend.planner.draft import PlannedVisit
from backend.planner.frame import Frame, make_frame
from backend.planner.meals import share_meals
from backend.planner.stops import Stop, make_stop
from backend.planner.travel_time import Party, Ways
from backend.planner.trip import Trip
from backend.pool.snapshot import Snapshot


def make_ways(snapshot: Snapshot) -> dict[str, Ways]:
    """The measured ways of each city, shared by all its days and by all plans of the snapshot."""
    return snapshot.remember("ways", None, lambda: _make_ways(snapshot))


def _make_ways(snapshot: Snapshot) -> dict[str, Ways]:
    party = Party(snapshot.request.travellers, snapshot.currency)
    return {city: Ways(snapshot.city_rows[city].modes, party) for city in snapshot.cities}


def make_frames(trip: Trip, day: int, ways: Mapping[str, Ways]) -> list[Frame]:
    """The parts of a day as frames, each with its meals."""
    parts = trip.parts[day]
    pace = trip.snapshot.request.pace
    meals = share_meals(parts)
    return [make_frame(part, ways[part.city.id], meals[n], pace) for n, part in enumerate(parts)]


def make_stops(snapshot: Snapshot, frame: Frame, visits: Sequence[PlannedVisit]) -> list[Stop]:
    """The visits in the part's city as stops; ids that are not in the pool are left out."""
    stops = []
    for visit in visits:
        poi = snapshot.poi(visit.poi_id)
        if poi is not None and poi.city == frame.part.city.id:
            node = frame.ways.add(poi.position)
            stops.append(make_stop(snapshot, poi, frame.part, node, visit.at))
    return stops

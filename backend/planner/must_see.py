"""Why a must-see place is not in a plan: closed on every day, no room for it, or just left out."""

from typing import Literal

from backend.planner.agenda import make_frames, make_stops, make_ways
from backend.planner.draft import Draft, PlannedVisit
from backend.planner.frame import Frame
from backend.planner.hours import read_hours
from backend.planner.schedule import schedule
from backend.planner.trip import Trip
from backend.pool.candidate import PoiCandidate

Reason = Literal["closed", "no_fit", "left_out"]


def explain_missing(trip: Trip, draft: Draft) -> dict[str, Reason]:
    """A reason for each must-see place that the draft lacks."""
    planned = set(draft.poi_ids)
    missing = [poi_id for poi_id in trip.snapshot.request.must_see if poi_id not in planned]
    pois = [poi for poi_id in missing if (poi := trip.snapshot.poi(poi_id)) is not None]
    return {poi.id: _explain(trip, poi) for poi in pois}


def is_closed_throughout(trip: Trip, poi: PoiCandidate) -> bool:
    """Not open on any day of the stay in its city."""
    return not any(
        read_hours(trip.snapshot, poi, part.date).intervals for part in trip.parts_in(poi.city)
    )


def fits_alone(frame: Frame, trip: Trip, poi: PoiCandidate) -> bool:
    """Whether a part of the trip has room for the place when nothing else is visited."""
    stops = make_stops(trip.snapshot, frame, [PlannedVisit(poi_id=poi.id)])
    return schedule(frame, stops).faults <= schedule(frame, []).faults


def _explain(trip: Trip, poi: PoiCandidate) -> Reason:
    if is_closed_throughout(trip, poi):
        return "closed"
    ways = make_ways(trip.snapshot)
    frames = [
        frame
        for day in trip.parts
        for frame in make_frames(trip, day, ways)
        if frame.part.city.id == poi.city
    ]
    return "left_out" if any(fits_alone(frame, trip, poi) for frame in frames) else "no_fit"

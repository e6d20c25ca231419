"""Why a must-see place is not in a plan: closed on every day, no room for it, or just left out.

A place is called left out only where it could be in: beside the must-sees that are in the plan, or
with all of them arranged anew. The arrangement begins from the same start orders, so it never
leaves out what is called an error here.
"""

from dataclasses import replace
from typing import Literal

from backend.planner.draft import Draft, PlannedVisit
from backend.planner.hours import read_hours
from backend.planner.improve import construct_all
from backend.planner.problem import state_problem
from backend.planner.rating import Rater
from backend.planner.solution import Solution
from backend.planner.trip import Trip
from backend.pool.candidate import PoiCandidate

Reason = Literal["closed", "no_fit", "left_out"]


def explain_missing(trip: Trip, draft: Draft) -> dict[str, Reason]:
    """A reason for each must-see place that the draft lacks."""
    planned = set(draft.poi_ids)
    wanted = [poi_id for poi_id in trip.snapshot.request.must_see if poi_id not in planned]
    missing = [poi for poi_id in wanted if (poi := trip.snapshot.poi(poi_id)) is not None]
    if not missing:
        return {}
    possible = _find_possible(trip, draft, missing)
    return {poi.id: _explain(trip, poi, possible) for poi in missing}


def _explain(trip: Trip, poi: PoiCandidate, possible: set[str]) -> Reason:
    parts = trip.parts_in(poi.city)
    if not any(read_hours(trip.snapshot, poi, part.date).intervals for part in parts):
        return "closed"
    return "left_out" if poi.id in possible else "no_fit"


def _find_possible(trip: Trip, draft: Draft, missing: list[PoiCandidate]) -> set[str]:
    """Those of the missing ones that could be in."""
    must = trip.snapshot.request.must_see
    present = [
        (day, visit)
        for day, visits in sorted(draft.visits.items())
        for visit in visits
        if visit.poi_id in must and trip.snapshot.poi(visit.poi_id) is not None
    ]
    possible = {
        poi.id
        for poi in missing
        for solution in [_arrange(trip, draft, [poi], present)[0]]
        if not solution.left
    }
    if len(possible) == len(missing):
        return possible
    rows = [poi for _, visit in present if (poi := trip.snapshot.poi(visit.poi_id))]
    anew = _arrange(trip, draft, [*rows, *missing], [])
    return {poi.id for poi in missing} if any(not s.left for s in anew) else possible


def _arrange(
    trip: Trip,
    draft: Draft,
    pois: list[PoiCandidate],
    kept: list[tuple[int, PlannedVisit]],
) -> list[Solution]:
    """Start solutions with these must-sees; what they cost is another constraint's business."""
    problem = replace(state_problem(trip, draft, pois, kept), money=None)
    return construct_all(Rater(problem, trip.snapshot.request.pace))

"""Why a must-see place is not in a plan: closed on every day, no room for it, or just left out.

A place is called left out only if it could be in: either beside the must-sees that are in the plan,
or after all of them are arranged anew. Both are tried with the start orders with which `arrange`
begins too, so that the two agree in most cases.
"""

from dataclasses import replace
from typing import Literal

from backend.planner.days.hours import read_hours
from backend.planner.days.trip import Trip
from backend.planner.plan.draft import Draft, PlannedVisit
from backend.planner.search.problem import state_problem
from backend.planner.search.rating import Rater
from backend.planner.search.solution import construct_all, construct_kept
from backend.pool.candidate import PoiCandidate

Reason = Literal["closed", "no_fit", "left_out"]


def explain_missing(trip: Trip, draft: Draft) -> dict[str, Reason]:
    """A reason for each must-see place that the draft lacks."""
    planned = set(draft.poi_ids)
    must = trip.snapshot.choose_must_sees(planned)
    wanted = [poi_id for poi_id in must if poi_id not in planned]
    missing = [poi for poi_id in wanted if (poi := trip.snapshot.poi(poi_id)) is not None]
    if not missing:
        return {}
    present = {d: [v for v in vs if v.poi_id in must] for d, vs in sorted(draft.visits.items())}
    asked = draft.hotels, draft.trains, {d: vs for d, vs in present.items() if vs}
    possible = trip.snapshot.remember(
        "possible", asked, lambda: _find_possible(trip, draft, missing)
    )
    return {poi.id: _explain(trip, poi, possible) for poi in missing}


def is_room_for_all(trip: Trip, draft: Draft) -> bool:
    """Whether the must-sees that are open at all fit into the days together, as far as one can tell."""
    wanted = (trip.snapshot.poi(poi_id) for poi_id in trip.snapshot.must_see)
    pois = [poi for poi in wanted if poi is not None and not _is_closed(trip, poi)]
    anew = construct_all(_make_rater(trip, draft, pois, []))
    return any(not solution.left for solution in anew)


def _is_closed(trip: Trip, poi: PoiCandidate) -> bool:
    parts = trip.parts_in(poi.city)
    return not any(read_hours(trip.snapshot, poi, part.date).intervals for part in parts)


def _explain(trip: Trip, poi: PoiCandidate, possible: set[str]) -> Reason:
    if _is_closed(trip, poi):
        return "closed"
    return "left_out" if poi.id in possible else "no_fit"


def _find_possible(trip: Trip, draft: Draft, missing: list[PoiCandidate]) -> set[str]:
    """Those of the missing ones that could be in."""
    must = trip.snapshot.choose_must_sees(set(draft.poi_ids))
    present = [
        (day, visit)
        for day, visits in sorted(draft.visits.items())
        for visit in visits
        if visit.poi_id in must and trip.snapshot.poi(visit.poi_id) is not None
    ]
    rater = _make_rater(trip, draft, missing, present)
    kept = construct_kept(rater)
    possible = {rater.problem.candidates[c].poi.id for c in kept.left if kept.find_move(c)}
    if len(possible) == len(missing):
        return possible
    rows = [trip.snapshot.rows.pois[visit.poi_id] for _, visit in present]
    anew = construct_all(_make_rater(trip, draft, [*rows, *missing], []))
    return {poi.id for poi in missing} if any(not solution.left for solution in anew) else possible


def _make_rater(
    trip: Trip,
    draft: Draft,
    pois: list[PoiCandidate],
    kept: list[tuple[int, PlannedVisit]],
) -> Rater:
    """The problem of these must-sees alone; what they cost is another constraint's business."""
    problem = replace(state_problem(trip, draft, pois, kept), money=None, is_broke=False)
    return Rater(problem, trip.snapshot.request.pace)

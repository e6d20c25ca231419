"""Puts chosen places on days and gives them times; the caller chooses which places.

A place is put in only where its day stays free of errors that visits cause, such as closed hours or
too little time for the way; what does not fit is left out with the reason. The result can still
have other errors: must-see places go in even where the budget is too small for them, and hotels,
trains and bookings stay as they are, also where they clash with each other.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from backend.planner.draft import Draft, PlannedVisit
from backend.planner.edits import find_poi
from backend.planner.guard import Guard
from backend.planner.improve import solve
from backend.planner.itinerary import Itinerary
from backend.planner.left_out import LeftOut, explain_left
from backend.planner.locks import Locks
from backend.planner.problem import Problem, state_problem
from backend.planner.rating import Rater
from backend.planner.solution import Solution
from backend.planner.timeline import build_itinerary
from backend.planner.trip import Trip, plan_trip
from backend.pool.snapshot import Snapshot


@dataclass(frozen=True)
class Arrangement:
    """The new draft with its itinerary, and what is not in it and why (`left_out`).

    `deadline_hit`: the time limit ended the search, so a faster machine may find a better plan.
    """

    draft: Draft
    itinerary: Itinerary
    trip: Trip = field(repr=False, compare=False)
    solution: Solution = field(repr=False, compare=False)
    deadline_hit: bool = False

    @cached_property
    def left_out(self) -> tuple[LeftOut, ...]:
        """Places that are not in, with reasons; worked out on first use, since that takes time."""
        candidates = self.solution.rater.problem.candidates
        left = [candidates[c] for c in sorted(self.solution.left)]
        return tuple(explain_left(self.trip, self.solution, candidate) for candidate in left)


def arrange(
    snapshot: Snapshot,
    draft: Draft,
    poi_ids: Sequence[str],
    *,
    keep: bool = False,
    locks: Locks | None = None,
    guard: Guard | None = None,
) -> Arrangement:
    """The places on days of their cities, must-sees first, then in the order given.

    With `keep`, visits of the draft stay on their days, in any order. Without it only those stay
    that `locks` bind to a day. Places locked without a day may move; they are the last to be left
    out. Hotels and trains stay as chosen. Unknown ids raise NOT_IN_POOL.
    """
    locks = locks or Locks()
    given = dict.fromkeys((*locks.places, *poi_ids))
    pois = [find_poi(snapshot, poi_id) for poi_id in given]
    kept = list(_list_kept(snapshot, draft, locks, is_all=keep))
    kept_ids = {visit.poi_id for _, visit in kept}
    trip = plan_trip(snapshot, draft)
    new = [poi for poi in pois if poi.id not in kept_ids]
    problem = state_problem(trip, draft, new, kept, locks.poi_ids)
    guard = guard or Guard()
    solution = solve(Rater(problem, snapshot.request.pace), guard)
    arranged = draft.model_copy(update={"visits": _read_visits(problem, solution)})
    return Arrangement(
        draft=arranged,
        itinerary=build_itinerary(snapshot, arranged),
        trip=trip,
        solution=solution,
        deadline_hit=guard.was_hit,
    )


def _list_kept(
    snapshot: Snapshot, draft: Draft, locks: Locks, *, is_all: bool
) -> Iterator[tuple[int, PlannedVisit]]:
    """Visits that stay on their days: all but those that may move, or what is locked alone."""
    for day, visits in sorted(draft.visits.items()):
        for visit in visits:
            is_bound = (day, visit.poi_id) in locks.visits
            may_stay = is_all and visit.poi_id not in locks.places
            if snapshot.poi(visit.poi_id) is not None and (is_bound or may_stay):
                yield day, visit


def _read_visits(problem: Problem, solution: Solution) -> dict[int, tuple[PlannedVisit, ...]]:
    visits: dict[int, tuple[PlannedVisit, ...]] = {}
    for room, order in zip(problem.rooms, solution.orders, strict=True):
        day = room.frame.part.day
        chosen = (problem.candidates[c] for c in order)
        planned = tuple(PlannedVisit(poi_id=c.poi.id, at=c.at) for c in chosen)
        if planned:
            visits[day] = visits.get(day, ()) + planned
    return visits

"""Why a must-see is not in a plan: closed on every day, too late to reserve, no room, or left out.

A place is called left out only if it could be in: either beside the must-sees that are in the plan,
or after all of them are arranged anew. Both are tried with the start orders with which `arrange`
begins too, so that the two agree in most cases.

Which place could be put on a day that has no visit, and how much time is short where there is none.
"""

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from decimal import Decimal
from typing import Literal

from backend.catalogue.place_types import FOOD_TYPES
from backend.planner.days.frame import Frame, Stop
from backend.planner.days.hours import read_hours
from backend.planner.days.timeline import make_frames, make_ways
from backend.planner.days.trip import Part, Trip
from backend.planner.plan.draft import Draft, PlannedVisit
from backend.planner.search.problem import (
    Candidate,
    bind_kept,
    list_rooms,
    state_few,
    state_problem,
    weigh,
)
from backend.planner.search.rating import WHOLE_DAY_MIN, Rater
from backend.planner.search.solution import Solution, construct_all, construct_kept
from backend.pool.candidate import PoiCandidate

Reason = Literal["closed", "too_late", "no_fit", "left_out"]


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
    if trip.snapshot.is_too_late(poi, trip.snapshot.cities[poi.city].leave):
        return "too_late"
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


MOST_AT_ONCE = 6
"""Sights that are looked at together: mostly one of the first fits, and each takes time."""


def find_addition(trip: Trip, draft: Draft, part: Part, money: Decimal | None) -> str | None:
    """The most wanted sight of the pool that could be put into a part, for that much money.

    Asked for at every write while days are empty, so what a write has not changed is remembered.
    """
    snapshot, city = trip.snapshot, part.city.id
    planned = frozenset(draft.poi_ids)
    kept = tuple(
        (part.day, visit)
        for visit in draft.visits_on(part.day)
        if snapshot.poi(visit.poi_id) is not None
    )
    wanted = snapshot.remember(f"sights {city}", planned, lambda: _list_wanted(trip, city, planned))
    return snapshot.remember(
        f"addition {city} {part.day}",
        (planned, kept, trip.parts[part.day], money),
        lambda: _find_addition(trip, part, wanted, kept, money),
    )


def _list_wanted(trip: Trip, city: str, planned: AbstractSet[str]) -> list[Candidate]:
    """Sights that are not planned, the most wanted first."""
    pois, rows = trip.snapshot.cities[city].pois, trip.snapshot.rows.pois
    left = [rows[poi_id] for poi_id in pois if poi_id not in planned]
    candidates = weigh(trip, [poi for poi in left if poi.type not in FOOD_TYPES])
    return sorted(candidates, key=lambda candidate: -candidate.weight)


def _find_addition(
    trip: Trip,
    part: Part,
    wanted: Sequence[Candidate],
    kept: Sequence[tuple[int, PlannedVisit]],
    money: Decimal | None,
) -> str | None:
    rooms, bound = list_rooms(trip, (part.day,)), bind_kept(trip, kept)
    for first in range(0, len(wanted), MOST_AT_ONCE):
        some = wanted[first : first + MOST_AT_ONCE]
        problem = state_few(trip, rooms, [*bound, *some], money)
        solution = construct_kept(Rater(problem, trip.snapshot.request.pace))
        numbers = range(len(bound), len(bound) + len(some))
        found = next((c for c in numbers if _is_worth_going(solution, part, c)), None)
        if found is not None:
            return problem.candidates[found].poi.id
    return None


def _is_worth_going(solution: Solution, part: Part, number: int) -> bool:
    """Whether it fits, and in less than a whole day is worth more time than the ways to it and back."""
    move = solution.find_move(number)
    if move is None:
        return False
    frame, stop = _find_stop(solution, number, move.room)
    ways = frame.ways.minutes(frame.start, stop.node) + frame.way_home(stop.node)
    return ways <= stop.duration or part.until - part.opens >= WHOLE_DAY_MIN


def _find_stop(solution: Solution, number: int, room: int) -> tuple[Frame, Stop]:
    problem = solution.rater.problem
    stop = problem.stops[number][room]
    assert stop is not None
    return problem.rooms[room].frame, stop


def count_short_minutes(trip: Trip) -> int | None:
    """Minutes that are short for the sight that needs fewest more; None: it is not for minutes."""
    ways = make_ways(trip.snapshot)
    frames = (frame for day in trip.parts for frame in make_frames(trip, day, ways))
    return min((short for frame in frames for short in _list_short(trip, frame)), default=None)


def _list_short(trip: Trip, frame: Frame) -> Iterator[int]:
    """For each sight that is open on that day and takes too long."""
    part, rows = frame.part, trip.snapshot.rows.pois
    for poi in (rows[poi_id] for poi_id in trip.snapshot.cities[part.city.id].pois):
        is_open = not part.is_void and read_hours(trip.snapshot, poi, part.date).intervals
        node = frame.ways.add(poi.position)
        way = frame.ways.minutes(frame.start, node) + frame.way_home(node)
        short = way + poi.duration_min - (part.until - part.opens)
        if is_open and short > 0 and poi.type not in FOOD_TYPES:
            yield short

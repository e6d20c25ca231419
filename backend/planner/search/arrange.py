"""Puts chosen places on days and gives them times; the caller chooses which places.

A place is put in only where its day stays free of errors that visits cause, such as closed hours or
too little time for the way; what does not fit is left out with the reason. The result can still
have other errors: must-see places go in even where the budget is too small for them, and hotels,
trains and bookings stay as they are, also where they clash with each other.

Why a place is not in an arrangement, in a code and a sentence.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from backend.planner.days.hours import read_hours
from backend.planner.days.timeline import build_itinerary
from backend.planner.days.trip import Trip, name_in, plan_trip
from backend.planner.edits import find_poi
from backend.planner.plan.draft import Draft, Locks, PlannedVisit
from backend.planner.plan.itinerary import Itinerary
from backend.planner.search.improve import solve
from backend.planner.search.problem import Candidate, Problem, state_problem
from backend.planner.search.rating import Rater, Rating
from backend.planner.search.solution import Solution
from backend.planner.search.tours import Guard
from backend.planner.search.wishing import Asked, ask, ask_again, find_missed, refuses
from backend.pool.candidate import PoiCandidate
from backend.pool.snapshot import Snapshot
from backend.text import Locale

MESSAGES: dict[str, dict[Locale, str]] = {
    "CLOSED_SEASON": {
        "zh-CN": "{name}在 {season}（月-日）期间关闭，停留期间不能参观。",
        "en": "{name} is closed from {season} (month-day), so on every day of the stay.",
    },
    "CLOSED": {
        "zh-CN": "{name}在停留期间每天都不开放。",
        "en": "{name} is closed on every day of the stay.",
    },
    "RESERVATION_PASSED": {
        "zh-CN": "{name}须提前 {ahead} 天预约，停留期间的各天都已来不及。",
        "en": "{name} must be reserved {ahead} day(s) ahead, which is too late for every day of the "
        "stay.",
    },
    "NO_TIME": {
        "zh-CN": "{name}的开放时间和所需的 {duration} 分钟放不进任何一天（含往返和到发时间）。",
        "en": "{name} takes {duration} minutes, which fit no day within its hours, with the way "
        "there and back.",
    },
    "OVER_BUDGET": {
        "zh-CN": "加上{name}会超出总预算。",
        "en": "{name} would put the plan over the budget.",
    },
    "PACE": {
        "zh-CN": "加上{name}会超出所选节奏的每日景点数。",
        "en": "{name} would put a day over the chosen pace.",
    },
    "MEAL": {
        "zh-CN": "加上{name}就没有用餐时间了。",
        "en": "{name} would leave no time for a meal.",
    },
    "MEAL_TAKEN": {
        "zh-CN": "没有一餐可以安排在{name}：其他餐馆或时间不合。",
        "en": "No meal is left for {name}: other places have them, or the times do not suit.",
    },
    "DAYS_FULL": {
        "zh-CN": "其他景点占满了{name}开放的日子。",
        "en": "The days on which {name} is open are full with other visits.",
    },
}


@dataclass(frozen=True)
class LeftOut:
    """A place that is not in, with code and message in the request's language."""

    poi_id: str
    code: str
    message: str


def explain_left(trip: Trip, solution: Solution, candidate: Candidate) -> LeftOut:
    """The first reason that holds: it was never possible, else what prevents it in the plan as it is."""
    number = solution.rater.problem.candidates.index(candidate)
    code = _find_closed(trip, candidate) or _find_reason(solution, number)
    message = MESSAGES[code][trip.snapshot.request.locale].format(
        name=name_in(candidate.poi, trip.snapshot.request.locale),
        duration=candidate.poi.duration_min,
        season=candidate.poi.closed_season,
        ahead=candidate.poi.book_days_ahead,
    )
    return LeftOut(candidate.poi.id, code, message)


def _find_closed(trip: Trip, candidate: Candidate) -> str | None:
    parts = [p for p in trip.parts_in(candidate.poi.city) if candidate.day in (None, p.day)]
    hours = [read_hours(trip.snapshot, candidate.poi, part.date) for part in parts]
    if any(day.intervals for day in hours):
        is_late = all(trip.snapshot.is_too_late(candidate.poi, part.date) for part in parts)
        return "RESERVATION_PASSED" if is_late else None
    return "CLOSED" if any(day.is_in_season for day in hours) else "CLOSED_SEASON"


def _find_reason(solution: Solution, number: int) -> str:
    problem, rater = solution.rater.problem, solution.rater
    if problem.is_too_dear(problem.candidates[number]):
        return "OVER_BUDGET"
    alone = False
    reasons = set()
    for room, stop in enumerate(problem.stops[number]):
        if stop is None:
            continue
        alone = alone or rater.rate(room, (number,)).plan.faults == 0
        for rating in _list_ratings(solution, room, number):
            reasons.add(_read_reason(problem, rating))
    if not alone:
        return "NO_TIME"
    return next(
        (r for r in ("OVER_BUDGET", "PACE", "MEAL", "MEAL_TAKEN") if r in reasons), "DAYS_FULL"
    )


def _list_ratings(solution: Solution, room: int, number: int) -> list[Rating]:
    """Of every position at which times are kept; at the others the day is full, that is no news."""
    order, rater = solution.orders[room], solution.rater
    longer = [(*order[:n], number, *order[n:]) for n in range(len(order) + 1)]
    return [rater.rate(room, o) for o in longer if rater.price_at_least(room, o) is not None]


def _read_reason(problem: Problem, rating: Rating) -> str:
    """Why an order is not allowed although its times are."""
    if rating.plan.faults:
        return "DAYS_FULL"
    if rating.is_allowed:
        return "OVER_BUDGET" if problem.money is not None else "DAYS_FULL"
    if rating.excess.odd:
        return "MEAL_TAKEN"
    return "MEAL" if rating.excess.meals else "PACE"


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
    task = _Task(snapshot, draft, tuple(pois), tuple(kept), guard or Guard())
    if not snapshot.request.wishes:
        return task.solve(Asked(locked=locks.poi_ids))
    out = frozenset(row_id for _, row_id in locks.out)
    planned = [*given, *(visit.poi_id for _, visit in kept)]
    asked = ask(snapshot, planned, Asked(locked=locks.poi_ids, gone=out))
    best = task.solve(asked)
    for _ in range(MOST_ASKED):
        missed = find_missed(snapshot, best.draft)
        again = ask_again(snapshot, asked, best.draft) if missed else None
        if again is None or task.guard.is_over():
            break
        asked, found = again, task.solve(again)
        if _rate_missed(snapshot, found) < _rate_missed(snapshot, best):
            best = found
    return best


MOST_ASKED = 4
"""Arrangements that are made again for the wishes that the one before has missed."""


def _rate_missed(snapshot: Snapshot, arrangement: "Arrangement") -> tuple[int, int]:
    missed = find_missed(snapshot, arrangement.draft)
    musts = sum(wish.weight == "must" for wish in missed)
    return musts, len(missed) - musts


@dataclass(frozen=True)
class _Task:
    """What is arranged; `pois` are those given, most wanted first."""

    snapshot: Snapshot
    draft: Draft
    pois: tuple[PoiCandidate, ...]
    kept: tuple[tuple[int, PlannedVisit], ...]
    guard: Guard

    def solve(self, asked: Asked) -> "Arrangement":
        """The best arrangement of these, and of what wishes ask for."""
        snapshot, draft = self.snapshot, self.draft
        kept_ids = {visit.poi_id for _, visit in self.kept}
        trip = plan_trip(snapshot, draft)
        new = [poi for poi in self._list_pois(asked) if poi.id not in kept_ids]
        bound = asked.locked.union(snapshot.must_see, asked.bound)
        if asked.is_wished:
            new = [p for p in new if p.id in bound or refuses(snapshot, p) != "must"]
        problem = state_problem(trip, draft, new, self.kept, asked)
        solution = solve(Rater(problem, snapshot.request.pace), self.guard)
        arranged = draft.model_copy(update={"visits": _read_visits(problem, solution)})
        return Arrangement(
            draft=arranged,
            itinerary=build_itinerary(snapshot, arranged),
            trip=trip,
            solution=solution,
            deadline_hit=self.guard.was_hit,
        )

    def _list_pois(self, asked: Asked) -> list[PoiCandidate]:
        wished = (*asked.bound, *asked.rather)
        given = {poi.id: poi for poi in self.pois}
        more = (find_poi(self.snapshot, i) for i in wished if i not in given)
        return [*more, *self.pois]


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

"""Why a place is not in an arrangement, in a code and a sentence."""

from dataclasses import dataclass

from backend.planner.candidates import Candidate
from backend.planner.hours import read_hours
from backend.planner.problem import Problem
from backend.planner.rating import Rating
from backend.planner.solution import Solution
from backend.planner.trip import Trip, name_in
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
    """The most telling reason: never possible, else what stands against it in the plan as it is."""
    number = solution.rater.problem.candidates.index(candidate)
    code = _find_closed(trip, candidate) or _find_reason(solution, number)
    message = MESSAGES[code][trip.snapshot.request.locale].format(
        name=name_in(candidate.poi, trip.snapshot.request.locale),
        duration=candidate.poi.duration_min,
        season=candidate.poi.closed_season,
    )
    return LeftOut(candidate.poi.id, code, message)


def _find_closed(trip: Trip, candidate: Candidate) -> str | None:
    parts = [p for p in trip.parts_in(candidate.poi.city) if candidate.day in (None, p.day)]
    hours = [read_hours(trip.snapshot, candidate.poi, part.date) for part in parts]
    if any(day.intervals for day in hours):
        return None
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
    order = solution.orders[room]
    return [
        solution.rater.rate(room, (*order[:n], number, *order[n:])) for n in range(len(order) + 1)
    ]


def _read_reason(problem: Problem, rating: Rating) -> str:
    """What alone stands against an order whose times would do."""
    if rating.plan.faults:
        return "DAYS_FULL"
    if rating.is_allowed:
        return "OVER_BUDGET" if problem.money is not None else "DAYS_FULL"
    if rating.excess.odd:
        return "MEAL_TAKEN"
    return "MEAL" if rating.excess.meals else "PACE"

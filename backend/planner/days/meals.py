"""Lunch and dinner: their times, which places serve them, and in which part of a day they are eaten.

How much a day may hold by the traveller's pace: visits, and hours of visits and ways.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from backend.catalogue.place_types import FOOD_TYPES
from backend.clock import parse_minutes
from backend.planner.days.trip import Part
from backend.pool.candidate import PoiCandidate
from backend.pool.plan_request import Pace, PlanRequest

MealName = Literal["lunch", "dinner"]

MARKET_TYPE = "market"
FOOD_TAG = "food"
"""Markets count as food places by this tag only: not every market feeds its visitors.

It makes no meal of other places: where one can eat in a shopping street is somewhere in it.
"""


@dataclass(frozen=True)
class Meal:
    """A meal lies between `opens` and `closes`, best at `usual`; minutes after midnight."""

    name: MealName
    opens: int
    closes: int
    usual: int


LUNCH = Meal("lunch", 11 * 60 + 15, 15 * 60, 12 * 60)
DINNER = Meal("dinner", 17 * 60, 20 * 60 + 30, 18 * 60)
MEALS = (LUNCH, DINNER)

MEAL_MIN = 60
SHORT_MEAL_MIN = 30
"""The shortest meal: taken where a long visit leaves no more time."""

SELF_CATERED_MIN = 240
"""During a visit of this length the traveller eats at the place, as on a mountain or in a park."""


def is_food_place(poi: PoiCandidate) -> bool:
    """Whether a visit here can be the meal."""
    return poi.type in FOOD_TYPES or (poi.type == MARKET_TYPE and FOOD_TAG in poi.tags)


def is_self_catered(spans: Iterable[tuple[int, int]], meal: Meal) -> bool:
    """Whether a long visit among `spans` (start, end) takes the meal's time."""
    for start, end in spans:
        if end - start >= SELF_CATERED_MIN and start < meal.closes and end > meal.opens:
            return True
    return False


def find_served(start: int, meals: Sequence[Meal]) -> Meal | None:
    """The meal that a food place entered at `start` is."""
    return next((m for m in meals if m.opens <= start <= m.closes - SHORT_MEAL_MIN), None)


def list_meal_starts() -> tuple[tuple[int, int], ...]:
    """When one goes to a restaurant, if nothing else was wished."""
    return tuple((m.opens, m.closes - SHORT_MEAL_MIN) for m in MEALS)


def share_meals(parts: Sequence[Part]) -> list[tuple[Meal, ...]]:
    """Meals by part of a day: each goes to the part with most of its time, so none comes twice."""
    shared: list[list[Meal]] = [[] for _ in parts]
    for meal in MEALS:
        room = [_measure_room(part, meal) for part in parts]
        best = max(range(len(parts)), key=lambda n: room[n])
        if room[best] >= SHORT_MEAL_MIN:
            shared[best].append(meal)
    return [tuple(meals) for meals in shared]


def _measure_room(part: Part, meal: Meal) -> int:
    return min(part.until, meal.closes) - max(part.opens, meal.opens)


MAX_VISITS: dict[Pace, int] = {"relaxed": 3, "standard": 5, "packed": 7}
"""Visits a day; a food place eaten at as a meal is none."""

MAX_BUSY_MIN: dict[Pace, int] = {"relaxed": 7 * 60, "standard": 10 * 60, "packed": 12 * 60}
"""Visiting and getting about, in minutes a day."""


def share_visits(request: PlanRequest, minutes: int) -> int:
    """The most visits for `minutes` of a day: days of arrival and departure hold fewer."""
    whole = parse_minutes(request.day_end) - parse_minutes(request.day_start)
    if minutes <= 0 or whole <= 0:
        return 0
    share = MAX_VISITS[request.pace] * min(1.0, minutes / whole)
    return max(1, math.floor(share + 0.5))

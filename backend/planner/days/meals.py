"""Lunch and dinner: their times, which places serve them, and in which part of a day they are eaten.

Where else one could eat.

How much a day may hold by the traveller's pace: visits, and hours of visits and ways.
"""

import datetime as dt
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from backend.catalogue.place_types import FOOD_TYPES
from backend.clock import parse_minutes
from backend.planner.days.hours import read_hours
from backend.planner.days.travel_time import Position
from backend.planner.days.trip import Part
from backend.pool.candidate import PoiCandidate, measure_distance_m
from backend.pool.plan_request import Pace, PlanRequest
from backend.pool.snapshot import Snapshot

MealName = Literal["lunch", "dinner"]

TEAHOUSE_TYPE = "teahouse"
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

    def put_off(self, first: int) -> "Meal":
        """The meal for who is not hungry before `first`; at its usual time everybody is."""
        opens = max(self.opens, min(first, self.usual))
        return self if opens == self.opens else replace(self, opens=opens)


LUNCH = Meal("lunch", 11 * 60 + 15, 15 * 60, 12 * 60)
DINNER = Meal("dinner", 17 * 60, 20 * 60 + 30, 18 * 60)
MEALS = (LUNCH, DINNER)

MEAL_MIN = 60
SHORT_MEAL_MIN = 30
"""The shortest meal: taken where a long visit leaves no more time."""

BETWEEN_MEALS_MIN = 180
"""From the end of one meal to the next one."""

SELF_CATERED_MIN = 240
"""During a visit of this length the traveller eats at the place, as on a mountain or in a park."""


def is_food_place(poi: PoiCandidate) -> bool:
    """Whether a visit here can be the meal: nobody has lunch or dinner in a teahouse."""
    if poi.type == MARKET_TYPE:
        return FOOD_TAG in poi.tags
    return poi.type in FOOD_TYPES and poi.type != TEAHOUSE_TYPE


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


MOST_ALTERNATIVES = 3
WALK_M = 1_500
"""So far one goes for another table."""


def list_alternatives(
    snapshot: Snapshot, city: str, here: Position, date: dt.date, start: int, taken: Collection[str]
) -> tuple[str, ...]:
    """Food places of a city near `here` that are open then and are not `taken`, the nearest first."""
    found = []
    for poi in (snapshot.rows.pois[poi_id] for poi_id in snapshot.cities[city].pois):
        way = measure_distance_m(here, poi.position)
        if way > WALK_M or poi.id in taken or not is_food_place(poi):
            continue
        hours = read_hours(snapshot, poi, date).list_starts(SHORT_MEAL_MIN)
        if any(first <= start <= last for first, last in hours):
            found.append((way, poi.id))
    return tuple(poi_id for _, poi_id in sorted(found)[:MOST_ALTERNATIVES])

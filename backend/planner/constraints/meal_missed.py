"""Who is in a city over noon or in the evening has time to eat there."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import MealItem
from backend.planner.meals import MEALS, Meal, is_self_catered
from backend.planner.trip import Part

NAMES = {"lunch": {"zh-CN": "午餐", "en": "lunch"}, "dinner": {"zh-CN": "晚餐", "en": "dinner"}}


def find(context: CheckContext) -> Iterator[Finding]:
    """Meals without time, where the traveller is in town for all of their hours."""
    for day, parts in context.trip.parts.items():
        items = context.itinerary.days[day - 1].items
        eaten = {item.meal for item in items if isinstance(item, MealItem)}
        for meal in MEALS:
            is_due = any(_covers(part, meal) for part in parts)
            if is_due and meal.name not in eaten and not _is_self_catered(context, day, meal):
                yield Finding(day, None, {"day": day, "meal": NAMES[meal.name][context.locale]})


def _covers(part: Part, meal: Meal) -> bool:
    return part.opens <= meal.opens and meal.closes <= part.until


def _is_self_catered(context: CheckContext, day: int, meal: Meal) -> bool:
    return is_self_catered(((v.arrive, v.leave) for v in context.visits if v.day == day), meal)


MEAL_MISSED = Constraint(
    "MEAL_MISSED",
    "warning",
    {"zh-CN": "第 {day} 天没有留出{meal}时间。", "en": "Day {day} leaves no time for {meal}."},
    find,
    fix={"zh-CN": "请把参观提前或推后。", "en": "Move a visit earlier or later."},
)

"""Visits lie between the traveller's `day_start` and `day_end`.

A way to the hotel that ends after `day_end` is only a warning.

Finds whole days without a visit, and every day in a city where nothing is visited.

A trip on which nothing can be seen.

Who is in a city over noon or in the evening has time to eat there.

A day holds no more than the traveller's pace.

Most of a day is spent at places, not on the way between them.
"""

import datetime as dt
from collections.abc import Iterator, Mapping

from backend.clock import parse_minutes
from backend.planner.check.context import CheckContext, Constraint, Finding, show_time
from backend.planner.days.hours import read_hours
from backend.planner.days.legs import count_minutes
from backend.planner.days.meals import MAX_BUSY_MIN, MAX_VISITS, MEALS, Meal, is_self_catered
from backend.planner.days.trip import Part
from backend.planner.plan.itinerary import LegItem, MealItem, StayItem, TransferItem
from backend.planner.search.must_see import count_short_minutes, find_addition
from backend.planner.search.rating import WHOLE_DAY_MIN
from backend.text import Locale


def find_day_hours(context: CheckContext) -> Iterator[Finding]:
    """Visits outside of the day, and ways to the hotel that end after it because of a visit."""
    request = context.snapshot.request
    first, last = parse_minutes(request.day_start), parse_minutes(request.day_end)
    limits = {"first": request.day_start, "last": request.day_end}
    for visited in context.visits:
        if visited.arrive < first or visited.leave > last:
            span = {"start": show_time(visited.arrive), "end": show_time(visited.leave)}
            values = {"name": context.name(visited.poi), **span, **limits}
            outside = max(first - visited.arrive, visited.leave - last)
            yield Finding(visited.day, visited.item, values, amount=outside)
    for day, number, way in _list_ways_home(context):
        date = context.itinerary.days[day - 1].date
        start, end = count_minutes(way.depart, date), count_minutes(way.arrive, date)
        if start < last < end:
            span = {"start": show_time(start), "end": show_time(end)}
            yield Finding(day, number, {"name": way.to, **span, **limits}, "warning")


def _list_ways_home(context: CheckContext) -> Iterator[tuple[int, int, TransferItem]]:
    """The last way of each day that ends in a hotel, except one that comes right after a train."""
    for day, row in enumerate(context.itinerary.days, 1):
        ways = [(n, item) for n, item in enumerate(row.items) if isinstance(item, TransferItem)]
        if not ways or not isinstance(row.items[-1], StayItem):
            continue
        number, way = ways[-1]
        if number == 0 or not isinstance(row.items[number - 1], LegItem):
            yield day, number, way


DAY_HOURS = Constraint(
    "DAY_HOURS",
    "error",
    {
        "zh-CN": "“{name}”（{start}-{end}）超出一天的时间 {first}-{last}。",
        "en": "“{name}” ({start}-{end}) is outside of the day, {first}-{last}.",
    },
    find_day_hours,
    fix={"zh-CN": "请放到这段时间之内。", "en": "Move it into these hours."},
)


WHY: Mapping[str, Mapping[Locale, str]] = {
    "left": {"zh-CN": "", "en": ""},
    "possible": {"zh-CN": "，例如可以安排{name}", "en": "; there is time for {name}"},
    "time": {"zh-CN": "：时间不够", "en": ": there is too little time"},
    "closed": {"zh-CN": "：没有可选景点开放", "en": ": no place to choose from is open"},
    "nothing": {"zh-CN": "：没有可选的景点", "en": ": there is no place to choose from"},
}


def find_empty_day(context: CheckContext) -> Iterator[Finding]:
    """Such days that hold no booking either, each with the reason if one is known.

    An error where a place of the pool could be put on it: not where the budget is used up, nor
    where the traveller has changed the plan by hand.
    """
    planned = {visited.poi.id for visited in context.visits}
    for part in _list_empty(context):
        values: dict[str, object] = {"day": part.day, "city": context.name(part.city)}
        place = None if part.day in context.draft.free else _find_addition(context, part)
        if place is not None:
            name = context.name(context.snapshot.rows.pois[place])
            why = WHY["possible"][context.locale].format(name=name)
            yield Finding(part.day, None, {**values, "why": why})
        else:
            why = WHY[_explain(context, part, planned)][context.locale]
            yield Finding(part.day, None, {**values, "why": why}, "warning")


def _list_empty(context: CheckContext) -> Iterator[Part]:
    cities = {visited.poi.city for visited in context.visits}
    days = {visited.day for visited in context.visits}
    for day, parts in context.trip.parts.items():
        for part in parts:
            is_whole = len(parts) == 1 and _measure(part) >= WHOLE_DAY_MIN
            is_empty = part.city.id not in cities or (is_whole and day not in days)
            if is_empty and not part.fixed and not part.is_void:
                yield part


def _find_addition(context: CheckContext, part: Part) -> str | None:
    """A place that could be put into a part, with what the budget leaves."""
    budget = context.snapshot.request.budget_total
    left = None if budget is None else budget - context.itinerary.costs.total
    if left is not None and left < 0:
        return None
    return find_addition(context.trip, context.draft, part, left)


def _measure(part: Part) -> int:
    return part.until - part.opens


def _explain(context: CheckContext, part: Part, planned: set[str]) -> str:
    """Why nothing is visited, as far as the pool tells."""
    pool = context.snapshot.cities[part.city.id].pois
    rows = [context.snapshot.rows.pois[poi_id] for poi_id in pool if poi_id not in planned]
    if not rows:
        return "nothing"
    hours = ((poi, read_hours(context.snapshot, poi, part.date)) for poi in rows)
    if not any(opening.list_starts(poi.duration_min) for poi, opening in hours):
        return "closed"
    shortest = min(poi.duration_min for poi in rows)
    return "left" if _measure(part) >= shortest else "time"


EMPTY_DAY = Constraint(
    "EMPTY_DAY",
    "error",
    {
        "zh-CN": "第 {day} 天在{city}没有安排任何景点{why}。",
        "en": "Day {day} in {city} has no visit at all{why}.",
    },
    find_empty_day,
)


def find_no_visit(context: CheckContext) -> Iterator[Finding]:
    """A plan without a visit and a booking, for which the pool has no place that would fit."""
    trip, request = context.trip, context.snapshot.request
    is_broke = request.budget_total is not None and (
        context.itinerary.costs.total > request.budget_total
    )
    if context.visits or request.fixed or is_broke or not _has_places(context):
        return
    parts = [part for day in trip.parts.values() for part in day if not part.is_void]
    if not any(_find_addition(context, part) for part in parts):
        left = max([0, *map(_measure, parts)])
        values = {"hours": f"{_count_leg_hours(context):.1f}", "minutes": left}
        yield Finding(values=values, amount=count_short_minutes(trip))


def _has_places(context: CheckContext) -> bool:
    """Whether the catalogue has any in these cities: else it is not the trip's fault."""
    pools = context.snapshot.cities.values()
    return any(pool.pois or sum(pool.rejected.values()) for pool in pools)


def _count_leg_hours(context: CheckContext) -> float:
    legs = (item for _, _, item in context.items() if isinstance(item, LegItem))
    spans = [leg.arrive - leg.depart for leg in legs if leg.depart and leg.arrive]
    return sum(spans, dt.timedelta()) / dt.timedelta(hours=1)


NO_VISIT = Constraint(
    "NO_VISIT",
    "warning",
    {
        "zh-CN": "这次行程看不到任何景点：城际路程共 {hours} 小时，在当地最长的一段只有 {minutes} 分钟。",
        "en": "Nothing can be seen on this trip: {hours} hours between cities, and never more than "
        "{minutes} minutes in one.",
    },
    find_no_visit,
    fix={"zh-CN": "请多留时间或调整预算。", "en": "Allow more time, or more money."},
)


MOVE: Mapping[Locale, str] = {
    "zh-CN": "请把参观提前或推后。",
    "en": "Move a visit earlier or later.",
}
EAT_THERE: Mapping[Locale, str] = {
    "zh-CN": "请在{name}就近用餐。",
    "en": "Eat at {name}, during the visit.",
}
NAMES = {"lunch": {"zh-CN": "午餐", "en": "lunch"}, "dinner": {"zh-CN": "晚餐", "en": "dinner"}}


def find_meal_missed(context: CheckContext) -> Iterator[Finding]:
    """Meals without time, where the traveller is in town for all of their hours."""
    for day, parts in context.trip.parts.items():
        items = context.itinerary.days[day - 1].items
        eaten = {item.meal for item in items if isinstance(item, MealItem)}
        for meal in MEALS:
            is_due = any(_covers(part, meal) for part in parts)
            if is_due and meal.name not in eaten:
                values = {"day": day, "meal": NAMES[meal.name][context.locale]}
                yield Finding(day, None, {**values, "how": _advise(context, day, meal)})


def _covers(part: Part, meal: Meal) -> bool:
    return part.opens <= meal.opens and meal.closes <= part.until


def _advise(context: CheckContext, day: int, meal: Meal) -> str:
    """To eat at a place where one spends half the day, else to move a visit."""
    for visited in context.visits:
        if visited.day == day and is_self_catered([(visited.arrive, visited.leave)], meal):
            return EAT_THERE[context.locale].format(name=context.name(visited.poi))
    return MOVE[context.locale]


MEAL_MISSED = Constraint(
    "MEAL_MISSED",
    "warning",
    {
        "zh-CN": "第 {day} 天没有留出{meal}时间。{how}",
        "en": "Day {day} leaves no time for {meal}. {how}",
    },
    find_meal_missed,
)


def find_pace(context: CheckContext) -> Iterator[Finding]:
    """Days with too many visits, or too many hours of visiting and getting about."""
    pace = context.snapshot.request.pace
    for day in range(1, len(context.itinerary.days) + 1):
        visits = [v for v in context.visits if v.day == day and not v.is_meal]
        busy = sum(v.leave - v.arrive for v in visits) + _add_ways(context, day)
        is_long = len(visits) > 1 and busy > MAX_BUSY_MIN[pace]
        if len(visits) > MAX_VISITS[pace] or is_long:
            hours = f"{busy / 60:.1f}"
            values = {"day": day, "visits": len(visits), "hours": hours, "most": MAX_VISITS[pace]}
            yield Finding(day, None, values)


def _add_ways(context: CheckContext, day: int) -> int:
    items = context.itinerary.days[day - 1].items
    ways = (item.arrive - item.depart for item in items if isinstance(item, TransferItem))
    return sum(int(way.total_seconds()) // 60 for way in ways)


PACE = Constraint(
    "PACE",
    "warning",
    {
        "zh-CN": "第 {day} 天有 {visits} 处、共 {hours} 小时，超出所选节奏（每天最多 {most} 处）。",
        "en": "Day {day} has {visits} visits and {hours} hours on the go, "
        "more than the chosen pace ({most} visits).",
    },
    find_pace,
    fix={"zh-CN": "请把一处移到别的日子。", "en": "Move a visit to another day."},
)


MOST_SHARE = 0.5
"""Of the time of visits and of ways inside cities; trains between cities do not count."""

WORTH_A_WORD = dt.timedelta(hours=2)
"""With less than this on the way in a day there is no warning."""


def find_travel_share(context: CheckContext) -> Iterator[Finding]:
    """Days with more time on the way than at places."""
    for day, row in enumerate(context.itinerary.days, 1):
        spans = (item.arrive - item.depart for item in row.items if isinstance(item, TransferItem))
        ways = sum(spans, dt.timedelta())
        here = [v for v in context.visits if v.day == day]
        at_places = dt.timedelta(minutes=sum(v.leave - v.arrive for v in here))
        if here and ways >= WORTH_A_WORD and ways > MOST_SHARE * (ways + at_places):
            values = {"day": day, "ways": _show_hours(ways), "visits": _show_hours(at_places)}
            yield Finding(day, None, values)


def _show_hours(span: dt.timedelta) -> str:
    return f"{span / dt.timedelta(hours=1):.1f}"


TRAVEL_SHARE = Constraint(
    "TRAVEL_SHARE",
    "warning",
    {
        "zh-CN": "第 {day} 天路上 {ways} 小时，多于参观的 {visits} 小时。",
        "en": "Day {day} has {ways} hours of ways for {visits} hours of visits.",
    },
    find_travel_share,
    fix={"zh-CN": "请选离得更近的地点。", "en": "Choose places that are nearer to each other."},
)

"""Everything in the plan must be a candidate: nothing comes from elsewhere.

What the traveller wants to avoid is not in the plan, by id or by tag.

A place is visited only while the traveller stays in its city.

No place is visited twice.

A must-see place that could be in the plan is in it.

Warns of a must-see place that is closed on every day of the stay, so it cannot be in the plan.

Warns of a must-see place that fits into no day, so it cannot be in the plan.

Warns of a visit that begins at another time than was wished.

Warns of an interest of the traveller that no visit serves, and says why.
"""

from collections.abc import Iterator, Mapping

from backend.planner.check.context import CheckContext, Constraint, Finding, show_time
from backend.planner.days.hours import read_hours
from backend.planner.plan.itinerary import DayItem, LegItem, MealItem, StayItem, VisitItem
from backend.pool.snapshot import Kind
from backend.text import Locale


def find_not_in_pool(context: CheckContext) -> Iterator[Finding]:
    """Items with an unknown id, and choices of the draft with an unknown id that no item shows."""
    pool, shown = context.snapshot.ids_by_kind, set()
    for day, number, item in context.items():
        kind, row_id = _read_id(item)
        if row_id is not None:
            shown.add((kind, row_id))
            if row_id not in pool[kind]:
                yield Finding(day, number, {"id": row_id})
    for chosen_day, kind, chosen in _list_choices(context):
        if (kind, chosen) not in shown and chosen not in pool[kind]:
            yield Finding(chosen_day, None, {"id": chosen})


def _read_id(item: DayItem) -> tuple[Kind, str | None]:
    if isinstance(item, StayItem):
        return "hotel", item.hotel_id
    if isinstance(item, LegItem):
        return "train", item.train_id
    return "poi", item.poi_id if isinstance(item, VisitItem | MealItem) else None


def _list_choices(context: CheckContext) -> Iterator[tuple[int | None, Kind, str]]:
    for day, visits in context.draft.visits.items():
        yield from ((day, "poi", visit.poi_id) for visit in visits)
    yield from ((None, "hotel", hotel) for hotel in context.draft.hotels.values())
    for trains in context.draft.trains.values():
        yield from ((None, "train", train) for train in trains)


NOT_IN_POOL = Constraint(
    "NOT_IN_POOL",
    "error",
    {"zh-CN": "{id} 不在候选范围内。", "en": "{id} is not among the candidates."},
    find_not_in_pool,
    fix={"zh-CN": "请改用候选列表中的一项。", "en": "Take one of the candidates."},
)


def find_avoided(context: CheckContext) -> Iterator[Finding]:
    """Places and hotels that `avoid` names."""
    avoid = set(context.snapshot.request.avoid)
    for visited in context.visits:
        hit = avoid & {visited.poi.id, *visited.poi.tags}
        if hit:
            values = {"name": context.name(visited.poi), "word": min(hit)}
            yield Finding(visited.day, visited.item, values)
    for day, number, item in context.items():
        hotel = context.snapshot.hotel(item.hotel_id) if isinstance(item, StayItem) else None
        if hotel is not None and (hit := avoid & {hotel.id, *hotel.tags}):
            yield Finding(day, number, {"name": context.name(hotel), "word": min(hit)})


AVOIDED = Constraint(
    "AVOIDED",
    "error",
    {
        "zh-CN": "“{name}”在要避开的范围内（{word}）。",
        "en": "“{name}” is among what is to be avoided ({word}).",
    },
    find_avoided,
    fix={"zh-CN": "请去掉。", "en": "Leave it out."},
)


def find_wrong_city(context: CheckContext) -> Iterator[Finding]:
    """Visits of the draft on a day that is not spent in their city.

    The itinerary shows no item for such a visit, so the draft is read here.
    """
    for day, visits in context.draft.visits.items():
        cities = {part.city.id for part in context.trip.parts.get(day, ())}
        for visit in visits:
            poi = context.snapshot.poi(visit.poi_id)
            if poi is not None and poi.city not in cities:
                values = {"name": context.name(poi), "city": context.name_city(poi.city)}
                yield Finding(day, None, {**values, "day": day})


WRONG_CITY = Constraint(
    "WRONG_CITY",
    "error",
    {
        "zh-CN": "{name}在{city}，第 {day} 天不在该城市。",
        "en": "{name} is in {city}, and day {day} is not spent there.",
    },
    find_wrong_city,
    fix={"zh-CN": "请改到在该城市的日子。", "en": "Move it to a day in that city."},
)


def find_duplicate(context: CheckContext) -> Iterator[Finding]:
    """The second and later visits to a place."""
    first_day: dict[str, int] = {}
    for visited in context.visits:
        day = first_day.setdefault(visited.poi.id, visited.day)
        if (day, visited.item) != (visited.day, _first_item(context, visited.poi.id)):
            yield Finding(
                visited.day, visited.item, {"name": context.name(visited.poi), "day": day}
            )


def _first_item(context: CheckContext, poi_id: str) -> int:
    return next(visited.item for visited in context.visits if visited.poi.id == poi_id)


DUPLICATE = Constraint(
    "DUPLICATE",
    "error",
    {
        "zh-CN": "{name}已在第 {day} 天安排过。",
        "en": "{name} is in the plan on day {day} already.",
    },
    find_duplicate,
    fix={"zh-CN": "只保留一次。", "en": "Keep one visit."},
)


def find_must_see_missing(context: CheckContext) -> Iterator[Finding]:
    """Must-see places missing for this reason."""
    for poi_id, reason in context.missing_must_sees.items():
        if reason == "left_out":
            poi = context.snapshot.rows.pois[poi_id]
            yield Finding(values={"name": context.name(poi)}, amount=poi.duration_min)


MUST_SEE_MISSING = Constraint(
    "MUST_SEE_MISSING",
    "error",
    {
        "zh-CN": "必去景点{name}还没有安排。",
        "en": "The must-see place {name} is not in the plan.",
    },
    find_must_see_missing,
    fix={"zh-CN": "请加入行程。", "en": "Put it in."},
)


def find_must_see_closed(context: CheckContext) -> Iterator[Finding]:
    """Must-see places missing for this reason."""
    for poi_id, reason in context.missing_must_sees.items():
        if reason == "closed":
            yield Finding(values={"name": context.name(context.snapshot.rows.pois[poi_id])})


MUST_SEE_CLOSED = Constraint(
    "MUST_SEE_CLOSED",
    "warning",
    {
        "zh-CN": "必去景点{name}在停留期间每天都不开放，无法安排。",
        "en": "The must-see place {name} is closed on every day of the stay, so it is not in the plan.",
    },
    find_must_see_closed,
)


def find_must_see_no_fit(context: CheckContext) -> Iterator[Finding]:
    """Must-see places missing for this reason."""
    for poi_id, reason in context.missing_must_sees.items():
        if reason == "no_fit":
            poi = context.snapshot.rows.pois[poi_id]
            yield Finding(values={"name": context.name(poi)}, amount=poi.duration_min)


MUST_SEE_NO_FIT = Constraint(
    "MUST_SEE_NO_FIT",
    "warning",
    {
        "zh-CN": "必去景点{name}在其开放时间内，放不进任何一天（还有其他必去景点、车次和预订），"
        "无法安排。",
        "en": "No day has room for the must-see place {name} within its hours, beside the other "
        "must-sees, trains and bookings: it is not in the plan.",
    },
    find_must_see_no_fit,
)


def find_wish_missed(context: CheckContext) -> Iterator[Finding]:
    """Visits that begin at another time than their `at`."""
    wishes = {v.poi_id: v.at for visits in context.draft.visits.values() for v in visits}
    for visited in context.visits:
        at = wishes.get(visited.poi.id)
        if at is not None and visited.arrive != at:
            times = {"at": show_time(at), "arrive": show_time(visited.arrive)}
            yield Finding(visited.day, visited.item, {"name": context.name(visited.poi), **times})


WISH_MISSED = Constraint(
    "WISH_MISSED",
    "warning",
    {
        "zh-CN": "{name}希望 {at} 开始，实际安排在 {arrive}。",
        "en": "{name} was wished at {at}; it begins at {arrive}.",
    },
    find_wish_missed,
)


WHY_UNMET: Mapping[str, Mapping[Locale, str]] = {
    "nothing": {"zh-CN": "可选地点中没有这一类", "en": "no place to choose from has it"},
    "closed": {
        "zh-CN": "这一类地点在停留期间都不开放",
        "en": "no place that has it is open during the stay",
    },
    "no_room": {
        "zh-CN": "这一类地点没有排进行程",
        "en": "the places that have it had no room beside the others",
    },
}


def find_interest_unmet(context: CheckContext) -> Iterator[Finding]:
    """Interests of the request that no visit and no meal serves, with the reason."""
    seen = {tag for visited in context.visits for tag in visited.poi.tags}
    names = {tag.id: tag for tag in context.snapshot.tags}
    for interest in context.snapshot.request.interests:
        if interest not in seen:
            row = names.get(interest)
            name = interest if row is None else context.name_tag(row)
            why = WHY_UNMET[_explain_unmet(context, interest)][context.locale]
            yield Finding(values={"name": name, "why": why})


def _explain_unmet(context: CheckContext, interest: str) -> str:
    snapshot = context.snapshot
    pools = [snapshot.rows.pois[i] for city in snapshot.cities.values() for i in city.pois]
    rows = [poi for poi in pools if interest in poi.tags]
    if not rows:
        return "nothing"
    is_open = any(
        read_hours(snapshot, poi, part.date).intervals
        for poi in rows
        for part in context.trip.parts_in(poi.city)
    )
    return "no_room" if is_open else "closed"


INTEREST_UNMET = Constraint(
    "INTEREST_UNMET",
    "warning",
    {
        "zh-CN": "没有任何参观满足兴趣“{name}”：{why}。",
        "en": "No visit serves the interest “{name}”: {why}.",
    },
    find_interest_unmet,
)

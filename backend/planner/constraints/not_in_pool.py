"""Everything in the plan must be a candidate: nothing comes from elsewhere."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import DayItem, LegItem, MealItem, StayItem, VisitItem
from backend.pool.snapshot import Kind


def find(context: CheckContext) -> Iterator[Finding]:
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
    find,
    fix={"zh-CN": "请改用候选列表中的一项。", "en": "Take one of the candidates."},
)

"""Everything in the plan must be a candidate: nothing comes from elsewhere."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import DayItem, LegItem, MealItem, StayItem, VisitItem


def find(context: CheckContext) -> Iterator[Finding]:
    """Ids of items and of choices that left no item."""
    shown = set()
    for day, number, item in context.items():
        if (row_id := _read_id(item)) is not None:
            shown.add(row_id)
            if row_id not in context.snapshot.pool_ids:
                yield Finding(day, number, {"id": row_id})
    for chosen_day, chosen in _list_choices(context):
        if chosen not in shown and chosen not in context.snapshot.pool_ids:
            yield Finding(chosen_day, None, {"id": chosen})


def _read_id(item: DayItem) -> str | None:
    if isinstance(item, VisitItem | MealItem):
        return item.poi_id
    if isinstance(item, StayItem):
        return item.hotel_id
    return item.train_id if isinstance(item, LegItem) else None


def _list_choices(context: CheckContext) -> Iterator[tuple[int | None, str]]:
    for day, visits in context.draft.visits.items():
        yield from ((day, visit.poi_id) for visit in visits)
    yield from ((None, hotel) for hotel in context.draft.hotels.values())
    yield from ((None, train) for trains in context.draft.trains.values() for train in trains)


NOT_IN_POOL = Constraint(
    "NOT_IN_POOL",
    "error",
    {"zh-CN": "{id} 不在候选范围内。", "en": "{id} is not among the candidates."},
    find,
)

"""The items of an itinerary that have a start and an end, with their names."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from backend.planner.itinerary import (
    DayItem,
    FixedItem,
    Itinerary,
    LegItem,
    MealItem,
    TransferItem,
    VisitItem,
)


@dataclass(frozen=True)
class Timed:
    """A span of time of the plan."""

    day: int
    item: int
    name: str
    start: dt.datetime
    end: dt.datetime
    is_fixed: bool
    is_way: bool
    is_train: bool


def list_timed(itinerary: Itinerary) -> Iterator[Timed]:
    """All spans in the order in which they are listed; stays and own legs have no times."""
    for day, row in enumerate(itinerary.days, 1):
        for number, item in enumerate(row.items):
            span = read_span(item)
            if span is not None:
                kinds = (isinstance(item, kind) for kind in (FixedItem, TransferItem, LegItem))
                yield Timed(day, number, _name(item), *span, *kinds)


def read_span(item: DayItem) -> tuple[dt.datetime, dt.datetime] | None:
    """Start and end of an item; None where it has none."""
    if isinstance(item, VisitItem):
        return item.arrive, item.leave
    if isinstance(item, MealItem | FixedItem):
        return item.start, item.end
    if isinstance(item, TransferItem):
        return item.depart, item.arrive
    if isinstance(item, LegItem) and item.depart is not None and item.arrive is not None:
        return item.depart, item.arrive
    return None


def _name(item: DayItem) -> str:
    if isinstance(item, VisitItem):
        return item.name
    if isinstance(item, MealItem):
        return item.name or item.meal
    if isinstance(item, FixedItem):
        return item.title
    if isinstance(item, TransferItem):
        return f"{item.from_} → {item.to}"
    return item.number or "" if isinstance(item, LegItem) else ""

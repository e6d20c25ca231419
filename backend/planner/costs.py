"""What the plan costs the party, and the oldest date of a price in it; unknown prices count 0."""

import datetime as dt
from collections.abc import Iterable, Iterator
from decimal import Decimal

from backend.planner.itinerary import (
    Costs,
    Day,
    DayItem,
    LegItem,
    MealItem,
    StayItem,
    TransferItem,
    VisitItem,
)
from backend.pool.candidate import HotelCandidate, PoiCandidate, TrainCandidate
from backend.pool.snapshot import Snapshot


def add_costs(days: Iterable[Day]) -> Costs:
    """Totals by kind; a food place eaten at counts among the tickets."""
    items = [item for day in days for item in day.items]
    tickets = _add(items, VisitItem) + _add(items, MealItem)
    hotels, trains = _add(items, StayItem), _add(items, LegItem)
    local = _add(items, TransferItem)
    return Costs(
        tickets=tickets,
        hotels=hotels,
        trains=trains,
        local_transport=local,
        total=tickets + hotels + trains + local,
    )


def find_price_date(snapshot: Snapshot, days: Iterable[Day]) -> dt.date | None:
    """The oldest `as_of` of a known price; None where no price has a date."""
    items = (item for day in days for item in day.items)
    dates = (date for item in items for date in _list_dates(snapshot, item))
    return min(dates, default=None)


def _add(items: Iterable[DayItem], kind: type) -> Decimal:
    costs = (item.cost for item in items if isinstance(item, kind) and hasattr(item, "cost"))
    return sum((cost for cost in costs if cost is not None), Decimal(0))


def _list_dates(snapshot: Snapshot, item: DayItem) -> Iterator[dt.date]:
    row: PoiCandidate | HotelCandidate | TrainCandidate | None = None
    if isinstance(item, VisitItem | MealItem) and item.price is not None:
        row = snapshot.rows.pois.get(item.poi_id or "")
    elif isinstance(item, StayItem) and item.price is not None:
        row = snapshot.rows.hotels.get(item.hotel_id)
    elif isinstance(item, LegItem) and item.price is not None:
        row = snapshot.rows.trains.get(item.train_id or "")
    if row is not None and row.as_of is not None:
        yield row.as_of

"""An item costs its price times those who pay it: tickets by traveller, rooms by night, fares by seat."""

from collections.abc import Iterator
from decimal import Decimal

from backend.money import format_money
from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import (
    DayItem,
    LegItem,
    MealItem,
    StayItem,
    TransferItem,
    VisitItem,
)

_FREE = Decimal(0)


def find(context: CheckContext) -> Iterator[Finding]:
    """Items whose price is not the row's, or whose cost is not what the party pays."""
    for day, number, item in context.items():
        wrong = _find_wrong(context, item)
        if wrong is not None:
            name, have, right = wrong
            yield Finding(day, number, {"name": name, "have": _show(have), "right": _show(right)})


def _find_wrong(
    context: CheckContext, item: DayItem
) -> tuple[str, Decimal | None, Decimal | None] | None:
    if isinstance(item, TransferItem):
        is_wrong = item.mode == "walk" and item.cost != _FREE
        return (f"{item.from_} → {item.to}", item.cost, _FREE) if is_wrong else None
    if not isinstance(item, VisitItem | MealItem | LegItem | StayItem):
        return None
    known = _find_price(context, item)
    if known is None:
        return None
    name, price = known
    pieces = item.rooms if isinstance(item, StayItem) else context.snapshot.request.travellers
    right = None if price is None else price * pieces
    paid = item.rooms if isinstance(item, StayItem) else item.tickets
    is_right = (item.price, paid, item.cost) == (price, pieces, right)
    return None if is_right else (name, item.cost, right)


def _find_price(
    context: CheckContext, item: VisitItem | MealItem | LegItem | StayItem
) -> tuple[str, Decimal | None] | None:
    """Name and price of the row; None where there is no row, and nothing is paid here."""
    if isinstance(item, LegItem):
        train = context.snapshot.train(item.train_id or "")
        return (train.number, train.price) if train else None
    if isinstance(item, StayItem):
        hotel = context.snapshot.hotel(item.hotel_id)
        return (context.name(hotel), hotel.price_per_night) if hotel else None
    poi = context.snapshot.poi(item.poi_id or "")
    return (context.name(poi), poi.price) if poi else None


def _show(amount: Decimal | None) -> str:
    return "—" if amount is None else format_money(amount)


COST_WRONG = Constraint(
    "COST_WRONG",
    "error",
    {
        "zh-CN": "“{name}”应为 {right}，而不是 {have}。",
        "en": "“{name}” should cost {right}, not {have}.",
    },
    find,
)

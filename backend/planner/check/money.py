"""An item costs its price times those who pay it: tickets by traveller, rooms by night, fares by seat.

The totals are the sums of the items: tickets, hotels, trains, inner-city transport, and all.

The whole plan costs no more than the traveller's budget.

Hotels and tickets keep to the budget tier.

It is only a warning for a must-see place, and for a hotel in a city without any hotel of the tier.

Warns of an unknown price, since it counts 0 in the totals.

Local transport has no fares in this currency, so it counts 0.
"""

from collections.abc import Iterator
from decimal import Decimal

from backend.money import format_money
from backend.planner.check.context import CheckContext, Constraint, Finding
from backend.planner.days.timeline import add_costs
from backend.planner.days.travel_time import FARES
from backend.planner.plan.itinerary import (
    Costs,
    DayItem,
    LegItem,
    MealItem,
    StayItem,
    TransferItem,
    VisitItem,
)
from backend.pool.fares import Payment
from backend.pool.wished import has_hotel_wishes
from backend.text import Locale

_FREE = Decimal(0)


def find_cost_wrong(context: CheckContext) -> Iterator[Finding]:
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
    right = _pay(context, item, price, pieces)
    counted = item.rooms if isinstance(item, StayItem) else item.tickets
    fares = item.fares if isinstance(item, VisitItem | LegItem) else ()
    is_right = (item.price, counted, item.cost, fares) == (price, pieces, right.cost, right.fares)
    return None if is_right else (name, item.cost, right.cost)


def _pay(
    context: CheckContext,
    item: VisitItem | MealItem | LegItem | StayItem,
    price: Decimal | None,
    pieces: int,
) -> Payment:
    """What the party pays: tickets by age, meals by head, nights by room."""
    if isinstance(item, LegItem):
        return context.snapshot.pay("rail", item.from_city, price)
    poi = context.snapshot.poi(item.poi_id) if isinstance(item, VisitItem) else None
    if poi is not None:
        return context.snapshot.pay_entry(poi)
    return Payment((), None if price is None else price * pieces)


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
    find_cost_wrong,
)


NAMES: dict[str, dict[Locale, str]] = {
    "tickets": {"zh-CN": "门票", "en": "Tickets"},
    "meals": {"zh-CN": "餐饮", "en": "Meals"},
    "hotels": {"zh-CN": "酒店", "en": "Hotels"},
    "trains": {"zh-CN": "火车", "en": "Trains"},
    "local_transport": {"zh-CN": "市内交通", "en": "Local transport"},
    "total": {"zh-CN": "总花费", "en": "Everything"},
}


def find_total_wrong(context: CheckContext) -> Iterator[Finding]:
    """Totals that are not the sum."""
    right, have = add_costs(context.itinerary.days), context.itinerary.costs
    for name in Costs.model_fields:
        sums = getattr(have, name), getattr(right, name)
        if sums[0] != sums[1]:
            shown = {"have": format_money(sums[0]), "right": format_money(sums[1])}
            yield Finding(values={"name": NAMES[name][context.locale], **shown})


TOTAL_WRONG = Constraint(
    "TOTAL_WRONG",
    "error",
    {
        "zh-CN": "{name}合计应为 {right}，而不是 {have}。",
        "en": "{name} add up to {right}, not to {have}.",
    },
    find_total_wrong,
)


def find_over_budget(context: CheckContext) -> Iterator[Finding]:
    """The total above `budget_total`; unknown prices count 0."""
    budget = context.snapshot.request.budget_total
    total = context.itinerary.costs.total
    if budget is not None and total > budget:
        yield Finding(
            amount=total - budget,
            values={
                "total": format_money(total),
                "budget": format_money(budget),
                "over": format_money(total - budget),
                "currency": context.itinerary.currency,
            },
        )


OVER_BUDGET = Constraint(
    "OVER_BUDGET",
    "error",
    {
        "zh-CN": "总花费 {total} {currency}，超出预算 {budget} {currency}（多 {over}）。",
        "en": "The plan costs {total} {currency}, {over} over the budget of {budget}.",
    },
    find_over_budget,
    fix={"zh-CN": "请节省 {over}，或提高预算。", "en": "Save {over}, or raise the budget."},
)


def find_tier_exceeded(context: CheckContext) -> Iterator[Finding]:
    """Tickets above the tier's highest price, and the first night in each hotel with other stars."""
    yield from _find_tickets(context)
    yield from _find_hotels(context)


def _find_tickets(context: CheckContext) -> Iterator[Finding]:
    request = context.snapshot.request
    cap = context.snapshot.params.get(f"POI_PRICE_CAP_{request.budget_tier.upper()}")
    if cap is None:
        return
    for visited in context.visits:
        price = visited.poi.price
        if price is not None and price > Decimal(str(cap)):
            what = {"zh-CN": f"票价 {format_money(price)}，上限 {cap}",
                    "en": f"{format_money(price)} a ticket, at most {cap}"}  # fmt: skip
            values = {"name": context.name(visited.poi), "what": what[context.locale]}
            is_wanted = visited.poi.id in (*request.must_see_ids, *request.wished_place_ids)
            yield Finding(visited.day, visited.item, values, "warning" if is_wanted else None)


def _find_hotels(context: CheckContext) -> Iterator[Finding]:
    tier = context.snapshot.request.budget_tier.upper()
    band = context.snapshot.params.get(f"HOTEL_STARS_{tier}")
    seen: set[str] = set()
    for day, number, item in context.items():
        hotel = context.snapshot.hotel(item.hotel_id) if isinstance(item, StayItem) else None
        if hotel is None or hotel.id in seen or not isinstance(band, list):
            continue
        seen.add(hotel.id)
        if hotel.stars not in band:
            stars, wanted = hotel.stars or "?", "–".join(str(n) for n in (band[0], band[-1]))
            what = {"zh-CN": f"{stars} 星，应为 {wanted} 星",
                    "en": f"{stars} stars instead of {wanted}"}  # fmt: skip
            is_all = context.snapshot.cities[hotel.city].hotels_widened
            is_all = is_all or has_hotel_wishes(context.snapshot.request.wishes)
            values = {"name": context.name(hotel), "what": what[context.locale]}
            yield Finding(day, number, values, "warning" if is_all else None)


TIER_EXCEEDED = Constraint(
    "TIER_EXCEEDED",
    "error",
    {
        "zh-CN": "“{name}”不在所选的预算档次内（{what}）。",
        "en": "“{name}” is not of the chosen budget tier ({what}).",
    },
    find_tier_exceeded,
)


def find_price_unknown(context: CheckContext) -> Iterator[Finding]:
    """Items without a price; of a hotel only its first night."""
    hotels: set[str] = set()
    for day, number, item in context.items():
        name = _read_name(item)
        if name is None or (isinstance(item, StayItem) and item.hotel_id in hotels):
            continue
        if isinstance(item, StayItem):
            hotels.add(item.hotel_id)
        yield Finding(day, number, {"name": name})


def _read_name(item: DayItem) -> str | None:
    """The name of an item that should have a price and has none."""
    if isinstance(item, LegItem):
        return item.number if item.mode == "train" and item.price is None else None
    if isinstance(item, MealItem) and item.poi_id is None:
        return None
    if isinstance(item, VisitItem | MealItem | StayItem) and item.price is None:
        return item.name
    return None


PRICE_UNKNOWN = Constraint(
    "PRICE_UNKNOWN",
    "warning",
    {
        "zh-CN": "“{name}”价格未知，未计入总价。",
        "en": "The price of “{name}” is unknown and not in the total.",
    },
    find_price_unknown,
)


def find_fares_unknown(context: CheckContext) -> Iterator[Finding]:
    """Once, where something else than walking is in the plan."""
    currency = context.itinerary.currency
    ways = (item for _, _, item in context.items() if isinstance(item, TransferItem))
    if currency not in FARES and any(way.mode != "walk" for way in ways):
        yield Finding(values={"currency": currency})


FARES_UNKNOWN = Constraint(
    "FARES_UNKNOWN",
    "warning",
    {
        "zh-CN": "没有以 {currency} 计价的市内交通票价，未计入总价。",
        "en": "No local fares are known in {currency}: local transport is not in the total.",
    },
    find_fares_unknown,
)

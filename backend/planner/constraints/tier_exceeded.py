"""Hotels and tickets keep to the budget tier.

It is only a warning for a must-see place, and for a hotel in a city without any hotel of the tier.
"""

from collections.abc import Iterator
from decimal import Decimal

from backend.money import format_money
from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import StayItem


def find(context: CheckContext) -> Iterator[Finding]:
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
            is_wanted = visited.poi.id in request.must_see
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
            values = {"name": context.name(hotel), "what": what[context.locale]}
            yield Finding(day, number, values, "warning" if is_all else None)


TIER_EXCEEDED = Constraint(
    "TIER_EXCEEDED",
    "error",
    {
        "zh-CN": "“{name}”不在所选的预算档次内（{what}）。",
        "en": "“{name}” is not of the chosen budget tier ({what}).",
    },
    find,
)

"""Local transport has no fares in this currency, so it counts 0."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import TransferItem
from backend.planner.travel_time import FARES


def find(context: CheckContext) -> Iterator[Finding]:
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
    find,
)

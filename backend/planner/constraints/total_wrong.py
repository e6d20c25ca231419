"""The totals are the sums of the items: tickets, hotels, trains, inner-city transport, and all."""

from collections.abc import Iterator

from backend.money import format_money
from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.costs import add_costs
from backend.planner.itinerary import Costs
from backend.text import Locale

NAMES: dict[str, dict[Locale, str]] = {
    "tickets": {"zh-CN": "门票", "en": "Tickets"},
    "hotels": {"zh-CN": "酒店", "en": "Hotels"},
    "trains": {"zh-CN": "火车", "en": "Trains"},
    "local_transport": {"zh-CN": "市内交通", "en": "Local transport"},
    "total": {"zh-CN": "总花费", "en": "Everything"},
}


def find(context: CheckContext) -> Iterator[Finding]:
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
    find,
)

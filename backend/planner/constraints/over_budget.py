"""The whole plan costs no more than the traveller's budget."""

from collections.abc import Iterator

from backend.money import format_money
from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding


def find(context: CheckContext) -> Iterator[Finding]:
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
    find,
    fix={"zh-CN": "请节省 {over}，或提高预算。", "en": "Save {over}, or raise the budget."},
)

"""What runs cost, and the daily limit that new ones are refused by."""

import datetime as dt
from collections.abc import Iterable, Mapping
from decimal import Decimal

from backend.agent.models import Models
from backend.clock import read_utc
from backend.db.session import Session
from backend.document import Document
from backend.errors import ConfigurationError, Fault, RequestRefusedError, WaypoolError
from backend.params.registry import ParamValue
from backend.pool.plan_request import PlannerChoice
from backend.runs.log.queries import sum_costs
from backend.runs.log.stages import Stage
from backend.text import MOST_NEAR, find_near, quote, shorten


class CostLimitError(WaypoolError):
    """The tenant's models have cost what they may for today."""

    code = "COST_LIMIT"


async def check_spending(
    session: Session, tenant: str, planner: PlannerChoice, params: Mapping[str, ParamValue]
) -> None:
    """Refuse a run that may ask a model where the tenant's day is spent; days are UTC."""
    limit = params["TENANT_DAILY_COST_LIMIT"]
    if limit is None or planner == "builtin":
        return
    today = read_utc().replace(hour=0, minute=0, second=0, microsecond=0)
    spent = await sum_costs(session, tenant, today)
    if spent >= Decimal(str(limit)):
        again = (today + dt.timedelta(days=1)).isoformat()
        raise CostLimitError(
            f"the models have cost {tenant} {write_amount(spent)} today, the limit is {limit}"
            f" (TENANT_DAILY_COST_LIMIT); from {again} on they may be asked again,"
            ' until then "planner": "builtin" plans at no cost'
        )


def check_model(name: str | None, names: Iterable[str]) -> None:
    """Refuse a run that asks for a model that is not configured."""
    known = list(names)
    if name is None or name in known:
        return
    if not known:
        raise RequestRefusedError(
            [Fault("model", "unknown_model", "no language model is configured here")]
        )
    message = f"no model {quote(name)} is configured"
    near = tuple(find_near(shorten(name), known, MOST_NEAR, 0))
    raise RequestRefusedError([Fault("model", "unknown_model", message, near)])


def count_cost(stages: Iterable[Stage], models: Models | None) -> Decimal | None:
    """What a run's replies cost; None where it asked no model, or one without prices."""
    costs = []
    for stage in stages:
        if stage.planner != "openai" or models is None:
            continue
        try:
            prices = models.find(stage.model).prices
        except ConfigurationError:  # it was configured when the run began
            return None
        if prices is None:
            return None
        costs.append(prices.charge(stage.usage))
    return sum(costs, Decimal(0)) if costs else None


class CostDocument(Document):
    """What the model's replies cost, in the currency of the configured prices."""

    amount: str
    currency: str


def show_cost(cost: Decimal | None, currency: str | None) -> CostDocument | None:
    """The cost as documents show it."""
    if cost is None or currency is None:
        return None
    return CostDocument(amount=write_amount(cost), currency=currency)


def write_amount(cost: Decimal) -> str:
    """All digits that count, never an exponent."""
    text = f"{cost:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text

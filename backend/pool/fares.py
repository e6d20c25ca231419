"""What a party pays for tickets by head: each traveller the share of his age, adults the full price."""

from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from typing import Annotated, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainSerializer

from backend.money import CENT, Money
from backend.pool.plan_request import PlanRequest

FareKind = Literal["rail", "sight"]
Who = Literal["adult", "child", "senior", "student", "free"]

_ORDER: tuple[Who, ...] = ("adult", "child", "senior", "student", "free")
_THOUSANDTH = Decimal("0.001")

Share = Annotated[
    Decimal,
    AfterValidator(lambda share: share.quantize(_THOUSANDTH)),
    PlainSerializer(str, return_type=str, when_used="json"),
]


class FareRule(BaseModel):
    """The share of the adult's price that an age pays in a country, for trains or for sights."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    country: str
    kind: FareKind
    who: Who
    age_from: int
    age_to: int | None
    share: Share

    def covers(self, age: int) -> bool:
        """Whether somebody of this age pays this share."""
        return self.age_from <= age and (self.age_to is None or age <= self.age_to)


class HeadFare(BaseModel):
    """How many of the party pay which price for one ticket."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    who: Who
    count: int = Field(ge=1)
    price: Money


class Payment(NamedTuple):
    """What the party pays; without `fares` everybody pays the adult's price."""

    fares: tuple[HeadFare, ...]
    cost: Decimal | None


def has_ages(request: PlanRequest) -> bool:
    """Whether somebody in the party may pay another price than an adult's."""
    return bool(request.children or request.seniors)


def pay_tickets(request: PlanRequest, rules: Iterable[FareRule], price: Decimal | None) -> Payment:
    """The price of one ticket for each; `rules` are those of the ticket's country and kind."""
    if price is None:
        return Payment((), None)
    here = tuple(rules)
    if not has_ages(request) or not here:
        return Payment((), price * request.travellers)
    groups = Counter(_find_fare(here, age) for age in (*request.children, *request.seniors))
    groups["adult", Decimal(1)] += request.travellers - groups.total()
    fares = tuple(
        HeadFare(who=who, count=count, price=_round(price * share))
        for (who, share), count in sorted(groups.items(), key=_rank)
        if count
    )
    return Payment(fares, sum((fare.price * fare.count for fare in fares), Decimal(0)))


def count_shares(request: PlanRequest, rules: Sequence[FareRule]) -> Decimal:
    """How many adult tickets cost as much as the whole party's, before rounding."""
    ages = (*request.children, *request.seniors)
    shares = (_find_fare(rules, age)[1] if rules else Decimal(1) for age in ages)
    return sum(shares, Decimal(request.travellers - len(ages)))


def _find_fare(rules: Sequence[FareRule], age: int) -> tuple[Who, Decimal]:
    """The cheapest of the shares that hold at this age; an age without one pays in full."""
    found = [rule for rule in rules if rule.who != "student" and rule.covers(age)]
    if not found:
        return "adult", Decimal(1)
    best = min(found, key=lambda rule: (rule.share, _ORDER.index(rule.who)))
    return best.who, best.share.normalize()


def _rank(group: tuple[tuple[Who, Decimal], int]) -> tuple[int, Decimal]:
    (who, share), _ = group
    return _ORDER.index(who), -share


def _round(price: Decimal) -> Decimal:
    return price.quantize(CENT, ROUND_HALF_UP)

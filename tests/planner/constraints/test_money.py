"""Prices, sums and budgets: each limit from both sides."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from backend.planner.plan.itinerary import Itinerary
from backend.pool.snapshot import Snapshot
from tests.factories import make_snapshot
from tests.planner.constraints.written_plans import Written, alone
from tests.row_makers import make_hotel, make_poi, make_train

POIS = [
    make_poi("hall", price=Decimal("34.50")),
    make_poi("lane", price=None),
    make_poi("food", price=Decimal(80)),
]
HOTELS = [make_hotel("inn", price_per_night=Decimal(400)), make_hotel("none", price_per_night=None)]
D1 = make_train("D1", ("shanghai", "上海虹桥站", "07:00"), ("beijing", "北京南站", "11:00"))
D2 = make_train(
    "D2", ("shanghai", "上海虹桥站", "08:00"), ("beijing", "北京南站", "12:00"), price=None
)
TRIP = make_snapshot(days=2, pois=POIS, hotels=HOTELS, trains=[D1, D2], travellers=3)
DAYS = ("train d1; 12:00-13:00 walk; 13:00-14:00 visit hall; 18:00-19:00 dinner food; hotel inn",
        "10:00-11:00 visit lane; 12:00-13:00 lunch; train d2; own beijing shanghai")  # fmt: skip
TOTAL = Decimal("2643.50")
"""Three travellers: 1500 by train, 103.50 and 240 at places, two rooms for 400."""


def alter(number: int, **fields: Any) -> Callable[[Itinerary], Itinerary]:
    """Other values in an item of the first day; the sums stay."""

    def change(itinerary: Itinerary) -> Itinerary:
        items = list(itinerary.days[0].items)
        items[number] = items[number].model_copy(update=fields)
        first = itinerary.days[0].model_copy(update={"items": tuple(items)})
        return itinerary.model_copy(update={"days": (first, *itinerary.days[1:])})

    return change


def add(name: str, amount: str) -> Callable[[Itinerary], Itinerary]:
    """One of the sums with more in it."""

    def change(itinerary: Itinerary) -> Itinerary:
        more = getattr(itinerary.costs, name) + Decimal(amount)
        costs = itinerary.costs.model_copy(update={name: more})
        return itinerary.model_copy(update={"costs": costs})

    return change


def cost(number: int, **fields: Any) -> Written:
    """The trip with other values in one item."""
    return Written(TRIP, DAYS, change=alter(number, **fields))


def should_cost(item: int, name: str, right: str, have: str) -> str:
    return f"error 1.{item} -: “{name}” should cost {right}, not {have}."


def total(name: str, right: str, have: str) -> str:
    return f"error -.- -: {name} add up to {right}, not to {have}."


def tier(name: str = "economy", **changes: Any) -> Snapshot:
    """A night in Beijing; tickets of at most 150, and hotels of two or three stars, are economy."""
    return alone(**{"days": 2, "budget_tier": name, **changes})


def ticket(price: str, **changes: Any) -> Written:
    poi = make_poi("hall", price=Decimal(price))
    return Written(tier(pois=[poi], **changes), ("10:00-11:00 lunch; 13:00-14:00 visit hall", ""))


def widen(snapshot: Snapshot) -> Snapshot:
    """The same where no hotel of the tier was found."""
    pool = snapshot.cities["beijing"].model_copy(update={"hotels_widened": True})
    return snapshot.model_copy(update={"cities": {"beijing": pool}})


def nights(stars: int | None, name: str = "economy", days: int = 3) -> Written:
    snapshot = tier(name, days=days, hotels=[make_hotel("inn", stars=stars)])
    return Written(snapshot, ("09:00-10:00 lunch; hotel inn", *["hotel inn"] * (days - 2), ""))


def not_tier(where: str, name: str, what: str, severity: str = "error") -> str:
    return f"{severity} {where} -: “{name}” is not of the chosen budget tier ({what})."


WIDE = tier(hotels=[make_hotel("inn", stars=5)])
WIDE_BAND = WIDE.model_copy(
    update={"params": {**WIDE.params, "HOTEL_STARS_ECONOMY": [2, 3, 4]}}
)  # fmt: skip
IN_EUROS = TRIP.model_copy(update={"currency": "EUR"})
NO_FARES = ("warning -.- -: No local fares are known in EUR: local transport is not in the "
            "total.")  # fmt: skip

CASES: list[tuple[str, Written, list[str]]] = [
    ("OVER_BUDGET", Written(TRIP, DAYS), []),
    *[("OVER_BUDGET",
       Written(make_snapshot(days=2, pois=POIS, hotels=HOTELS, trains=[D1, D2], travellers=3,
                             budget_total=budget), DAYS), found)
      for budget, found in (
          (TOTAL, []),
          (TOTAL + 1, []),
          (TOTAL - Decimal("0.01"), [
              "error -.- 0.01: The plan costs 2643.50 CNY, 0.01 over the budget of 2643.49. "
              "Save 0.01, or raise the budget."]),
          (TOTAL - 600, [
              "error -.- 600.00: The plan costs 2643.50 CNY, 600.00 over the budget of 2043.50. "
              "Save 600.00, or raise the budget."]))],
    ("COST_WRONG", Written(TRIP, DAYS), []),
    ("COST_WRONG", cost(0, price=Decimal("500.01")), [should_cost(0, "D1", "1500.00", "1500.00")]),
    ("COST_WRONG", cost(0, tickets=2, cost=Decimal(1000)),
     [should_cost(0, "D1", "1500.00", "1000.00")]),
    ("COST_WRONG", cost(0, cost=None), [should_cost(0, "D1", "1500.00", "—")]),
    ("COST_WRONG", cost(1, cost=Decimal("0.01")), [should_cost(1, "A → B", "0.00", "0.01")]),
    ("COST_WRONG", cost(1, mode="metro", cost=Decimal(9)), []),
    ("COST_WRONG", cost(2, cost=Decimal("103.51")), [should_cost(2, "hall", "103.50", "103.51")]),
    ("COST_WRONG", cost(2, price=Decimal("34.49")), [should_cost(2, "hall", "103.50", "103.50")]),
    ("COST_WRONG", cost(2, tickets=4), [should_cost(2, "hall", "103.50", "103.50")]),
    ("COST_WRONG", cost(2, poi_id="nowhere", cost=Decimal(1)), []),  # NOT_IN_POOL
    ("COST_WRONG", cost(3, cost=Decimal(160)), [should_cost(3, "food", "240.00", "160.00")]),
    ("COST_WRONG", cost(3, poi_id=None, price=None, tickets=None, cost=None), []),
    ("COST_WRONG", cost(4, rooms=1, cost=Decimal(400)), []),  # ROOMS_TOO_FEW
    ("COST_WRONG", cost(4, rooms=1), [should_cost(4, "inn", "400.00", "800.00")]),
    ("COST_WRONG", cost(4, price=Decimal(401)), [should_cost(4, "inn", "800.00", "800.00")]),
    ("COST_WRONG", cost(4, hotel_id="none", price=Decimal(9), cost=Decimal(18)),
     [should_cost(4, "none", "—", "18.00")]),
    ("COST_WRONG", cost(4, hotel_id="nowhere", cost=Decimal(1)), []),
    ("COST_WRONG", Written(alone(fixed=[{"title": "tea", "start": "2026-10-13T13:00",
                                         "end": "2026-10-13T14:00"}]), ("13:00-14:00 fixed tea",)),
     []),
    ("TOTAL_WRONG", Written(TRIP, DAYS), []),
    *[("TOTAL_WRONG", Written(TRIP, DAYS, change=add(name, amount)), [total(shown, right, have)])
      for name, amount, shown, right, have in (
          ("tickets", "0.01", "Tickets", "103.50", "103.51"),
          ("hotels", "-1", "Hotels", "800.00", "799.00"),
          ("trains", "100", "Trains", "1500.00", "1600.00"),
          ("local_transport", "3", "Local transport", "0.00", "3.00"),
          ("total", "-0.01", "Everything", "2643.50", "2643.49"))],
    ("TOTAL_WRONG", Written(alone(locale="zh-CN"), ("",), change=add("total", "1")),
     ["error -.- -: 总花费合计应为 0.00，而不是 1.00。"]),
    ("TIER_EXCEEDED", ticket("150"), []),
    ("TIER_EXCEEDED", ticket("150.01"),
     [not_tier("1.1", "hall", "150.01 a ticket, at most 150.00")]),
    ("TIER_EXCEEDED", ticket("150.01", must_see=["hall"]),
     [not_tier("1.1", "hall", "150.01 a ticket, at most 150.00", "warning")]),
    ("TIER_EXCEEDED", ticket("150.01", locale="zh-CN"),
     ["error 1.1 -: “hall”不在所选的预算档次内（票价 150.01，上限 150.00）。"]),
    ("TIER_EXCEEDED", ticket("9999", budget_tier="quality"), []),
    ("TIER_EXCEEDED", Written(tier(pois=[POIS[1]]), ("13:00-14:00 visit lane", "")), []),
    *[("TIER_EXCEEDED", nights(stars, name), found)
      for stars, name, found in (
          (2, "economy", []),
          (3, "economy", []),
          (4, "economy", [not_tier("1.1", "inn", "4 stars instead of 2–3")]),
          (1, "economy", [not_tier("1.1", "inn", "1 stars instead of 2–3")]),
          (None, "economy", [not_tier("1.1", "inn", "? stars instead of 2–3")]))],
    ("TIER_EXCEEDED", Written(widen(tier(hotels=[make_hotel("inn", stars=4)])), ("hotel inn", "")),
     [not_tier("1.0", "inn", "4 stars instead of 2–3", "warning")]),
    ("TIER_EXCEEDED", Written(tier(hotels=[make_hotel("inn", stars=5)], locale="zh-CN"),
                              ("hotel nowhere; hotel inn", "")),
     ["error 1.1 -: “inn”不在所选的预算档次内（5 星，应为 2–3 星）。"]),
    ("PRICE_UNKNOWN", Written(TRIP, DAYS[:1]), []),
    ("PRICE_UNKNOWN", Written(TRIP, ("hotel none; own beijing shanghai", f"hotel none; {DAYS[1]}")),
     [f"warning {where} -: The price of “{name}” is unknown and not in the total."
      for where, name in (("1.0", "none"), ("2.1", "lane"), ("2.3", "D2"))]),
    ("PRICE_UNKNOWN", Written(TRIP, ("12:00-13:00 lunch lane; 13:00-13:10 walk", "")),
     ["warning 1.0 -: The price of “lane” is unknown and not in the total."]),
    ("FARES_UNKNOWN", Written(IN_EUROS, ("12:00-12:10 walk", "10:00-10:10 metro; 11:00-11:05 taxi")),
     [NO_FARES]),
    ("FARES_UNKNOWN", Written(IN_EUROS, DAYS), []),
    ("FARES_UNKNOWN", Written(TRIP, ("10:00-10:10 metro", "")), []),
    ("TIER_EXCEEDED", Written(WIDE_BAND, ("hotel inn", "")),
     [not_tier("1.0", "inn", "5 stars instead of 2–4")]),
]  # fmt: skip


@pytest.mark.parametrize(("code", "plan", "findings"), CASES)
def test_money(code: str, plan: Written, findings: list[str]) -> None:
    assert plan.find(code) == findings

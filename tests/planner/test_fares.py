"""Fares by age: who pays what, in items, totals, checks and exports."""

from decimal import Decimal
from typing import Any

import pytest

from backend.planner.check.validator import validate
from backend.planner.days.timeline import build_itinerary
from backend.planner.exports.words import WORDS, describe_cost
from backend.planner.plan.itinerary import Itinerary, LegItem, VisitItem
from backend.pool.build import find_warnings
from backend.pool.fares import FareRule, HeadFare, pay_tickets
from backend.pool.rebuild import find_differences
from backend.pool.snapshot import Snapshot
from backend.pool.stay import TripCalendar
from tests.factories import make_request, make_snapshot
from tests.planner.plans import make_draft


def rule(kind: str, who: str, ages: tuple[int, int | None], share: str) -> FareRule:
    first, last = ages
    values = {"kind": kind, "who": who, "age_from": first, "age_to": last, "share": share}
    return FareRule.model_validate({"country": "CN", **values})


RULES = (
    rule("rail", "free", (0, 5), "0"),
    rule("rail", "child", (6, 13), "0.5"),
    rule("rail", "adult", (14, None), "1"),
    rule("sight", "free", (0, 5), "0"),
    rule("sight", "child", (6, 17), "0.5"),
    rule("sight", "senior", (60, 69), "0.5"),
    rule("sight", "free", (70, None), "0"),
)
DRAFT = make_draft(
    {2: ["bj-gugong", "bj-kaoya"]}, hotels={"beijing": "bj-h-dongdan"}, trains={0: ["g2"]}
)


def make_family(fares: tuple[FareRule, ...] = RULES, **changes: Any) -> Snapshot:
    snapshot = make_snapshot(travellers=5, children=(3, 15), seniors=(66, 71), **changes)
    return snapshot.model_copy(update={"fares": fares}).sealed()


def find_item(itinerary: Itinerary, kind: type) -> Any:
    return next(i for day in itinerary.days for i in day.items if isinstance(i, kind))


def list_sums(fares: tuple[HeadFare, ...]) -> list[tuple[str, int, str]]:
    return [(fare.who, fare.count, str(fare.price)) for fare in fares]


def test_each_traveller_pays_the_share_of_his_age() -> None:
    itinerary = build_itinerary(make_family(), DRAFT)
    visit, ride = find_item(itinerary, VisitItem), find_item(itinerary, LegItem)
    assert visit.price == Decimal(60)
    assert list_sums(visit.fares) == [
        ("adult", 1, "60.00"),
        ("child", 1, "30.00"),
        ("senior", 1, "30.00"),
        ("free", 2, "0.00"),
    ]
    assert (visit.tickets, visit.cost) == (5, Decimal(120))
    assert [(fare.who, fare.count) for fare in ride.fares] == [("adult", 4), ("free", 1)]
    assert ride.cost == ride.price * 4
    meal = next(i for i in itinerary.days[1].items if i.kind == "meal" and i.poi_id)
    assert meal.kind == "meal"
    assert meal.price is not None
    assert meal.cost == meal.price * 5, "meals have no fares by age"
    assert (itinerary.costs.tickets, itinerary.costs.meals) == (visit.cost, meal.cost)
    assert itinerary.costs.trains == ride.cost


def test_a_price_of_adults_is_wrong_where_fares_by_age_are_known() -> None:
    family, plain = make_family(), make_family(())
    right, wrong = (build_itinerary(snapshot, DRAFT) for snapshot in (family, plain))
    assert "COST_WRONG" not in {v.code for v in validate(family, DRAFT, right)}
    found = [v for v in validate(family, DRAFT, wrong) if v.code == "COST_WRONG"]
    assert len(found) == 2  # the sight and the train, and not the meal
    assert {v.code for v in validate(plain, DRAFT, wrong)} & {"COST_WRONG"} == set()


@pytest.mark.parametrize(
    ("children", "rules", "fares", "cost"),
    [
        ((), RULES, [], "20.02"),
        ((3,), (), [], "20.02"),
        ((9,), RULES[1:3], [("adult", 1, "10.01"), ("child", 1, "5.01")], "15.02"),
        ((16,), RULES[:2], [("adult", 2, "10.01")], "20.02"),
    ],
)
def test_without_ages_or_without_fares_all_pay_the_same(
    children: tuple[int, ...], rules: tuple[FareRule, ...], fares: list[Any], cost: str
) -> None:
    paid = pay_tickets(make_request(children=children), rules, Decimal("10.01"))
    assert (list_sums(paid.fares), paid.cost) == (fares, Decimal(cost))


@pytest.mark.parametrize(("fares", "is_said"), [(RULES, False), (RULES[:3], True), ((), True)])
def test_adult_fares_are_said_only_where_fares_are_missing(
    fares: tuple[FareRule, ...], is_said: bool
) -> None:
    snapshot = make_family(fares)
    countries = {city: row.country for city, row in snapshot.city_rows.items()}
    calendar = TripCalendar(snapshot.days_off, countries, frozenset())
    found = find_warnings(
        snapshot.request, snapshot.cities, snapshot.legs, snapshot.rows, calendar, fares
    )
    assert ("ADULT_FARES" in {warning.code for warning in found}) == is_said


def test_fares_are_in_the_snapshot_only_where_they_count() -> None:
    family = make_family()
    again = Snapshot.model_validate_json(family.as_text())
    assert again.fares == RULES
    assert again.sealed().sha256 == family.sha256
    assert "/fares" not in find_differences(family)
    assert "fares" not in make_snapshot().as_json()
    assert '"fares"' not in build_itinerary(make_snapshot(), DRAFT).model_dump_json()


def test_a_reader_sees_who_pays_what() -> None:
    visit = find_item(build_itinerary(make_family(), DRAFT), VisitItem)
    assert describe_cost(visit, "CNY", WORDS["en"]) == (
        "adult 1 × 60.00 + child 1 × 30.00 + senior 1 × 30.00 + free 2 × 0.00 = 120.00 CNY"
    )

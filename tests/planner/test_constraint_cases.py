"""For every constraint a plan that breaks it and nothing else; a new one without a case fails here."""

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest

from backend.planner.check.validator import CONSTRAINTS, validate
from backend.planner.days.timeline import add_costs, build_itinerary
from backend.planner.plan.draft import Draft
from backend.planner.plan.itinerary import Itinerary, LegItem, TransferItem
from backend.pool.snapshot import Snapshot
from tests.factories import make_snapshot
from tests.planner.plans import make_draft
from tests.row_makers import make_hotel, make_poi, make_train
from tests.sample_rows import BEIJING_POIS, TRAINS

VISITS: dict[int, list[Any]] = {
    1: ["bj-tiantan"],
    2: ["bj-guobo", "bj-kaoya"],
    3: ["bj-shichahai"],
}
HOTEL = {"beijing": "bj-h-dongdan"}
TEA = {"title": "tea", "start": "2026-10-15T10:00", "end": "2026-10-15T10:30"}
AIRPORT = {"time": "13:40", "place": {"lat": 40.08, "lon": 116.58, "name": "airport"}}
Items = list[Any]


def sound(changes: Mapping[int, list[Any]] | None = None, **choices: Any) -> Draft:
    """Three days in Beijing that break nothing, but for the days that are given."""
    usual: dict[str, Any] = {"hotels": HOTEL, "trains": {0: ["g2"], 1: ["g21"]}}
    return make_draft({**VISITS, **(changes or {})}, **{**usual, **choices})


def both(changes: Mapping[int, list[Any]] | None = None, **choices: Any) -> Draft:
    """Five days in Beijing and Xi'an that break nothing."""
    visits = {1: ["bj-tiantan"], 2: ["bj-guobo", "bj-jingshan"], 4: ["xa-chengqiang"]}
    trains = {0: ["g2"], 1: ["g663"], 2: ["g1936"]}
    usual: dict[str, Any] = {"hotels": {**HOTEL, "xian": "xa-h-zhonglou"}, "trains": trains}
    return make_draft({**visits, **(changes or {})}, **{**usual, **choices})


def with_poi(poi_id: str, **changes: Any) -> Snapshot:
    """The sample with one more place."""
    return make_snapshot(pois=[*BEIJING_POIS, make_poi(poi_id, **changes)])


@dataclass(frozen=True)
class Case:
    """A plan; `change` edits the items of `day` by hand, `beside` is what comes along by nature."""

    snapshot: Snapshot
    draft: Draft
    day: int = 0
    change: Callable[[Items], None] | None = None
    severity: str = ""
    beside: frozenset[str] = field(default_factory=frozenset)

    def build(self) -> Itinerary:
        """The itinerary with the change in it, its totals added up again."""
        itinerary = build_itinerary(self.snapshot, self.draft)
        if self.change is None:
            return itinerary
        days = list(itinerary.days)
        items: Items = list(days[self.day - 1].items)
        self.change(items)
        days[self.day - 1] = days[self.day - 1].model_copy(update={"items": tuple(items)})
        return itinerary.model_copy(update={"days": tuple(days), "costs": add_costs(days)})


def find(items: Items, kind: str) -> int:
    return next(number for number, item in enumerate(items) if item.kind == kind)


def edit(kind: str, **changes: Any) -> Callable[[Items], None]:
    """Change fields of the first item of a kind; a function gets the item."""

    def change(items: Items) -> None:
        number = find(items, kind)
        item = items[number]
        made = {name: value(item) if callable(value) else value for name, value in changes.items()}
        items[number] = item.model_copy(update=made)

    return change


def shift(name: str, minutes: int) -> Callable[[Any], Any]:
    return lambda item: getattr(item, name) + dt.timedelta(minutes=minutes)


def begin_at_once(items: Items) -> None:
    """No way to the first visit: it begins when what is before the way ends."""
    number = find(items, "visit")
    way, visit = items[number - 1], items[number]
    length = visit.leave - visit.arrive
    assert isinstance(way, TransferItem)
    start = way.depart
    items[number] = visit.model_copy(update={"arrive": start, "leave": start + length})
    del items[number - 1]


def begin_before_arrival(items: Items) -> None:
    number = find(items, "visit")
    del items[:number]
    edit("visit", arrive=shift("arrive", -300), leave=shift("leave", -300))(items)


def stay_again(items: Items) -> None:
    stay = items[find(items, "stay")]
    price = Decimal(520)
    other = {"hotel_id": "bj-h-xidan", "name": "bj-h-xidan", "price": price, "cost": price}
    items.append(stay.model_copy(update=other))


def stay_in_xian(items: Items) -> None:
    price = Decimal(350)
    other = {"hotel_id": "xa-h-zhonglou", "name": "x", "price": price, "cost": price}
    items[find(items, "stay")] = items[find(items, "stay")].model_copy(update=other)


def leave_early(items: Items) -> None:
    """The second train departs before the first has arrived."""
    assert isinstance(items[1], LegItem)
    edit("leg", depart=shift("depart", -20))(second := items[1:])
    items[1:] = second


OWL = make_train(
    "K9", ("shanghai", "上海虹桥站", "18:00"), ("beijing", "北京南站", "03:10"), day_offset=1
)
HURRY = {0: ["k1", "k2"], 1: ["g21"]}
HURRIED = make_snapshot(
    trains=[
        make_train("K1", ("shanghai", "上海虹桥站", "07:00"), ("zhengzhou", "郑州东站", "10:00")),
        make_train("K2", ("zhengzhou", "郑州东站", "10:10"), ("beijing", "北京南站", "13:10")),
        *(train for train in TRAINS if train.to_city != "beijing"),
    ],
    connections=[("k1", "k2")],
)
OUT_OF_CHINA = make_snapshot().model_copy(update={"currency": "EUR"})
BOTH_CITIES = make_snapshot(("beijing", "xian"), days=5)
NO_WAY_TO_XIAN = make_snapshot(
    ("beijing", "xian"), days=5, trains=[train for train in TRAINS if train.to_city != "xian"]
)
SHORT = [make_poi(f"short-{n}", duration_min=30) for n in range(3)]
LATE_CHECK_IN = [make_hotel("bj-h-dongdan", check_in="17:00")]


def wished(**wish: Any) -> Case:
    """The sound plan, with a wish that it does not keep."""
    return Case(make_snapshot(wishes=[wish]), sound())


CASES: dict[str, Case] = {
    "NOT_IN_POOL": Case(make_snapshot(), sound({2: [*VISITS[2], "bj-nowhere"]})),
    "AVOIDED": Case(make_snapshot(avoid=["museum"]), sound()),
    "WRONG_CITY": Case(BOTH_CITIES, both({1: ["bj-tiantan", "xa-dayanta"]})),
    "DUPLICATE": Case(make_snapshot(), sound({3: ["bj-tiantan"]})),
    "CLOSED_SEASON": Case(with_poi("ice", closed_season="03-01/12-01"), sound({3: ["ice"]})),
    "CLOSED": Case(with_poi("hall", opening_hours="Fr 09:00-17:00"), sound({3: ["hall"]})),
    "LAST_ENTRY": Case(
        with_poi("hall", opening_hours="09:00-22:00", last_entry="15:00"),
        sound({2: [("hall", 16 * 60)]}),
    ),
    "VISIT_TOO_SHORT": Case(make_snapshot(), sound(), 2, edit("visit", leave=shift("leave", -73))),
    "DAY_HOURS": Case(with_poi("bar", opening_hours="20:00-23:00"), sound({2: ["bar"]})),
    "OVERLAP": Case(
        make_snapshot(), sound(), 1,
        edit("meal", start=shift("start", -20), end=shift("end", -20)),
    ),
    "TRAVEL_TIME": Case(make_snapshot(), sound(), 1, begin_at_once),
    "BEFORE_ARRIVAL": Case(
        make_snapshot(arrival=AIRPORT), sound(trains={0: ["g21"]}), 1, begin_before_arrival
    ),
    "FIXED_MOVED": Case(
        make_snapshot(fixed=[TEA]), sound(), 3,
        edit("fixed", start=shift("start", -5), end=shift("end", -5)),
    ),
    "WRONG_LEG": Case(make_snapshot(), sound(trains={0: ["g2"], 1: ["g21"], 7: ["g7"]})),
    "LEG_NOT_CHOSEN": Case(make_snapshot(), sound(trains={0: ["g2"]})),
    "LEG_ORDER": Case(HURRIED, sound(trains=HURRY), 1, leave_early),
    "CHANGE_TIME": Case(HURRIED, sound(trains=HURRY)),
    "LEG_MISSED": Case(make_snapshot(), sound({3: [("bj-shichahai", 15 * 60 + 45)]})),
    "LEG_TOO_SHORT": Case(
        NO_WAY_TO_XIAN,
        both(
            {3: [("bj-jingshan", 14 * 60), "xa-chengqiang"], 2: ["bj-guobo"], 4: ["xa-dayanta"]},
            trains={0: ["g2"], 2: ["g1936"]},
        ),
        beside=frozenset({"LEG_NOT_COVERED"}),
    ),
    "HOTEL_MISSING": Case(make_snapshot(), sound(hotels={})),
    "HOTEL_WRONG_CITY": Case(BOTH_CITIES, both(), 2, stay_in_xian),
    "HOTEL_TWICE": Case(make_snapshot(), sound(), 2, stay_again),
    "ROOMS_TOO_FEW": Case(
        make_snapshot(travellers=4), sound(), 2, edit("stay", rooms=1, cost=Decimal(400))
    ),
    "MUST_SEE_MISSING": Case(make_snapshot(must_see=["bj-jingshan"]), sound()),
    "OVER_BUDGET": Case(make_snapshot(budget_total=2000), sound()),
    "COST_WRONG": Case(
        make_snapshot(), sound(), 1, edit("visit", tickets=1, cost=Decimal(34))
    ),
    "TIER_EXCEEDED": Case(make_snapshot(budget_tier="economy"), sound()),
    "MUST_SEE_CLOSED": Case(
        make_snapshot(pois=[*BEIJING_POIS, make_poi("shut", opening_hours="Su 09:00-17:00")],
                      must_see=["shut"]),
        sound(),
    ),
    "MUST_SEE_NO_FIT": Case(
        make_snapshot(pois=[*BEIJING_POIS, make_poi("long", duration_min=900)],
                      must_see=["long"]),
        sound(),
    ),
    "LEG_NOT_COVERED": Case(make_snapshot(trains=TRAINS[:1]), sound(trains={0: ["g2"]})),
    "HOTEL_NOT_COVERED": Case(make_snapshot(hotels=[]), sound(hotels={})),
    "NO_VISIT": Case(
        make_snapshot(pois=[make_poi("shut", opening_hours="We off")], days=1, origin=None),
        make_draft({}),
        beside=frozenset({"EMPTY_DAY"}),
    ),
    "EMPTY_DAY": Case(make_snapshot(), sound({2: []})),
    "MEAL_MISSED": Case(
        with_poi("hall", opening_hours="10:50-15:00", duration_min=235), sound({2: ["hall"]})
    ),
    "PACE": Case(
        make_snapshot(pois=[*BEIJING_POIS, *SHORT], pace="relaxed"),
        sound({2: ["bj-guobo", *(poi.id for poi in SHORT), "bj-kaoya"]}),
    ),
    "TRAVEL_SHARE": Case(with_poi("far", lat=40.6, duration_min=60), sound({2: ["far"]})),
    "INTEREST_UNMET": Case(make_snapshot(interests=["no_such"]), sound()),
    "WISH_MISSED": Case(make_snapshot(), sound({2: [("bj-798", 8 * 60)]})),
    "LATE_ARRIVAL": Case(
        make_snapshot(trains=[*TRAINS, OWL]), sound({1: []}, trains={0: ["k9"], 1: ["g21"]})
    ),
    "LATE_HOME": Case(make_snapshot(trains=[t for t in TRAINS if t.id != "g7"]), sound()),
    "CHECK_IN": Case(make_snapshot(hotels=LATE_CHECK_IN), sound()),
    "RESERVATION_PASSED": Case(
        make_snapshot().model_copy(update={"asked_on": dt.date(2026, 10, 12)}),
        sound({2: ["bj-gugong"]}),
    ),
    "RESERVATION_REQUIRED": Case(make_snapshot(), sound({2: ["bj-gugong"]})),
    "HOURS_UNKNOWN": Case(with_poi("lane", opening_hours=""), sound({3: ["lane"]})),
    "PRICE_UNKNOWN": Case(with_poi("lane", price=None), sound({3: ["lane"]})),
    "FARES_UNKNOWN": Case(OUT_OF_CHINA, sound()),
    "WISH_SPEND": wished(kind="spend", on="hotels", at_most=1),
    "WISH_PRICE": wished(kind="price", of="night", at_most=1),
    "WISH_INTERCITY": wished(kind="intercity", types=["K"]),
    "WISH_BEDS": Case(
        make_snapshot(wishes=[{"kind": "beds", "in_room": "family"}]), sound(), severity="warning"
    ),
    "WISH_VISIT": wished(kind="visit", type=["aquarium"]),
    "WISH_EAT": wished(kind="eat", place="bj-kaoya", **{"not": True}),
    "WISH_HOTEL": wished(kind="hotel", hotel="bj-h-xidan"),
    "WISH_LOCAL": wished(kind="local", longest_min=1),
    "WISH_AT": wished(kind="at", place="bj-guobo", day=1),
}  # fmt: skip


def make_wrong_total() -> tuple[Case, Itinerary]:
    case = Case(make_snapshot(), sound())
    itinerary = case.build()
    costs = itinerary.costs.model_copy(update={"total": itinerary.costs.total + 1})
    return case, itinerary.model_copy(update={"costs": costs})


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=lambda constraint: constraint.code)
def test_a_plan_breaks_exactly_this(constraint: Any) -> None:
    if constraint.code == "TOTAL_WRONG":
        case, itinerary = make_wrong_total()
    else:
        case = CASES[constraint.code]
        itinerary = case.build()
    found = validate(case.snapshot, case.draft, itinerary)
    assert {v.code for v in found} - case.beside == {constraint.code}, found
    first = next(v for v in found if v.code == constraint.code)
    assert first.severity == (case.severity or constraint.severity)
    assert "{" not in first.message


def test_what_the_cases_change_is_sound_before() -> None:
    for snapshot, draft in ((make_snapshot(), sound()), (BOTH_CITIES, both())):
        assert validate(snapshot, draft, build_itinerary(snapshot, draft)) == []


def test_no_case_is_left_of_a_constraint_that_is_gone() -> None:
    assert set(CASES) | {"TOTAL_WRONG"} == {constraint.code for constraint in CONSTRAINTS}


def test_the_tier_gives_way_to_wishes_and_to_what_there_is() -> None:
    wanted = make_snapshot(budget_tier="economy", must_see=["bj-kaoya"])
    found = validate(wanted, sound(), build_itinerary(wanted, sound()))
    assert [(v.code, v.severity) for v in found] == [("TIER_EXCEEDED", "warning")]
    hotels = [make_hotel("bj-h-dongdan", stars=5)]
    for is_widened, severity in ((True, "warning"), (False, "error")):
        snapshot = make_snapshot(hotels=hotels)
        pool = snapshot.cities["beijing"].model_copy(update={"hotels_widened": is_widened})
        snapshot = snapshot.model_copy(update={"cities": {"beijing": pool}})
        found = validate(snapshot, sound(), build_itinerary(snapshot, sound()))
        assert [(v.code, v.severity) for v in found] == [("TIER_EXCEEDED", severity)]


def test_a_meal_between_two_places_takes_its_time_off_the_way() -> None:
    snapshot = make_snapshot()
    draft = sound({2: ["bj-guobo", "bj-jingshan"]})
    itinerary = build_itinerary(snapshot, draft)
    items: Items = list(itinerary.days[1].items)
    lunch = find(items, "meal")
    assert [item.kind for item in items[lunch - 1 : lunch + 3]] == [
        "visit", "meal", "transfer", "visit"
    ]  # fmt: skip
    later = items[lunch + 2]
    length = later.leave - later.arrive
    start = items[lunch].end + dt.timedelta(minutes=1)
    items[lunch + 2] = later.model_copy(update={"arrive": start, "leave": start + length})
    del items[lunch + 1]
    days = list(itinerary.days)
    days[1] = days[1].model_copy(update={"items": tuple(items)})
    changed = itinerary.model_copy(update={"days": tuple(days), "costs": add_costs(days)})
    assert {v.code for v in validate(snapshot, draft, changed)} == {"TRAVEL_TIME"}


def test_the_way_from_the_bed_counts() -> None:
    case = Case(make_snapshot(), sound(), 2, begin_at_once)
    found = validate(case.snapshot, case.draft, case.build())
    assert {v.code for v in found} == {"TRAVEL_TIME"}

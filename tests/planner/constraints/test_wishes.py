"""Wishes: each limit from both sides, to the yuan, the minute, the metre and the one."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from backend.planner.plan.itinerary import Itinerary, TransferItem
from tests.factories import make_snapshot
from tests.planner.constraints.written_plans import Written, alone
from tests.row_makers import make_hotel, make_poi, make_train

POIS = [
    make_poi("hall", type="museum", price=Decimal(60), tags=("history", "art")),
    make_poi("attic", type="museum", price=Decimal("40.50"), tags=("art",)),
    make_poi("hill", type="mountain", tags=("park",)),
    make_poi("lane", type="old_street", price=None, tags=()),
    make_poi("wok", type="restaurant", price=Decimal(80), cuisine=("sichuan",), tags=("food",)),
    make_poi("pot", type="restaurant", price=Decimal(120), cuisine=("hotpot", "sichuan"), tags=()),
    make_poi("pan", type="restaurant", price=Decimal(50), tags=()),
]
HOTELS = [
    make_hotel("inn", price_per_night=Decimal(400), stars=3, rating=4.5, tags=("view", "pool"), lat=39.9, lon=116.4,
               beds=("one_double", "two_single"), brand="Home Inn"),
    make_hotel("tower", price_per_night=Decimal(700), stars=5, lat=39.9, lon=116.41,
               beds=("one_double",)),
    make_hotel("barn", price_per_night=None, stars=None, lat=40.0, lon=116.4),
]  # fmt: skip
G1 = make_train("G1", ("shanghai", "上海虹桥站", "09:00"), ("beijing", "北京南站", "13:30"))
D9 = make_train("D9", ("beijing", "北京南站", "18:00"), ("shanghai", "上海虹桥站", "23:59"))
RIDES = ("train g1", "train d9")
Z1 = make_train("Z1", ("shanghai", "上海虹桥站", "09:00"), ("zhengzhou", "郑州东站", "12:00"))
Z2 = make_train("Z2", ("zhengzhou", "郑州东站", "13:00"), ("beijing", "北京南站", "16:00"))
G3 = make_train("G3", ("shanghai", "上海虹桥站", "10:00"), ("beijing", "北京南站", "14:30"))
OTHER = make_snapshot(
    days=2, trains=[G1, G3], wishes=[{"kind": "intercity", "legs": "out", "number": "G3"}]
)
CHANGED = make_snapshot(
    days=2, trains=[Z1, Z2], connections=[("z1", "z2")],
    wishes=[{"kind": "intercity", "legs": "out", "direct": True}],
)  # fmt: skip
DAYS = ("09:00-10:00 visit hall; 10:00-10:30 walk; 12:00-13:00 lunch wok; 13:00-14:00 visit hill;"
        " 18:00-19:00 dinner pot; hotel inn",
        "09:00-10:30 visit attic; 12:00-13:00 lunch pan; 14:00-14:20 taxi; 15:00-16:00 visit lane")  # fmt: skip


def case(kind: str, *found: str, **wish: Any) -> tuple[str, Written, list[str]]:
    """The usual two days with one wish, and what its constraint says."""
    change: Callable[[Itinerary], Itinerary] = wish.pop("change", lambda itinerary: itinerary)
    days: tuple[str, ...] = wish.pop("days", DAYS)
    wishes = [{"kind": "spend", "on": "local", "at_most": 9999}, {"kind": kind, **wish}]
    travelled = kind == "intercity"
    places: dict[str, Any] = {"pois": POIS, "hotels": HOTELS, "wishes": wishes}
    snapshot = make_snapshot(days=2, trains=[G1, D9], **places) if travelled else alone(2, **places)
    code = f"WISH_{kind.upper()}"
    return code, Written(snapshot, RIDES if travelled else days, change=change), list(found)


def far(metres: int) -> Callable[[Itinerary], Itinerary]:
    """The walk of the first day is so long."""

    def change(itinerary: Itinerary) -> Itinerary:
        first, *others = itinerary.days
        items = [
            item.model_copy(update={"distance_m": metres})
            if isinstance(item, TransferItem)
            else item
            for item in first.items
        ]
        days = (first.model_copy(update={"items": tuple(items)}), *others)
        return itinerary.model_copy(update={"days": days})

    return change


def at(**wish: Any) -> dict[str, Any]:
    return {"place": "attic", **wish}


CASES: list[tuple[str, Written, list[str]]] = [
    case("spend", on="hotels", at_most=400),
    case("spend", "error -.- 0.01: Spending: wished for “at most 399.99 on hotels in all”; it is 400.",
         on="hotels", at_most="399.99"),
    case("spend", on="meals", at_most=500, at_least=500),
    case("spend", "warning -.- 1: Spending: wished for “at most 499 on meals in all”; it is 500.",
         on="meals", at_most=499, weight="rather"),
    case("spend", "error -.- 1: Spending: wished for “at least 501 on meals in all”; it is 500.",
         on="meals", at_least=501),
    case("spend", "warning -.- -: Spending: wished for “at most 201 on tickets in all”;"
         " the prices of 1 item(s) are not known, the others come to 201.", on="tickets", at_most=201),
    case("spend", "error -.- 1.00: Spending: wished for “at most 200 on tickets in all”; it is 201.",
         on="tickets", at_most=200),
    case("spend", "error -.- -: Spending: wished for “not: at most 400 on hotels in all”; it is 400.",
         on="hotels", at_most=400, **{"not": True}),
    case("price", of="night", at_most=400),
    case("price", "error 1.5 0.01: Prices: wished for “at most 399.99 for a night in one room”;"
         " “inn” costs 400.", of="night", at_most="399.99"),
    case("price", of="meal", at_most=120),
    case("price", "error 1.4 1: Prices: wished for “at most 119 for a meal for one”; “pot” costs 120.",
         of="meal", at_most=119),
    case("price", "error 2.1 1: Prices: wished for “at least 51 for a meal for one”; “pan” costs 50.",
         of="meal", at_least=51),
    case("price", of="meal", at_most="83.33", each=False),
    case("price", "error -.- 0.01: Prices: wished for “at most 83.32 for a meal"
         " for one on average”; the mean is 83.33.", of="meal", at_most="83.32", each=False),
    case("price", "warning 2.3 -: Prices: wished for “at most 60 for a ticket”; the price of “lane” is"
         " not known.", of="ticket", at_most=60),
    case("price", "warning -.- -: Prices: wished for “at most 60 for a ticket on average”; 1 of the"
         " prices are not known.", of="ticket", at_most=60, each=False),
    case("intercity", mode="train"),
    case("intercity", legs="out", types=["g"], depart_after="09:00", arrive_before="13:30"),
    case("intercity", "error 1.0 1: Travel between cities: wished for “the way out; leaving at 09:01 or"
         " later”; it is the train G1 (09:00–13:30).", legs="out", depart_after="09:01"),
    case("intercity", "error 1.0 1: Travel between cities: wished for “leg 0 (from 0); arriving by"
         " 13:29”; it is the train G1 (09:00–13:30).", legs=0, arrive_before="13:29"),
    case("intercity", legs="back", depart_before="18:00", arrive_after="23:59"),
    case("intercity", "error 2.0 1: Travel between cities: wished for “the way back; leaving by 17:59”;"
         " it is the train D9 (18:00–23:59).", legs="back", depart_before="17:59"),
    case("intercity", "error 2.0 1: Travel between cities: wished for “leg 1 (from 0); arriving at"
         " 24:00 or later”; it is the train D9 (18:00–23:59).", legs=1, arrive_after="24:00"),
    case("intercity", "error 2.0 -: Travel between cities: wished for “all ways between cities; trains"
         " of type G”; it is the train D9 (18:00–23:59).", types=["G"]),
    case("intercity", "warning -.- -: Travel between cities: wished for “the way out; number d9”; the"
         " catalogue has no d9 on this way.", legs="out", number="d9"),
    ("WISH_INTERCITY", Written(OTHER, ("train g1", "own beijing shanghai")),
     ["error 1.0 -: Travel between cities: wished for “the way out; number G3”; it is the train G1"
      " (09:00–13:30)."]),
    case("intercity", legs="back", number="d9"),
    case("intercity", number="D9"),
    case("intercity", legs="out", direct=True, longest_min=270),
    case("intercity", "error 1.0 1: Travel between cities: wished for “the way out; no longer than 269"
         " minutes”; it is the train G1 (09:00–13:30).", legs="out", longest_min=269),
    case("intercity", mode="flight", **{"not": True}),
    case("intercity", "error 1.0 -: Travel between cities: wished for “not: the way out; by train”; it"
         " is the train G1 (09:00–13:30).", legs="out", mode="train", **{"not": True}),
    ("WISH_INTERCITY", Written(CHANGED, ("train z1; train z2", "own beijing shanghai")),
     ["error 1.0 -: Travel between cities: wished for “the way out; without a change”; it is the train"
      " Z1 + Z2 (09:00–16:00)."]),
    case("beds", in_room="two_single"),
    case("beds", in_room="two_single", rooms=1),
    case("beds", "error 1.5 1: Beds: wished for “2 room(s) with two single beds”; 1 room(s) are taken"
         " in “inn”.", in_room="two_single", rooms=2),
    case("beds", "error 1.5 -: Beds: wished for “rooms with a family room”; “inn” has no rooms with a"
         " family room.", in_room="family"),
    case("beds", "warning 1.0 -: Beds: wished for “rooms with a family room”; the beds of “barn” are"
         " not known: ask the hotel.", in_room="family", days=("hotel barn", "")),
    case("beds", in_room="one_double", **{"not": True}),
    case("beds", "error 1.0 -: Beds: wished for “not: rooms with one double bed”; “tower” has only"
         " rooms with one double bed.", in_room="one_double", days=("hotel tower", ""), **{"not": True}),
    case("visit", type=["museum"], at_least=2),
    case("visit", "error -.- 1: Visits: wished for “visit at least 3 of: museum”; only 2"
         " (hall, attic).", type=["museum"], at_least=3),
    case("visit", tag=["park"], any_of=["attic"], at_least=2),
    case("visit", "warning -.- 1: Visits: wished for “visit at least 1 of: beach”; there is none in"
         " the plan.", type=["beach"], weight="rather"),
    case("visit", type=["beach"], none=True),
    case("visit", "error 1.0 -: Visits: wished for “none of: History”; “hall” is in the plan.",
         tag=["history"], none=True),
    case("visit", "error 2.0 -: Visits: wished for “not: visit at least 1 of: attic”; “attic” is in the"
         " plan.", any_of=["attic"], **{"not": True}),
    case("visit", at_most=2, each_day=True),
    case("visit", "error 1.- 1: Visits: wished for “visit at most 1 of: sights; each day”; 2"
         " (hall, hill).", "error 2.- 1: Visits: wished for “visit at most 1 of: sights; each day”;"
         " 2 (attic, lane).", at_most=1, each_day=True),
    case("visit", "error 2.- 1: Visits: wished for “visit 1 to 2 of: old street; on day 2; each day”;"
         " there is none.", type=["old_street"], at_least=1, at_most=2, day=2, each_day=True,
         days=(DAYS[0], "09:00-10:30 visit attic")),
    case("visit", type=["museum"], day=2),
    case("visit", "error -.- 1: Visits: wished for “visit at least 1 of: mountain; on day 2”; there is"
         " none in the plan.", type=["mountain"], day=2),
    case("visit", free=True),
    case("visit", "error -.- 1: Visits: wished for “visit at least 2 of: free sights”; only 1"
         " (hill).", free=True, at_least=2),
    case("eat", cuisine=["sichuan"], at_most=2),
    case("eat", "error -.- 1: Meals: wished for “at most 1 meal(s): sichuan”; 2 (wok, pot).",
         cuisine=["sichuan"], at_most=1),
    case("eat", "error -.- 1: Meals: wished for “at least 1 meal(s): sichuan; on day 2”; there is none"
         " in the plan.", cuisine=["sichuan"], day=2),
    case("eat", cuisine=["sichuan"], at_least=2),
    case("eat", "error -.- 1: Meals: wished for “at least 3 meal(s): sichuan”; only 2 (wok,"
         " pot).", cuisine=["sichuan"], at_least=3),
    case("eat", cuisine=["sichuan"], meal="lunch"),
    case("eat", "error -.- 1: Meals: wished for “at least 1 lunch: hotpot”; there is none in the plan.",
         cuisine=["hotpot"], meal="lunch"),
    case("eat", place="pan", meal="lunch"),
    case("eat", "error -.- 1: Meals: wished for “at least 1 dinner: pan”; there is none in the plan.",
         place="pan", meal="dinner"),
    case("eat", "warning -.- -: Meals: wished for “at least 1 meal(s): seafood”; the catalogue knows no"
         " place here with this cuisine.", cuisine=["seafood"]),
    case("eat", "error 1.4 -: Meals: wished for “not: at least 1 meal(s): hotpot”; one eats at “pot”.",
         "warning 2.1 -: Meals: wished for “not: at least 1 meal(s): hotpot”; the cuisine of “pan” is"
         " not known.", cuisine=["hotpot"], **{"not": True}),
    case("eat", "warning -.- -: Meals: wished for “at least 1 breakfast: pan”; a plan has no"
         " breakfasts.", place="pan", meal="breakfast"),
    case("hotel", hotel="inn", features=["pool", "homeinn"], stars=3),
    case("hotel", "error 1.5 -: Hotels: wished for “stay at tower”; “inn” is another hotel.",
         hotel="tower"),
    case("hotel", "error 1.5 1: Hotels: wished for “a hotel of at least 4 stars”; “inn” has 3 star(s).",
         stars=4),
    case("hotel", "warning 1.0 -: Hotels: wished for “a hotel of at least 1 stars”; “barn” has no known"
         " number of stars.", stars=1, days=("hotel barn", "")),
    case("hotel", "error 1.0 -: Hotels: wished for “a hotel with pool”; “tower” does not have “pool”.",
         features=["pool"], days=("hotel tower", "")),
    case("hotel", "warning 1.5 -: Hotels: wished for “a hotel with spa”; “inn” may or may not have"
         " “spa”: ask the hotel.", features=["spa"]),
    case("hotel", stars=3, stars_at_most=3, rating=4.5),
    case("hotel", "error 1.5 1: Hotels: wished for “a hotel of at most 2 stars”; “inn” has 3 star(s).",
         stars_at_most=2),
    case("hotel", "error 1.5 -: Hotels: wished for “a hotel rated 4.6 or better”; “inn” is rated 4.5.",
         rating=4.6),
    case("hotel", near="hall", within_m=785),
    case("hotel", "error 1.5 1: Hotels: wished for “a hotel within 784 m of hall”; “inn” is 785 m"
         " away.", near="hall", within_m=784),
    case("hotel", near="beijing/北京南站", within_m=4279),
    case("hotel", "error 1.5 1: Hotels: wished for “a hotel within 4278 m of 北京南站”; “inn” is 4279"
         " m away.", near="beijing/北京南站", within_m=4278),
    case("hotel", same=True),
    case("hotel", "error 2.0 -: Hotels: wished for “the same hotel for all nights in a city”; it is"
         " “inn”, then “tower”.", same=True, days=("hotel inn", "hotel tower")),
    case("hotel", hotel="tower", **{"not": True}),
    case("hotel", "error 1.5 -: Hotels: wished for “not: stay at inn”; it is “inn”.",
         hotel="inn", **{"not": True}),
    case("hotel", "error -.- -: Hotels: wished for “stay at inn”; the plan has no such night in a"
         " hotel.", hotel="inn", days=("", "")),
    case("local", only=["walk", "taxi"]),
    case("local", "error 2.2 -: Ways in the city: wished for “only walking in the city”; from “A” to"
         " “B” it is 1000 m by taxi.", only=["walk"]),
    case("local", use=["taxi"]),
    case("local", "error -.- -: Ways in the city: wished for “use metro in the city”; no way is by"
         " metro.", use=["metro"]),
    case("local", never=["metro", "bus"]),
    case("local", "error 1.1 -: Ways in the city: wished for “no walking in the city”; from “A” to “B”"
         " it is a walk of 1000 m.", never=["walk"]),
    case("local", longest_min=30),
    case("local", "error 1.1 1: Ways in the city: wished for “no way of more than 29 minutes”; from “A”"
         " to “B” it is a walk of 1000 m.", longest_min=29),
    case("local", longest_walk_m=1001, change=far(1001)),
    case("local", "error 1.1 1: Ways in the city: wished for “no walk of more than 1000 m”; from “A”"
         " to “B” it is a walk of 1001 m.", longest_walk_m=1000, change=far(1001)),
    case("local", "error 2.2 -: Ways in the city: wished for “not: use taxi in the city”; from “A” to"
         " “B” it is 1000 m by taxi.", use=["taxi"], **{"not": True}),
    case("local", "error -.- -: Ways in the city: wished for “not: only walking, taxi in the city”; no"
         " other way is used.", only=["walk", "taxi"], **{"not": True}),
    case("at", **at(day=2, to="10:30", minutes=90, after="hill"), **{"from": "09:00"}),
    case("at", "error 2.0 -: Times: wished for “attic; on day 1”; “attic” is on day 2, 09:00–10:30.",
         **at(day=1)),
    case("at", "error 2.0 1: Times: wished for “attic; not before 09:01”; “attic” is on day 2,"
         " 09:00–10:30.", **at(**{"from": "09:01"})),
    case("at", "error 2.0 1: Times: wished for “attic; left by 10:29”; “attic” is on day 2,"
         " 09:00–10:30.", **at(to="10:29")),
    case("at", "error 2.0 1: Times: wished for “attic; for at least 91 minutes”; “attic” is on day 2,"
         " 09:00–10:30.", **at(minutes=91)),
    case("at", "error 2.0 -: Times: wished for “attic; after lane”; “attic” is on day 2, 09:00–10:30.",
         **at(after="lane")),
    case("at", "error -.- -: Times: wished for “nave; on day 1”; the place is not in the plan.",
         place="nave", day=1),
    case("at", place={"any_of": ["nave", "attic"]}, day=2),
    case("at", "error 2.0 -: Times: wished for “not: attic; on day 2”; “attic” is on day 2,"
         " 09:00–10:30.", **at(day=2), **{"not": True}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "plan", "findings"), CASES)
def test_wishes(code: str, plan: Written, findings: list[str]) -> None:
    assert plan.find(code) == findings

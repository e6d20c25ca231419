"""The rules one by one, at the edges that the contract names."""

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from backend.params.registry import default_values
from backend.pool.build import cut_city
from backend.pool.candidate import HotelCandidate, PoiCandidate
from backend.pool.findings import CityAsk, ask_city, read_limits
from backend.pool.rebuild import read_departure
from backend.pool.rules import (
    Entry,
    find_hotels,
    find_places,
    find_trains,
    judge_place,
    measure_stars,
    rank_place,
)
from backend.pool.stay import Departure, plan_legs, plan_stays
from tests.factories import make_hotel, make_poi, make_request, make_train

LABOUR_DAYS = frozenset(dt.date(2026, 5, n) for n in range(1, 6))


def ask(days_off: frozenset[dt.date] = frozenset(), **request: Any) -> CityAsk:
    params = default_values() | request.pop("params", {})
    wanted = make_request(("beijing",), **({"budget_tier": "economy"} | request))
    limits = read_limits(params, wanted.budget_tier)
    return ask_city(wanted, plan_stays(wanted)[0], days_off, limits)


def judge(poi: PoiCandidate, asked: CityAsk, **entry: Any) -> str | None:
    return judge_place(Entry(poi, **entry), asked)


@pytest.mark.parametrize(
    ("price", "tier", "reason"),
    [("150", "economy", None), ("150.01", "economy", "price"), (None, "economy", None),
     ("300", "comfort", None), ("300.01", "comfort", "price"), ("9999", "quality", None)],
)  # fmt: skip
def test_the_cap_itself_stays_and_so_does_an_unknown_price(
    price: str | None, tier: str, reason: str | None
) -> None:
    poi = make_poi("p", price=None if price is None else Decimal(price))
    assert judge(poi, ask(budget_tier=tier)) == reason


def test_the_first_reason_counts() -> None:
    poi = make_poi("p", price=Decimal(999), opening_hours="off", tags=("food",))
    made_up = {"is_synthetic": True}
    avoiding = ask(avoid=["food"])
    assert judge(poi, avoiding, enabled=False, **made_up) == "disabled"
    assert judge(poi, avoiding, **made_up) == "avoided"
    assert judge(poi, ask(avoid=["p"]), **made_up) == "avoided"
    assert judge(poi, ask(), **made_up) == "synthetic"
    assert judge(poi, ask(params={"POOL_ALLOW_SYNTHETIC": True}), **made_up) == "price"
    assert judge(poi, ask(budget_tier="quality")) == "closed"


@pytest.mark.parametrize(
    ("hours", "season", "start", "days", "is_closed"),
    [
        ("Tu-Su 08:30-17:00", "", "2026-05-11", 1, True),  # a Monday
        ("Tu-Su 08:30-17:00", "", "2026-05-11", 2, False),  # the day of leaving counts
        ("Tu-Su 08:30-17:00; PH 08:30-17:00", "", "2026-05-04", 1, False),  # a Monday off
        ("Mo-Fr 09:00-17:00; PH off", "", "2026-05-01", 3, True),
        ("Sa 22:00-06:00", "", "2026-05-17", 1, False),  # 05:00 to 06:00 is Sunday's
        ("Sa 22:00-05:00", "", "2026-05-17", 1, True),
        ("Mo 02:00-04:00", "", "2026-05-17", 1, False),  # before 05:00 is the evening before
        ("", "", "2026-05-11", 1, False),
        ("24/7", "11-15/03-31", "2026-11-15", 1, True),
        ("24/7", "11-15/03-31", "2026-03-31", 1, True),
        ("24/7", "11-15/03-31", "2026-03-31", 2, False),
        ("24/7", "05-10/05-12", "2026-05-12", 1, True),
    ],
)
def test_closed_means_open_on_no_day_of_the_stay(
    hours: str, season: str, start: str, days: int, is_closed: bool
) -> None:
    asked = ask(LABOUR_DAYS, start_date=dt.date.fromisoformat(start), days=days)
    poi = make_poi("p", opening_hours=hours, closed_season=season)
    assert judge(poi, asked) == ("closed" if is_closed else None)


def test_rank_is_by_interests_then_popularity_then_id() -> None:
    rows = [
        make_poi("b", tags=("food",), popularity=None),
        make_poi("B", tags=("food",), popularity=0.0),
        make_poi("c", tags=("food", "park"), popularity=1.0),
        make_poi("d", tags=("art",), popularity=100.0),
        make_poi("e", tags=("art",), popularity=100.5),
    ]
    found = find_places([Entry(row) for row in rows], ask(interests=["park", "food"]))
    assert sorted(found.ranking, key=lambda poi: found.ranks[poi]) == ["c", "B", "b", "e", "d"]


def test_what_is_known_gets_in_first_then_by_rank_then_the_food_that_was_too_much() -> None:
    rows = [
        make_poi("wish", tags=("food",), popularity=1.0),
        make_poi("known", popularity=99.0),
        make_poi("less", popularity=98.0),
        *(
            make_poi(f"eat{n}", type="restaurant", tags=("food",), popularity=100.0)
            for n in range(3)
        ),
    ]
    sizes = {"POOL_KNOWN_SIZE": 1, "POOL_FOOD_SIZE": 1, "POOL_POI_SIZE": 3}
    asked = ask(interests=["food"], params=sizes)
    found = find_places([Entry(row) for row in rows], asked)
    assert found.ranking == ("known", "eat0", "wish", "less", "eat1", "eat2")
    pool = cut_city(asked.stay, found, find_hotels([], asked), asked.limits)
    assert (pool.pois, pool.reserve) == (("eat0", "wish", "known"), ("less", "eat1", "eat2"))


def test_must_sees_are_exempt_from_price_closed_and_rank_and_come_last_as_asked() -> None:
    asked = ask(
        must_see=["dear", "low", "shut", "top"],
        params={"POOL_POI_SIZE": 1, "POOL_RESERVE_SIZE": 2},
    )
    rows = [
        make_poi("top", popularity=90.0),
        make_poi("mid", popularity=50.0),
        make_poi("low", popularity=1.0),
        make_poi("dear", price=Decimal(200)),
        make_poi("dear2", price=Decimal(200)),
        make_poi("shut", opening_hours="off"),
    ]
    found = find_places([Entry(row) for row in rows], asked)
    pool = cut_city(asked.stay, found, find_hotels([], asked), asked.limits)
    assert pool.pois == ("top", "dear", "low", "shut")
    assert pool.must_see_added == ("dear", "low", "shut")
    assert pool.reserve == ("mid", "low")
    assert {reason: n for reason, n in pool.rejected.items() if n} == {"price": 1, "rank": 1}
    assert len(rows) == len(pool.pois) + sum(pool.rejected.values())


def rank_hotels(*rows: HotelCandidate, **request: Any) -> tuple[tuple[str, ...], bool]:
    found = find_hotels([Entry(row) for row in rows], ask(**request))
    return found.ranking, found.is_widened


def test_hotels_are_ranked_by_rating_price_and_id() -> None:
    rows = [
        make_hotel("none", stars=3, rating=None, price_per_night=Decimal(1)),
        make_hotel("b", stars=2, rating=4.5, price_per_night=None),
        make_hotel("a", stars=2, rating=4.5, price_per_night=Decimal(300)),
        make_hotel("A", stars=2, rating=4.5, price_per_night=Decimal(300)),
        make_hotel("best", stars=3, rating=4.6, price_per_night=Decimal(900)),
        make_hotel("five", stars=5, rating=5.0),
        make_hotel("unknown", stars=None, rating=5.0),
    ]
    assert rank_hotels(*rows) == (("best", "A", "a", "b", "none"), False)


def test_the_nearest_stars_on_both_sides_stand_in_for_an_empty_band() -> None:
    rows = [
        make_hotel("five", stars=5, rating=4.0),
        make_hotel("two", stars=2, rating=4.1),
        make_hotel("one", stars=1, rating=5.0),
        make_hotel("unknown", stars=None),
    ]
    assert rank_hotels(*rows, budget_tier="comfort") == (("two", "five"), True)
    assert rank_hotels(rows[3], budget_tier="comfort") == ((), False)
    assert rank_hotels(*rows, budget_tier="comfort", days=1) == ((), False)


def test_avoided_hotels_do_not_fill_the_band() -> None:
    rows = [make_hotel("in", stars=3, tags=("noisy",)), make_hotel("out", stars=5)]
    assert rank_hotels(*rows, budget_tier="comfort", avoid=["noisy"]) == (("out",), True)
    assert rank_hotels(*rows, budget_tier="comfort", avoid=["in"]) == (("out",), True)


def test_what_is_rejected_is_counted_by_its_first_reason() -> None:
    rows = [
        Entry(make_poi("off"), enabled=False),
        Entry(make_poi("shut", opening_hours="off")),
        Entry(make_poi("dear", price=Decimal(200)), is_synthetic=True),
        Entry(make_poi("in")),
    ]
    found = find_places(rows, ask(must_see=["in", "gone", "shut", "off"]))
    assert (found.ranking, found.eligible) == (("in",), 1)
    assert found.must_see == {"in": None, "shut": "closed", "off": "disabled"}
    assert found.rejected == {
        "disabled": 1, "avoided": 0, "synthetic": 1, "price": 0, "closed": 0
    }  # fmt: skip


def test_hotels_are_rejected_by_their_first_reason() -> None:
    rows = [
        Entry(make_hotel("off"), enabled=False, is_synthetic=True),
        Entry(make_hotel("made-up", tags=("noisy",)), is_synthetic=True),
        Entry(make_hotel("noisy", tags=("noisy",))),
        Entry(make_hotel("five", stars=5)),
        Entry(make_hotel("unknown", stars=None)),
        Entry(make_hotel("in", stars=2)),
    ]
    asked = ask(avoid=["noisy"])
    found = find_hotels(rows, asked)
    assert (found.ranking, found.eligible, found.is_widened) == (("in",), 1, False)
    assert found.rejected == {
        "disabled": 1, "avoided": 1, "synthetic": 1, "stars": 2, "no_night": 0
    }  # fmt: skip
    day_trip = find_hotels(rows, ask(days=1))
    assert (day_trip.eligible, day_trip.is_widened) == (0, False)
    assert {why: n for why, n in day_trip.rejected.items() if n} == {"no_night": 6}
    allowed = find_hotels(rows, ask(params={"POOL_ALLOW_SYNTHETIC": True}))
    assert allowed.ranking == ("in", "made-up", "noisy")
    assert allowed.rejected["synthetic"] == 0


@pytest.mark.parametrize(("stars", "far"), [(1, 1), (2, 0), (3, 0), (4, 1), (5, 2)])
def test_stars_are_measured_to_the_nearest_of_the_band(stars: int, far: int) -> None:
    assert measure_stars(stars, [2, 3]) == far


def depart(train_id: str, time: str = "07:00", weekdays: str = "") -> Departure:
    return read_departure(
        make_train(train_id, ("shanghai", "上海虹桥站", time), ("beijing", "北京南站", "12:00"))
        .model_copy(update={"runs_on": weekdays})
    )  # fmt: skip


def test_trains_run_on_their_weekdays_and_stand_by_departure() -> None:
    leg = plan_legs(make_request())[0]  # a Tuesday
    rows = [
        Entry(depart("AA", "09:00")),
        Entry(depart("B")),
        Entry(depart("A")),
        Entry(depart("MONDAY", weekdays="Mo")),
        Entry(depart("OFF", weekdays="Mo"), enabled=False, is_synthetic=True),
        Entry(depart("MADE-UP", weekdays="Mo"), is_synthetic=True),
    ]
    found = find_trains(rows, leg, allow_synthetic=False)
    assert [train.id for train in found.running] == ["a", "b", "aa"]
    assert found.rejected == {"disabled": 1, "synthetic": 1, "not_running": 1}
    allowed = find_trains([*rows, Entry(depart("C"), is_synthetic=True)], leg, allow_synthetic=True)
    assert [train.id for train in allowed.running] == ["a", "b", "c", "aa"]
    assert allowed.rejected == {"disabled": 1, "synthetic": 0, "not_running": 2}


def test_what_is_unknown_counts_as_nothing() -> None:
    rows = [make_poi("a", popularity=None), make_poi("b", popularity=0.5)]
    assert find_places([Entry(row) for row in rows], ask()).ranking == ("b", "a")
    assert rank_place(rows[0], frozenset()) == (0, 0, "a")
    hotels = [make_hotel("a", stars=2, rating=None), make_hotel("b", stars=2, rating=0.5)]
    assert rank_hotels(*hotels) == (("b", "a"), False)


def test_of_equal_ratings_the_cheaper_hotel_comes_first() -> None:
    prices = {
        "a": Decimal("300.01"),
        "b": Decimal(300),
        "c": None,
        "d": Decimal(0),
        "e": Decimal("0.50"),
    }
    hotels = [make_hotel(i, stars=2, price_per_night=price) for i, price in prices.items()]
    assert rank_hotels(*hotels)[0] == ("d", "e", "b", "a", "c")

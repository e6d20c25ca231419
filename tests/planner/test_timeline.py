"""The timeline: where a day starts and ends, what lies between stops, meals, legs, nights, costs."""

import datetime as dt
from decimal import Decimal
from itertools import pairwise
from typing import Any

import pytest

from backend.agent.policy.brief import parse_brief
from backend.agent.prompt import describe_trip
from backend.clock import format_minutes
from backend.planner.days.timeline import build_itinerary
from backend.planner.days.trip import plan_trip
from backend.planner.plan.itinerary import MealItem, VisitItem
from tests.factories import make_snapshot
from tests.planner.plans import find_codes, make_draft, plan
from tests.row_makers import make_poi, make_train
from tests.sample_rows import TRAINS

BEIJING = {"beijing": "bj-h-dongdan"}
HOTELS = {**BEIJING, "xian": "xa-h-zhonglou"}


def test_a_day_runs_from_the_hotel_to_the_hotel_with_meals_between() -> None:
    draft = make_draft({2: ["bj-gugong", "bj-tiantan"]}, hotels=BEIJING, trains={0: ["g2"]})
    assert plan(make_snapshot(), draft, 2) == [
        "09:00-09:16 metro bj-h-dongdan > bj-gugong",
        "09:16-13:16 visit bj-gugong",
        "13:16-14:16 lunch",
        "14:26-14:47 metro bj-gugong > bj-tiantan",
        "14:47-17:17 visit bj-tiantan",
        "18:00-19:00 dinner",
        "19:00-19:18 metro bj-tiantan > bj-h-dongdan",
        "stay bj-h-dongdan",
    ]


def test_arrival_starts_at_the_station_and_departure_ends_there_half_an_hour_early() -> None:
    draft = make_draft(
        {1: ["bj-tiantan"], 3: ["bj-guobo"]}, hotels=BEIJING, trains={0: ["g2"], 1: ["g21"]}
    )
    assert plan(make_snapshot(), draft, 1) == [
        "07:00-11:36 train G2",
        "11:36-12:01 metro 北京南站 > bj-h-dongdan",
        "12:01-12:11 drop bj-h-dongdan",
        "12:11-13:11 lunch",
        "13:11-13:29 metro bj-h-dongdan > bj-tiantan",
        "13:29-15:59 visit bj-tiantan",
        "15:59-16:17 metro bj-tiantan > bj-h-dongdan",
        "18:00-19:00 dinner",
        "stay bj-h-dongdan",
    ]
    last_day = plan(make_snapshot(), draft, 3)
    assert last_day[0] == "08:50-09:00 drop bj-h-dongdan"
    assert last_day[-4:] == [
        "17:41-17:55 metro bj-guobo > bj-h-dongdan",
        "17:55-18:05 collect bj-h-dongdan",
        "18:05-18:30 metro bj-h-dongdan > 北京南站",
        "19:00-23:20 train G21",
    ]


def test_who_sees_nothing_that_day_takes_the_bags_along() -> None:
    draft = make_draft({2: ["bj-guobo"]}, hotels=BEIJING, trains={0: ["g2"], 1: ["g21"]})
    days = [plan(make_snapshot(), draft, day) for day in (1, 3)]
    assert days[0][1] == "11:36-12:01 metro 北京南站 > bj-h-dongdan"
    assert days[1][-2:] == ["18:05-18:30 metro bj-h-dongdan > 北京南站", "19:00-23:20 train G21"]
    assert not any(" drop " in line or " collect " in line for day in days for line in day)


def test_bags_keep_nobody_from_a_booking() -> None:
    tea = {"title": "tea", "start": "2026-10-13T12:10", "end": "2026-10-13T13:00",
           "lat": 39.865, "lon": 116.378}  # fmt: skip
    draft = make_draft({1: ["bj-tiantan"]}, hotels=BEIJING, trains={0: ["g2"]})
    lines = plan(make_snapshot(fixed=[tea]), draft, 1)
    assert "12:10-13:00 fixed tea" in lines
    assert not any(" drop " in line for line in lines)


def test_a_place_that_opens_later_is_waited_for_before_the_way_to_it() -> None:
    draft = make_draft({2: ["bj-798"]}, hotels=BEIJING)
    first, second = plan(make_snapshot(), draft, 2)[:2]
    assert first.endswith("-10:00 metro bj-h-dongdan > bj-798")
    assert second == "10:00-12:30 visit bj-798"


def test_a_food_place_at_its_time_is_the_meal_and_waits_for_it() -> None:
    draft = make_draft({2: ["bj-jingshan", "bj-kaoya", "bj-yeshi"]}, hotels=BEIJING)
    lines = plan(make_snapshot(), draft, 2)
    assert "11:15-12:45 lunch bj-kaoya" in lines
    assert "17:00-18:30 dinner bj-yeshi" in lines
    assert sum(" lunch" in line or " dinner" in line for line in lines) == 2
    itinerary = build_itinerary(make_snapshot(), draft)
    meal = next(item for item in itinerary.days[1].items if item.kind == "meal")
    assert (meal.price, meal.tickets, meal.cost) == (Decimal(180), 2, Decimal(360))


def test_a_restaurant_is_not_visited_in_the_afternoon() -> None:
    noodles = make_poi("noodles", type="restaurant", tags=("food",), opening_hours="10:00-22:00")
    late = make_poi("late", duration_min=340)
    snapshot = make_snapshot(pois=[noodles, late])
    lines = plan(snapshot, make_draft({2: ["late", "noodles"]}, hotels=BEIJING), 2)
    assert "17:00-18:30 dinner noodles" in lines


@pytest.mark.parametrize("seen", [180, 230, 300])
@pytest.mark.parametrize("tables", [["noodles", "duck"], ["noodles"], ["duck"], []])
def test_hours_lie_between_two_meals(seen: int, tables: list[str]) -> None:
    hall = make_poi("hall", duration_min=seen)
    rooms = [
        make_poi("noodles", type="restaurant", opening_hours="10:00-15:00", duration_min=60),
        make_poi("duck", type="restaurant", opening_hours="16:00-22:00", duration_min=60),
    ]
    draft = make_draft({2: ["hall", *tables]}, hotels=BEIJING)
    items = build_itinerary(make_snapshot(pois=[hall, *rooms]), draft).days[1].items
    meals = [item for item in items if isinstance(item, MealItem)]
    assert [m.poi_id for m in meals if m.poi_id] == tables
    for before, after in pairwise(meals):
        gap = after.start - before.end
        assert gap >= dt.timedelta(hours=3) or after.start.time() >= dt.time(18)


def test_bookings_are_never_moved_and_visits_go_around_them() -> None:
    fixed = [{"title": "tea", "start": "2026-10-14T10:00", "end": "2026-10-14T12:00"}]
    fixed[0] |= {"lat": "39.93", "lon": "116.40"}
    snapshot = make_snapshot(fixed=fixed)
    draft = make_draft({2: ["bj-guobo", "bj-jingshan"]}, hotels=BEIJING)
    lines = plan(snapshot, draft, 2)
    assert "10:00-12:00 fixed tea" in lines
    visits = [line for line in lines if "visit" in line]
    assert [line[:5] > "12:00" for line in visits] == [True, True]
    early = make_draft({2: ["bj-jingshan"]}, hotels=BEIJING)
    wake = make_snapshot(fixed=fixed, day_start="07:00")
    assert plan(wake, early, 2)[1].endswith("visit bj-jingshan")


def test_a_booking_of_the_small_hours_belongs_to_the_evening_before() -> None:
    fixed = [{"title": "jazz", "start": "2026-10-15T00:30", "end": "2026-10-15T02:00"}]
    snapshot = make_snapshot(fixed=fixed)
    assert "00:30-02:00 fixed jazz" in plan(snapshot, make_draft(hotels=BEIJING), 2)
    assert not any("jazz" in line for line in plan(snapshot, make_draft(hotels=BEIJING), 3))


def test_a_booking_over_several_days_keeps_the_following_morning_free_too() -> None:
    fixed = [{"title": "retreat", "start": "2026-10-13T20:00", "end": "2026-10-14T15:00"}]
    snapshot = make_snapshot(fixed=fixed, day_end="26:00")
    lines = plan(snapshot, make_draft({2: ["bj-shichahai"]}, hotels=BEIJING), 2)
    visit = next(line for line in lines if "visit" in line)
    assert visit == "15:21-17:21 visit bj-shichahai"


def test_a_night_train_uses_up_the_night_and_the_city_begins_on_arrival() -> None:
    draft = make_draft({2: ["bj-guobo"]}, hotels=BEIJING, trains={0: ["d702"]})
    snapshot = make_snapshot()
    assert plan(snapshot, draft, 1) == ["21:20-08:50 train D702"]
    assert plan(snapshot, draft, 2)[0] == "08:50-09:15 metro 北京南站 > bj-h-dongdan"
    assert plan(snapshot, draft, 2)[-1] == "stay bj-h-dongdan"
    assert build_itinerary(snapshot, draft).costs.hotels == Decimal(400)


def test_on_the_day_of_a_move_each_city_has_its_part() -> None:
    draft = make_draft(
        {3: ["bj-guobo", "xa-huiminjie"]}, hotels=HOTELS, trains={1: ["g663"], 2: ["g1936"]}
    )
    snapshot = make_snapshot(("beijing", "xian"), days=5, day_end="24:00")
    lines = plan(snapshot, draft, 3)
    assert lines[-7:] == [
        "15:05-20:20 train G663",
        "20:20-21:03 metro 西安北站 > xa-h-zhonglou",
        "21:03-21:13 drop xa-h-zhonglou",
        "21:13-21:24 walk xa-h-zhonglou > xa-huiminjie",
        "21:24-22:54 visit xa-huiminjie",
        "22:54-23:05 walk xa-huiminjie > xa-h-zhonglou",
        "stay xa-h-zhonglou",
    ]
    itinerary = build_itinerary(snapshot, draft)
    assert [day.city for day in itinerary.days] == ["beijing", "beijing", "xian", "xian", "xian"]


def test_a_connection_over_midnight_shows_each_train_on_its_day() -> None:
    first = make_train(
        "K1", ("shanghai", "上海虹桥站", "18:00"), ("zhengzhou", "郑州东站", "23:30")
    )
    second = make_train("K2", ("zhengzhou", "郑州东站", "00:40"), ("beijing", "北京南站", "06:10"))
    snapshot = make_snapshot(trains=[first, second], connections=[("k1", "k2")])
    draft = make_draft(trains={0: ["k1", "k2"]})
    assert plan(snapshot, draft, 1) == ["18:00-23:30 train K1"]
    assert plan(snapshot, draft, 2)[0] == "00:40-06:10 train K2"
    leg = build_itinerary(snapshot, draft).days[1].items[0]
    assert leg.kind == "leg"
    assert leg.depart is not None
    assert leg.depart.date() == dt.date(2026, 10, 14)


def test_without_a_train_the_leg_is_the_travellers_own_and_keeps_its_time_free() -> None:
    trains = [train for train in TRAINS if train.to_city != "xian"]
    snapshot = make_snapshot(("beijing", "xian"), days=5, trains=trains)
    draft = make_draft({3: ["bj-jingshan", "xa-dayanta"]}, hotels=HOTELS)
    lines = plan(snapshot, draft, 3)
    own = lines.index("own beijing > xian")
    before = next(line for line in lines[:own] if "visit" in line)
    after = next(line for line in lines[own:] if "visit" in line)
    gap = int(after[:2]) * 60 + int(after[3:5]) - int(before[6:8]) * 60 - int(before[9:11])
    assert gap >= 5 * 60


def test_own_arrival_and_departure_bound_the_trip() -> None:
    snapshot = make_snapshot(
        arrival={"time": "13:40", "place": {"lat": 40.08, "lon": 116.58, "name": "airport"}},
        departure={"time": "16:00", "place": "北京西站"},
    )
    assert snapshot.legs == ()
    draft = make_draft({1: ["bj-798"], 3: ["bj-jingshan"]}, hotels=BEIJING)
    assert plan(snapshot, draft, 1)[0].startswith("13:40-")
    assert "airport > bj-h-dongdan" in plan(snapshot, draft, 1)[0]
    assert plan(snapshot, draft, 3)[-1].endswith("-15:30 metro bj-h-dongdan > 北京西站")


@pytest.mark.parametrize(
    ("said", "free_from", "leave_by"),
    [
        ({}, "12:00", "15:30"),
        ({"mode": "coach"}, "12:00", "15:30"),
        ({"mode": "flight"}, "13:00", "14:00"),
        ({"mode": "flight", "international": True}, "13:30", "13:00"),
        ({"mode": "ferry", "international": True}, "13:30", "13:00"),
        ({"mode": "flight", "international": True, "buffer_min": 45}, "12:45", "15:15"),
        ({"buffer_min": 0}, "12:00", "16:00"),
    ],
)
def test_flights_and_borders_take_time_before_and_after(
    said: dict[str, Any], free_from: str, leave_by: str
) -> None:
    airport = {"lat": 40.08, "lon": 116.58, "name": "airport"}
    snapshot = make_snapshot(
        arrival={"time": "12:00", "place": airport, **said},
        departure={"time": "16:00", "place": airport, **said},
    )
    assert said.items() <= snapshot.as_json()["request"]["arrival"].items()
    draft = make_draft({1: ["bj-798"], 3: ["bj-jingshan"]}, hotels=BEIJING)
    trip = plan_trip(snapshot, draft)
    assert format_minutes(trip.parts[1][0].free_from) == free_from
    assert f"-{leave_by} " in plan(snapshot, draft, 3)[-1]
    brief = parse_brief(describe_trip(snapshot, draft))
    assert brief.arrival is not None
    assert format_minutes(brief.arrival) == free_from


def test_without_a_hotel_days_start_and_end_in_the_centre() -> None:
    lines = plan(make_snapshot(), make_draft({2: ["bj-jingshan"]}), 2)
    assert lines[0].endswith("centre of Beijing > bj-jingshan")
    assert any(line.endswith("bj-jingshan > centre of Beijing") for line in lines)


def test_times_carry_the_offset_of_their_city() -> None:
    draft = make_draft({2: ["bj-jingshan"]}, hotels=BEIJING)
    document = build_itinerary(make_snapshot(), draft).as_json()
    visit = next(item for item in document["days"][1]["items"] if item["kind"] == "visit")
    assert visit["arrive"].endswith("+08:00")


def test_costs_count_the_party_rooms_and_nights() -> None:
    snapshot = make_snapshot(travellers=5)
    draft = make_draft(
        {2: ["bj-gugong", "bj-hutong"]}, hotels=BEIJING, trains={0: ["d702"], 1: ["g7"]}
    )
    itinerary = build_itinerary(snapshot, draft)
    assert itinerary.costs.tickets == Decimal(300)  # an unknown price counts 0
    assert itinerary.costs.hotels == Decimal(1200)  # three rooms, one night: the other on the train
    assert itinerary.costs.trains == Decimal(2500)  # the night train's fare is unknown
    assert itinerary.prices_as_of == dt.date(2026, 10, 1)
    document = itinerary.as_json()
    assert document["costs"]["hotels"] == "1200.00"
    unknown = next(i for i in document["days"][1]["items"] if i.get("poi_id") == "bj-hutong")
    assert (unknown["price"], unknown["cost"], unknown["tickets"]) == (None, None, 5)


def test_two_zones_on_one_day_each_tell_their_own_time() -> None:
    snapshot = make_snapshot(("beijing", "xian"), days=5)
    rows = {**snapshot.city_rows}
    rows["xian"] = rows["xian"].model_copy(update={"timezone": "Asia/Urumqi"})  # two hours behind
    snapshot = snapshot.model_copy(update={"city_rows": rows})
    draft = make_draft({3: ["xa-chengqiang"]}, hotels=HOTELS, trains={1: ["g651"]})
    document = build_itinerary(snapshot, draft).as_json()
    items = document["days"][2]["items"]
    leg = next(item for item in items if item["kind"] == "leg")
    assert (leg["depart"][11:], leg["arrive"][11:]) == ("08:10:00+08:00", "13:30:00+06:00")
    visit = next(item for item in items if item["kind"] == "visit")
    assert visit["arrive"].endswith("+06:00")
    assert find_codes(snapshot, draft) & {"OVERLAP", "TRAVEL_TIME", "LEG_MISSED"} == set()


def test_a_booking_in_the_small_hours_is_reached_from_the_hotel() -> None:
    sunrise = {"title": "sunrise", "start": "2026-10-15T03:00", "end": "2026-10-15T04:30"}
    there = {**sunrise, "lat": 39.99, "lon": 116.20}
    draft = make_draft({2: ["bj-tiantan"]}, hotels={"beijing": "bj-h-dongdan"})
    lines = plan(make_snapshot(origin=None, fixed=[there]), draft, 2)
    number = next(n for n, line in enumerate(lines) if "fixed sunrise" in line)
    hotel = next(line for line in lines if line.startswith("stay"))
    assert hotel == lines[-1]
    before, home = lines[number - 1], lines[number - 2]
    name = before.partition(" > ")[0].split(" ", 2)[2]
    assert home.endswith(f"> {name}")
    assert home[:5] < "21:00" < "23:00"
    assert "01:" in before[:3] or "02:" in before[:3]
    assert lines[number + 1].endswith(f"> {name}")
    anywhere = plan(make_snapshot(origin=None, fixed=[sunrise]), draft, 2)
    number = next(n for n, line in enumerate(anywhere) if "fixed sunrise" in line)
    assert anywhere[number - 1].endswith(f"> {name}")
    assert anywhere[number + 1] == hotel


def test_after_a_booking_that_lasted_all_night_no_bags_are_brought_to_the_hotel() -> None:
    night = {"title": "night", "start": "2026-10-15T01:52", "end": "2026-10-15T06:43"}
    there = {**night, "lat": 39.9342, "lon": 116.4074}
    draft = make_draft({3: ["bj-tiantan"]}, hotels={"beijing": "bj-h-dongdan"})
    snapshot = make_snapshot(origin=None, days=5, day_start="07:00", fixed=[there])
    lines = plan(snapshot, draft, 3)
    assert lines[0].endswith("night > bj-tiantan")
    assert not any("luggage" in line for line in lines)
    assert "TRAVEL_TIME" not in find_codes(snapshot, draft)


def test_a_free_meal_says_where_one_is_and_which_tables_are_near() -> None:
    here: dict[str, Any] = {"lat": 39.9, "lon": 116.4}
    near = [
        make_poi(f"t{n}", type="restaurant", lat=39.9 + n / 1000, lon=116.4) for n in (4, 2, 1, 3)
    ]
    tables = [
        *near,
        make_poi("tea", type="teahouse", **here),
        make_poi("shut", type="restaurant", opening_hours="17:00-21:00", **here),
        make_poi("far", type="restaurant", lat=39.95, lon=116.4),
    ]
    snapshot = make_snapshot(pois=[make_poi("hall", duration_min=200, **here), *tables])
    draft = make_draft({2: ["hall"], 3: ["t1"]}, hotels={"beijing": "bj-h-dongdan"})
    meals = [i for i in build_itinerary(snapshot, draft).days[1].items if isinstance(i, MealItem)]
    lunch = meals[0]
    assert (lunch.meal, lunch.poi_id, lunch.near) == ("lunch", None, "hall")
    assert lunch.alternatives == ("t2", "t3", "t4")  # t1 is eaten at on another day
    eaten = [i for i in build_itinerary(snapshot, draft).days[2].items if isinstance(i, MealItem)]
    assert eaten[0].poi_id == "t1"
    assert eaten[0].near is None
    assert eaten[0].alternatives == ("t2", "t3", "t4")


def test_nobody_has_lunch_in_a_teahouse() -> None:
    snapshot = make_snapshot(pois=[make_poi("tea", type="teahouse")])
    draft = make_draft({2: [("tea", 12 * 60)]}, hotels={"beijing": "bj-h-dongdan"})
    items = build_itinerary(snapshot, draft).days[1].items
    assert [i.poi_id for i in items if isinstance(i, VisitItem)] == ["tea"]
    assert not any(i.poi_id for i in items if isinstance(i, MealItem))


def test_with_many_must_sees_the_bags_come_along() -> None:
    draft = make_draft({1: ["bj-tiantan"]}, hotels=BEIJING, trains={0: ["g2"]})
    for count, is_left in ((2, True), (3, False)):
        must = ["bj-tiantan", "bj-guobo", "bj-gugong"][:count]
        lines = plan(make_snapshot(days=2, must_see=must), draft, 1)
        assert any(" drop " in line for line in lines) == is_left

"""Each constraint is broken by something and not by its neighbour; messages name what is wrong."""

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from backend.planner.check.validator import CONSTRAINTS, measure, validate
from backend.planner.days.timeline import build_itinerary
from backend.planner.plan.draft import Draft
from backend.planner.plan.itinerary import FixedItem, Itinerary, VisitItem
from backend.pool.snapshot import Snapshot
from tests.factories import make_snapshot
from tests.planner.plans import find_codes, find_violations, make_draft
from tests.row_makers import make_poi, make_train
from tests.sample_rows import BEIJING_POIS, HOTELS, TRAINS

BEIJING = {"beijing": "bj-h-dongdan"}
SOUND = {"hotels": BEIJING, "trains": {0: ["g2"], 1: ["g21"]}}
BOTH = {
    "hotels": {**BEIJING, "xian": "xa-h-zhonglou"},
    "trains": {0: ["g2"], 1: ["g663"], 2: ["g1936"]},
}
TWO_CITIES = make_snapshot(("beijing", "xian"), days=5)


def sound(visits: dict[int, Any]) -> Draft:
    """A draft whose hotel and trains break nothing."""
    return make_draft(visits, hotels=BEIJING, trains={0: ["g2"], 1: ["g21"]})


def both(visits: dict[int, Any], **changes: Any) -> Draft:
    """The same for two cities."""
    hotels: dict[str, str] = {**BEIJING, "xian": "xa-h-zhonglou"}
    trains: dict[int, list[str]] = {0: ["g2"], 1: ["g663"], 2: ["g1936"]}
    return make_draft(visits, **{"hotels": hotels, "trains": trains, **changes})


def test_a_sound_plan_breaks_nothing() -> None:
    draft = sound({1: ["bj-tiantan"], 2: ["bj-guobo", "bj-kaoya"], 3: ["bj-shichahai"]})
    assert find_violations(make_snapshot(), draft) == []
    assert find_codes(TWO_CITIES, both({})) == {"EMPTY_DAY"}


def test_codes_are_unique_and_every_message_is_in_both_languages() -> None:
    codes = [constraint.code for constraint in CONSTRAINTS]
    assert len(set(codes)) == len(codes)
    for constraint in CONSTRAINTS:
        assert set(constraint.messages) == {"zh-CN", "en"}
        assert set(constraint.fix) in ({"zh-CN", "en"}, set())
        fields = [set(_list_fields(constraint.describe(locale))) for locale in ("zh-CN", "en")]
        assert fields[0] >= fields[1] or fields[1] >= fields[0]


def _list_fields(text: str) -> list[str]:
    return [part.split("}")[0] for part in text.split("{")[1:]]


# Each case: a snapshot, a draft, and the codes (errors and warnings) of which one must be there.
MONDAY = make_snapshot(start_date="2026-10-12")
SEASON = make_snapshot(pois=[make_poi("ice", closed_season="03-01/12-01")])
SHOW = make_poi("show", opening_hours="19:00-20:00", duration_min=60)
NIGHT = make_poi("night", opening_hours="20:00-23:00")
LATE_IN = make_poi("late", opening_hours="09:00-22:00", last_entry="15:00")
FIXED = {"title": "tea", "start": "2026-10-14T13:00", "end": "2026-10-14T14:00"}
PLACE = {"lat": 39.9, "lon": 116.4, "name": "car"}
NO_HOTELS = make_snapshot(hotels=[])
NO_TRAINS = make_snapshot(trains=[])
SHUT = make_poi("shut", opening_hours="We 09:00-17:00")
LONG = make_poi("long", duration_min=600)

CASES: list[tuple[str, Snapshot, Draft]] = [
    ("NOT_IN_POOL", make_snapshot(), sound({2: ["bj-nowhere"]})),
    ("NOT_IN_POOL", make_snapshot(), make_draft(hotels={"beijing": "x"})),
    ("NOT_IN_POOL", make_snapshot(), make_draft(trains={0: ["x"]})),
    ("WRONG_CITY", TWO_CITIES, both({1: ["xa-dayanta"]})),
    ("DUPLICATE", make_snapshot(), sound({1: ["bj-tiantan"], 2: ["bj-tiantan"]})),
    ("CLOSED_SEASON", SEASON, sound({2: ["ice"]})),
    ("CLOSED", MONDAY, sound({1: ["bj-guobo"]})),
    ("CLOSED", make_snapshot(), sound({2: [("bj-guobo", 15 * 60)]})),
    ("CLOSED", make_snapshot(), sound({2: [("bj-hutong", 18 * 60)]})),
    ("LAST_ENTRY", make_snapshot(pois=[LATE_IN]), sound({2: [("late", 16 * 60)]})),
    ("DAY_HOURS", make_snapshot(pois=[NIGHT]), sound({2: ["night"]})),
    ("LEG_MISSED", make_snapshot(), sound({3: [("bj-shichahai", 17 * 60)]})),
    ("LEG_MISSED", TWO_CITIES, both({3: [("bj-tiantan", 13 * 60)]})),
    ("WRONG_LEG", TWO_CITIES, both({}, trains={0: ["g651"]})),
    ("WRONG_LEG", TWO_CITIES, both({}, trains={7: ["g2"]})),
    ("LEG_NOT_CHOSEN", make_snapshot(), make_draft(hotels=BEIJING)),
    ("LEG_NOT_COVERED", NO_TRAINS, make_draft(hotels=BEIJING)),
    ("HOTEL_MISSING", make_snapshot(), make_draft(trains={0: ["g2"], 1: ["g21"]})),
    ("HOTEL_NOT_COVERED", NO_HOTELS, make_draft(trains={0: ["g2"], 1: ["g21"]})),
    ("HOTEL_WRONG_CITY", TWO_CITIES, both({}, hotels={"beijing": "xa-h-zhonglou"})),
    ("MUST_SEE_MISSING", make_snapshot(must_see=["bj-gugong"]), sound({})),
    ("MUST_SEE_CLOSED", make_snapshot(days=1, pois=[SHUT], must_see=["shut"]), sound({})),
    ("MUST_SEE_NO_FIT", make_snapshot(days=1, pois=[LONG], must_see=["long"]), sound({})),
    ("OVER_BUDGET", make_snapshot(budget_total=2000), sound({})),
    ("AVOIDED", make_snapshot(avoid=["museum"]), sound({2: ["bj-guobo"]})),
    ("AVOIDED", make_snapshot(avoid=["bj-h-dongdan"]), sound({})),
    ("EMPTY_DAY", make_snapshot(), sound({1: ["bj-tiantan"]})),
    ("PACE", make_snapshot(pace="relaxed"), sound({2: ["bj-jingshan", "bj-shichahai",
        "bj-hutong", "bj-798"]})),
    ("PRICE_UNKNOWN", make_snapshot(), sound({2: ["bj-hutong"]})),
    ("HOURS_UNKNOWN", make_snapshot(), sound({2: ["bj-hutong"]})),
    ("RESERVATION_REQUIRED", make_snapshot(), sound({2: ["bj-gugong"]})),
    ("WISH_MISSED", make_snapshot(), sound({2: [("bj-798", 8 * 60)]})),
    ("MEAL_MISSED", make_snapshot(pois=[make_poi("hall", opening_hours="10:50-15:00",
        duration_min=235)]), sound({2: ["hall"]})),
    ("FARES_UNKNOWN", make_snapshot().model_copy(update={"currency": "EUR"}),
        sound({2: ["bj-798"]})),
]  # fmt: skip


@pytest.mark.parametrize(("code", "snapshot", "draft"), CASES, ids=[case[0] for case in CASES])
def test_a_constraint_is_broken(code: str, snapshot: Snapshot, draft: Draft) -> None:
    found = [v for v in find_violations(snapshot, draft) if v.code == code]
    assert found
    severity = next(c.severity for c in CONSTRAINTS if c.code == code)
    assert found[0].severity == severity
    assert "{" not in found[0].message


def test_messages_are_in_the_language_of_the_request() -> None:
    snapshot = make_snapshot(locale="zh-CN", must_see=["bj-gugong"])
    found = find_violations(snapshot, sound({}))
    assert [v.message for v in found if v.code == "MUST_SEE_MISSING"] == [
        "必去景点故宫博物院还没有安排。请加入行程。"
    ]


def test_a_reservation_names_the_date_by_which_it_is_made() -> None:
    found = find_violations(make_snapshot(), sound({2: ["bj-gugong"]}))
    message = next(v.message for v in found if v.code == "RESERVATION_REQUIRED")
    assert "2026-10-07" in message


def tamper(itinerary: Itinerary, day: int, change: Callable[[list[Any]], None]) -> Itinerary:
    """The itinerary with one day's items changed by hand."""
    days = list(itinerary.days)
    items = list(days[day - 1].items)
    change(items)
    days[day - 1] = days[day - 1].model_copy(update={"items": tuple(items)})
    return itinerary.model_copy(update={"days": tuple(days)})


def shift(item: Any, minutes: int) -> Any:
    """A visit or booking at another time."""
    by = dt.timedelta(minutes=minutes)
    if isinstance(item, VisitItem):
        return item.model_copy(update={"arrive": item.arrive + by, "leave": item.leave + by})
    return item.model_copy(update={"start": item.start + by, "end": item.end + by})


def codes_after(draft: Draft, day: int, kind: str, minutes: int, **request: Any) -> set[str]:
    """Errors after the first item of a kind was shifted by hand."""
    snapshot = make_snapshot(**request)

    def change(items: list[Any]) -> None:
        number = next(n for n, item in enumerate(items) if item.kind == kind)
        items[number] = shift(items[number], minutes)

    itinerary = tamper(build_itinerary(snapshot, draft), day, change)
    return {v.code for v in validate(snapshot, draft, itinerary) if v.severity == "error"}


def test_times_made_by_hand_are_checked_like_any_other() -> None:
    draft = sound({1: ["bj-jingshan"], 2: ["bj-guobo", "bj-tiantan"], 3: ["bj-shichahai"]})
    assert codes_after(draft, 2, "visit", 0) == set()
    assert {"CLOSED", "DAY_HOURS"} <= codes_after(draft, 2, "visit", -90)
    assert {"OVERLAP", "TRAVEL_TIME"} <= codes_after(draft, 2, "visit", 240)
    assert codes_after(draft, 2, "fixed", 30, fixed=[FIXED]) >= {"FIXED_MOVED"}


def test_a_booking_that_is_missing_is_found() -> None:
    snapshot = make_snapshot(fixed=[FIXED])
    draft = sound({})

    def drop(items: list[Any]) -> None:
        items[:] = [item for item in items if not isinstance(item, FixedItem)]

    itinerary = tamper(build_itinerary(snapshot, draft), 2, drop)
    assert "FIXED_MOVED" in {v.code for v in validate(snapshot, draft, itinerary)}


def test_trains_follow_one_another() -> None:
    night = make_train(
        "Z1", ("shanghai", "上海虹桥站", "22:00"), ("beijing", "北京南站", "12:00"), day_offset=1
    )
    snapshot = make_snapshot(("beijing", "xian"), days=3, nights=[1, 1], trains=[*TRAINS, night])
    draft = both({}, trains={0: ["z1"], 1: ["g651"], 2: ["g1936"]})
    assert "LEG_ORDER" in find_codes(snapshot, draft)
    later = both({}, trains={0: ["z1"], 1: ["g663"], 2: ["g1936"]})
    assert "LEG_ORDER" not in find_codes(snapshot, later)


def test_arriving_before_dawn_is_a_warning() -> None:
    owl = make_train(
        "K9", ("shanghai", "上海虹桥站", "18:00"), ("beijing", "北京南站", "03:10"), day_offset=1
    )
    snapshot = make_snapshot(trains=[*TRAINS, owl])
    draft = make_draft(hotels=BEIJING, trains={0: ["k9"], 1: ["g21"]})
    assert "LATE_ARRIVAL" in find_codes(snapshot, draft, "warning")


def test_the_travellers_own_way_between_cities_takes_its_time() -> None:
    trains = [train for train in TRAINS if train.to_city != "xian"]
    snapshot = make_snapshot(("beijing", "xian"), days=5, trains=trains)
    draft = both({3: [("bj-tiantan", 14 * 60), "xa-dayanta"]}, trains={0: ["g2"], 2: ["g1936"]})
    assert "LEG_TOO_SHORT" in find_codes(snapshot, draft)


def test_own_bookings_that_collide_are_no_error_of_the_plan() -> None:
    other = {"title": "call", "start": "2026-10-14T13:30", "end": "2026-10-14T15:00"}
    snapshot = make_snapshot(fixed=[FIXED, other])
    assert "OVERLAP" in find_codes(snapshot, sound({}), "warning")
    assert "OVERLAP" not in find_codes(snapshot, sound({}))


def test_a_must_see_is_an_error_only_where_it_could_be_in() -> None:
    # two places of five hours, open on the same three hours' choice of starts: one of them fits
    rows = [
        make_poi(f"big-{n}", opening_hours="We 09:00-17:00", duration_min=300) for n in range(2)
    ]
    snapshot = make_snapshot(pois=rows, must_see=["big-0", "big-1"])
    codes = [
        (v.code, v.severity)
        for v in find_violations(snapshot, sound({2: ["big-0"]}))
        if v.code.startswith("MUST_SEE")
    ]
    assert codes == [("MUST_SEE_NO_FIT", "warning")]


def measure_code(snapshot: Snapshot, draft: Draft, code: str) -> list[int | Decimal | None]:
    """The figures of one code's breaches."""
    found = measure(snapshot, draft, build_itinerary(snapshot, draft))
    return [breach.amount for breach in found if breach.violation.code == code]


def test_breaches_have_figures() -> None:
    evening = {"title": "show", "start": "2026-10-15T19:00", "end": "2026-10-15T23:00"}
    other = {"title": "call", "start": "2026-10-14T13:30", "end": "2026-10-14T15:00"}
    clashing = make_snapshot(fixed=[FIXED, other])
    assert measure_code(clashing, sound({}), "OVERLAP") == [30]
    late = make_snapshot(fixed=[evening], origin=None, departure={"time": "22:00", "place": PLACE})
    assert measure_code(late, make_draft(hotels=BEIJING), "LEG_MISSED") == []
    somewhere = late.request.model_copy(
        update={"fixed": (late.request.fixed[0].model_copy(update={"lat": 39.9, "lon": 116.4}),)}
    )
    there = late.model_copy(update={"request": somewhere})
    [minutes] = measure_code(there, make_draft(hotels=BEIJING), "LEG_MISSED")
    assert minutes == 90  # at the place of departure already, which was to be left at 21:30
    tight = make_snapshot(budget_total=2000)
    total = build_itinerary(tight, sound({})).costs.total
    assert measure_code(tight, sound({}), "OVER_BUDGET") == [total - 2000]
    long = make_snapshot(days=1, pois=[LONG], must_see=["long"])
    assert measure_code(long, sound({}), "MUST_SEE_NO_FIT") == [600]


def test_every_day_of_a_city_without_visits_is_named() -> None:
    found = find_violations(TWO_CITIES, both({1: ["bj-tiantan"], 2: ["bj-guobo"]}))
    empty = [v for v in found if v.code == "EMPTY_DAY"]
    assert [v.where.day for v in empty] == [3, 4, 5]
    assert all("Xi" in v.message for v in empty)


def test_an_empty_day_says_why() -> None:
    shut = make_snapshot(days=2, origin=None, pois=[make_poi("x", opening_hours="Su 09:00-17:00")])
    bare = make_snapshot(days=2, origin=None, pois=[])
    late = make_snapshot(days=1, origin=None, arrival={"time": "20:30", "place": PLACE})
    for snapshot, words in (
        (shut, "no place to choose from is open"),
        (bare, "there is no place to choose from"),
        (late, "too little time"),
    ):
        found = find_violations(snapshot, make_draft(hotels=BEIJING))
        messages = [v.message for v in found if v.code == "EMPTY_DAY"]
        assert len(messages) == snapshot.request.days
        assert all(words in message for message in messages)


def test_a_price_unknown_of_a_hotel_is_said_once() -> None:
    hotels = [HOTELS[0].model_copy(update={"price_per_night": None})]
    found = find_violations(make_snapshot(hotels=hotels), sound({}))
    assert [v.where.day for v in found if v.code == "PRICE_UNKNOWN"] == [1]


def test_the_budget_counts_everything() -> None:
    snapshot = make_snapshot(budget_total=Decimal("2900.00"))
    total = build_itinerary(snapshot, sound({2: ["bj-gugong"]})).costs.total
    exact = make_snapshot(budget_total=total)
    assert "OVER_BUDGET" not in find_codes(exact, sound({2: ["bj-gugong"]}))
    short = make_snapshot(budget_total=total - Decimal("0.01"))
    assert "OVER_BUDGET" in find_codes(short, sound({2: ["bj-gugong"]}))


def test_every_place_of_the_sample_can_be_planned() -> None:
    for poi in BEIJING_POIS:
        assert find_codes(make_snapshot(), sound({2: [poi.id]})) - {"CLOSED", "EMPTY_DAY"} in (
            set(),
            {"DAY_HOURS"},
        )


def test_the_own_way_home_is_not_measured_from_the_morning_in_the_other_city() -> None:
    snapshot = make_snapshot(("beijing", "xian"), days=2, nights=[1, 0], origin="beijing")
    draft = both({2: ["bj-jingshan"]}, trains={0: ["g663"]})
    assert "LEG_TOO_SHORT" not in find_codes(snapshot, draft)

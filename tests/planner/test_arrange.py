"""Chosen places come out as days: sound, near each other, and what is left out has its reason."""

import datetime as dt
from decimal import Decimal
from typing import Any

import pytest

from backend.errors import ToolError
from backend.planner.check.validator import validate
from backend.planner.days import schedule
from backend.planner.plan.itinerary import TransferItem
from backend.planner.search import rating
from backend.planner.search.arrange import Arrangement, arrange
from backend.pool.snapshot import Snapshot
from tests.factories import make_snapshot
from tests.planner.plans import make_draft, show_day
from tests.row_makers import make_poi
from tests.sample_rows import BEIJING_POIS

SETTLED = make_draft(hotels={"beijing": "bj-h-dongdan"}, trains={0: ["g2"], 1: ["g21"]})
ALL = [poi.id for poi in BEIJING_POIS]


def days_of(arrangement: Arrangement) -> dict[int, set[str]]:
    """Places by day."""
    return {day: {v.poi_id for v in visits} for day, visits in arrangement.draft.visits.items()}


def find_reasons(arrangement: Arrangement) -> dict[str, str]:
    """Codes of what is left out."""
    return {left.poi_id: left.code for left in arrangement.left_out}


def find_errors(snapshot: Snapshot, arrangement: Arrangement) -> set[str]:
    """Errors of the arranged plan."""
    found = validate(snapshot, arrangement.draft, arrangement.itinerary)
    return {violation.code for violation in found if violation.severity == "error"}


def test_the_samples_fit_three_days_without_an_error() -> None:
    snapshot = make_snapshot()
    arrangement = arrange(snapshot, SETTLED, ALL)
    assert find_errors(snapshot, arrangement) == set()
    assert len(arrangement.draft.poi_ids) >= 7
    assert all(1 <= len(places) <= 5 for places in days_of(arrangement).values())


def test_restaurants_become_meals() -> None:
    arrangement = arrange(make_snapshot(), SETTLED, ["bj-kaoya", "bj-yeshi", "bj-guobo"])
    meals = [
        item.poi_id
        for day in arrangement.itinerary.days
        for item in day.items
        if item.kind == "meal" and item.poi_id
    ]
    assert sorted(meals) == ["bj-kaoya", "bj-yeshi"]


def cluster(name: str, lat: float, lon: float, **changes: Any) -> list[Any]:
    """Three places within walking distance of each other."""
    return [
        make_poi(f"{name}{n}", lat=lat + n / 1000, lon=lon, duration_min=120, **changes)
        for n in range(3)
    ]


def test_places_that_are_near_each_other_share_a_day() -> None:
    pois = [*cluster("north", 40.2, 116.4), *cluster("west", 39.9, 116.0)]
    snapshot = make_snapshot(pois=pois, days=4)
    draft = make_draft(hotels={"beijing": "bj-h-dongdan"}, trains={0: ["d702"], 1: ["g7"]})
    arrangement = arrange(
        snapshot, draft, ["north0", "west0", "north1", "west1", "north2", "west2"]
    )
    assert sorted(days_of(arrangement).values(), key=sorted) == [
        {"north0", "north1", "north2"},
        {"west0", "west1", "west2"},
    ]


def test_visits_spread_over_the_days_instead_of_leaving_one_empty() -> None:
    pois = [make_poi(f"p{n}", lat=39.9 + n / 150, duration_min=120) for n in range(6)]
    snapshot = make_snapshot(pois=pois)
    arrangement = arrange(snapshot, SETTLED, [poi.id for poi in pois])
    assert {day: len(places) > 0 for day, places in days_of(arrangement).items()} == {
        1: True,
        2: True,
        3: True,
    }


def test_a_place_goes_on_the_day_on_which_it_is_open() -> None:
    snapshot = make_snapshot(pois=[make_poi("wed", opening_hours="We 10:00-12:00")])
    assert days_of(arrange(snapshot, SETTLED, ["wed"])) == {2: {"wed"}}


@pytest.mark.parametrize(("pace", "most"), [("relaxed", 3), ("standard", 5), ("packed", 7)])
def test_the_pace_limits_a_day(pace: str, most: int) -> None:
    pois = [make_poi(f"p{n}", duration_min=30, lat=39.9 + n / 2000) for n in range(9)]
    snapshot = make_snapshot(pois=pois, days=1, pace=pace, origin=None)
    arrangement = arrange(snapshot, make_draft(), [poi.id for poi in pois])
    assert len(arrangement.draft.poi_ids) == most
    assert set(find_reasons(arrangement).values()) == {"PACE"}
    assert {f"p{n}" for n in range(most)} == set(arrangement.draft.poi_ids)  # first named first


def test_must_sees_come_first_and_may_exceed_the_pace() -> None:
    pois = [make_poi(f"p{n}", duration_min=60, lat=39.9 + n / 2000) for n in range(6)]
    must = ["p2", "p3", "p4", "p5"]
    snapshot = make_snapshot(pois=pois, days=1, pace="relaxed", origin=None, must_see=must)
    arrangement = arrange(snapshot, make_draft(), [poi.id for poi in pois])
    assert set(arrangement.draft.poi_ids) == set(must)
    assert "MUST_SEE_MISSING" not in find_errors(snapshot, arrangement)


def test_what_is_left_out_says_why() -> None:
    pois = [
        make_poi("shut", opening_hours="Mo 09:00-17:00"),
        make_poi("winter", closed_season="03-01/12-01"),
        make_poi("endless", duration_min=715),
        make_poi("dear", price=Decimal(900)),
        make_poi("first", opening_hours="We 09:00-17:00", duration_min=400),
        make_poi("second", opening_hours="We 09:00-17:00", duration_min=400),
    ]
    total = arrange(make_snapshot(pois=pois), SETTLED, ["first"]).itinerary.costs.total
    snapshot = make_snapshot(pois=pois, budget_total=total + 60)
    arrangement = arrange(snapshot, SETTLED, ["first", *(poi.id for poi in pois)])
    assert find_reasons(arrangement) == {
        "shut": "CLOSED",
        "winter": "CLOSED_SEASON",
        "endless": "NO_TIME",
        "dear": "OVER_BUDGET",
        "second": "DAYS_FULL",
    }
    assert "OVER_BUDGET" not in find_errors(snapshot, arrangement)
    zh = make_snapshot(pois=pois, locale="zh-CN")
    assert "每天都不开放" in arrange(zh, SETTLED, ["shut"]).left_out[0].message


def test_a_budget_that_is_broken_anyway_leaves_only_what_is_free() -> None:
    pois = [
        make_poi("free"),
        make_poi("paid", price=Decimal(10)),
        make_poi("must", price=Decimal(5)),
    ]
    snapshot = make_snapshot(pois=pois, budget_total=100, must_see=["must"])
    arrangement = arrange(snapshot, SETTLED, ["paid", "free", "must"])
    assert set(arrangement.draft.poi_ids) == {"free", "must"}
    assert find_reasons(arrangement) == {"paid": "OVER_BUDGET"}


def test_a_must_see_is_put_in_even_over_the_budget() -> None:
    pois = [make_poi("free"), make_poi("must", price=Decimal(500))]
    total = arrange(make_snapshot(pois=pois), SETTLED, ["free"]).itinerary.costs.total
    snapshot = make_snapshot(pois=pois, budget_total=total + 100, must_see=["must"])
    arrangement = arrange(snapshot, SETTLED, ["free", "must"])
    assert set(arrangement.draft.poi_ids) == {"free", "must"}
    assert find_errors(snapshot, arrangement) == {"OVER_BUDGET"}


def test_keep_leaves_visits_on_their_days_and_fills_up_around_them() -> None:
    snapshot = make_snapshot()
    draft = SETTLED.model_copy(update={"visits": make_draft({3: ["bj-guobo"]}).visits})
    arrangement = arrange(snapshot, draft, ["bj-gugong", "bj-jingshan"], keep=True)
    assert "bj-guobo" in days_of(arrangement)[3]
    assert len(arrangement.draft.poi_ids) == 3
    anew = arrange(snapshot, draft, ["bj-gugong", "bj-jingshan"])
    assert "bj-guobo" not in anew.draft.poi_ids


def test_keep_respects_the_time_that_was_wished() -> None:
    draft = SETTLED.model_copy(update={"visits": make_draft({2: [("bj-jingshan", 900)]}).visits})
    arrangement = arrange(make_snapshot(), draft, ["bj-shichahai", "bj-guobo"], keep=True)
    lines = show_day(arrangement.itinerary, 2)
    assert any(line.startswith("15:00-16:00 visit bj-jingshan") for line in lines)


def test_hotels_and_trains_stay_as_they_are() -> None:
    arrangement = arrange(make_snapshot(), SETTLED, ALL)
    assert (arrangement.draft.hotels, arrangement.draft.trains) == (
        SETTLED.hotels,
        SETTLED.trains,
    )


def test_an_unknown_place_is_refused_before_anything_is_arranged() -> None:
    with pytest.raises(ToolError) as caught:
        arrange(make_snapshot(), SETTLED, ["bj-gugong", "bj-gugon"])
    assert caught.value.code == "NOT_IN_POOL"
    assert caught.value.allowed[0] == "bj-gugong"


def test_what_is_lit_at_night_comes_late_in_the_day() -> None:
    lights = make_poi("lights", tags=("night_view",), duration_min=60)
    others = [make_poi(f"p{n}", lat=39.9 + n / 500, duration_min=200) for n in range(2)]
    snapshot = make_snapshot(pois=[lights, *others], days=1, origin=None)
    arrangement = arrange(snapshot, make_draft(), ["lights", "p0", "p1"])
    assert arrangement.draft.poi_ids[-1] == "lights"


def test_bookings_are_arranged_around() -> None:
    fixed = [{"title": "show", "start": "2026-10-14T13:00", "end": "2026-10-14T16:00"}]
    fixed[0] |= {"lat": "39.95", "lon": "116.45"}
    snapshot = make_snapshot(fixed=fixed)
    arrangement = arrange(snapshot, SETTLED, ALL)
    assert find_errors(snapshot, arrangement) == set()
    assert "13:00-16:00 fixed show" in show_day(arrangement.itinerary, 2)


def make_large(places: int, days: int) -> Snapshot:
    """A grid of places over the city with mixed hours and lengths."""
    hours = ("09:00-17:00", "24/7", "Tu-Su 09:00-17:00", "08:00-22:00", "17:00-23:00")
    pois = [
        make_poi(
            f"g{n:02d}",
            lat=39.8 + (n * 37 % 60) / 300,
            lon=116.25 + (n * 53 % 60) / 200,
            duration_min=60 + n * 17 % 4 * 45,
            opening_hours=hours[n % 5],
        )
        for n in range(places)
    ]
    return make_snapshot(pois=pois, days=days)


def test_a_large_trip_takes_a_bounded_number_of_schedules(monkeypatch: pytest.MonkeyPatch) -> None:
    snapshot = make_large(60, 10)
    counted = 0

    def count(*args: Any) -> Any:
        nonlocal counted
        counted += 1
        return schedule.schedule(*args)

    monkeypatch.setattr(rating, "schedule", count)
    arrangement = arrange(snapshot, SETTLED, sorted(snapshot.rows.pois))
    assert counted < 8_000  # 70 microseconds each: well below a second
    assert find_errors(snapshot, arrangement) == set()
    assert len(arrangement.draft.poi_ids) >= 34
    ways = [i for d in arrangement.itinerary.days for i in d.items if isinstance(i, TransferItem)]
    minutes = sum((way.arrive - way.depart).seconds // 60 for way in ways)
    assert minutes / len(arrangement.draft.poi_ids) < 40


def test_of_too_many_must_sees_the_best_known_are_in() -> None:
    pois = [
        make_poi(
            f"p{n}", duration_min=240, popularity=99.0 if n == 7 else 50.0 + n, lat=39.9 + n / 2000
        )
        for n in range(10)
    ]
    snapshot = make_snapshot(pois=pois, days=2, must_see=[poi.id for poi in pois])
    arrangement = arrange(snapshot, SETTLED, [poi.id for poi in pois])
    assert 0 < len(arrangement.draft.poi_ids) < 6
    assert "p7" in arrangement.draft.poi_ids
    assert {"p0", "p1"}.isdisjoint(arrangement.draft.poi_ids)


def test_a_park_is_seen_by_daylight_and_a_street_at_night() -> None:
    pois = [
        make_poi(
            "park", type="park", duration_min=150, opening_hours="06:00-22:00", tags=("park",)
        ),
        make_poi("lights", type="old_street", duration_min=150, opening_hours="06:00-23:00"),
        make_poi("museum", duration_min=240, opening_hours="10:00-17:00"),
    ]
    snapshot = make_snapshot(pois=pois, days=1, origin=None, day_start="10:00")
    arrangement = arrange(snapshot, make_draft(), ["lights", "museum", "park"])
    order = list(arrangement.draft.poi_ids)
    assert sorted(order) == ["lights", "museum", "park"]
    assert order.index("park") < order.index("lights")


def test_a_shopping_street_is_no_meal_whatever_its_tags_say() -> None:
    pois = [
        make_poi("mall", type="shopping", tags=("shopping", "food"), opening_hours="11:00-13:00")
    ]
    arrangement = arrange(make_snapshot(pois=pois, days=1, origin=None), make_draft(), ["mall"])
    items = arrangement.itinerary.days[0].items
    assert [item.kind for item in items if getattr(item, "poi_id", None)] == ["visit"]


def test_far_places_that_lie_together_share_a_day() -> None:
    far = [make_poi(f"far{n}", lat=40.5 + n / 100, duration_min=90) for n in range(3)]
    near = [make_poi(f"near{n}", lat=39.9 + n / 100, duration_min=90) for n in range(6)]
    arrangement = arrange(make_snapshot(pois=[*far, *near]), SETTLED, [p.id for p in [*near, *far]])
    days = [places for places in days_of(arrangement).values() if places & {"far0", "far1", "far2"}]
    assert len(days) == 1
    assert {"far0", "far1", "far2"} <= days[0]


def test_what_must_be_reserved_goes_to_a_day_for_which_there_is_still_time() -> None:
    booked = make_poi("booked", booking="required", book_days_ahead=7)
    snapshot = make_snapshot(pois=[booked, make_poi("park")])
    first = snapshot.request.start_date
    for days, expected in ((7, {1, 2, 3}), (6, {2, 3}), (5, {3}), (4, set())):
        asked = snapshot.model_copy(update={"asked_on": first - dt.timedelta(days)})
        arrangement = arrange(asked, SETTLED, ["booked", "park"])
        found = {day for day, places in days_of(arrangement).items() if "booked" in places}
        assert found <= expected
        assert bool(found) == bool(expected)
        assert find_errors(asked, arrangement) <= {"EMPTY_DAY"}
    assert find_reasons(arrangement) == {"booked": "RESERVATION_PASSED"}

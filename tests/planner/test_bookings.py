"""Days with bookings of the traveller's own, of every kind: what can be seen around them is."""

from typing import Any

import pytest

from backend.planner.plan.itinerary import FixedItem, VisitItem
from backend.planner.search.arrange import arrange
from tests.factories import make_snapshot
from tests.planner.plans import find_codes, find_violations, make_draft
from tests.row_makers import make_poi, make_train
from tests.sample_rows import BEIJING_POIS, TRAINS

SETTLED = make_draft(hotels={"beijing": "bj-h-dongdan"}, trains={0: ["g2"], 1: ["g21"]})
ALL = [poi.id for poi in BEIJING_POIS]

Booking = tuple[str, str, float | None]
"""Start and end as `day HH:MM`, and how many degrees north of Beijing's centre, None: anywhere."""

KINDS: dict[str, tuple[Booking, ...]] = {
    "begins before the day does": (("14 08:00", "14 12:00", None),),
    "begins in the dark and ends at noon": (("14 05:30", "14 12:00", None),),
    "begins before the day does, at a place": (("14 08:00", "14 12:00", 0.03),),
    "lies wholly before the day": (("14 06:00", "14 08:30", None),),
    "ends after the day does": (("14 17:00", "14 23:00", None),),
    "ends after the day does, at a place": (("14 17:00", "14 23:00", 0.03),),
    "lies wholly after the day": (("14 22:00", "14 23:30", 0.03),),
    "two that overlap": (("14 09:30", "14 12:00", None), ("14 10:00", "14 12:30", None)),
    "one within another": (("14 08:30", "14 13:00", None), ("14 10:00", "14 11:00", None)),
    "two that overlap, of them one at a place": (
        ("14 09:30", "14 12:00", None),
        ("14 10:00", "14 12:30", 0.03),
    ),
    "two that touch": (("14 09:00", "14 11:00", None), ("14 11:00", "14 12:30", None)),
    "two places that touch": (("14 14:00", "14 15:00", -0.04), ("14 15:00", "14 16:00", 0.04)),
    "the same twice": (("14 09:30", "14 12:00", None), ("14 09:30", "14 12:00", None)),
    "a place right after one without": (
        ("14 13:00", "14 14:00", None),
        ("14 14:10", "14 15:00", 0.04),
    ),
    "from the evening into the morning": (("13 20:00", "14 11:00", None),),
    "from the evening into the morning, at a place": (("13 20:00", "14 11:00", 0.04),),
    "from the small hours into the morning": (("14 03:00", "14 11:00", None),),
    "in the small hours": (("15 01:00", "15 03:00", 0.02),),
}


def book(booking: Booking) -> dict[str, Any]:
    start, end, north = booking
    times = {name: f"2026-10-{t.replace(' ', 'T')}" for name, t in (("start", start), ("end", end))}
    place = {} if north is None else {"lat": 39.9042 + north, "lon": 116.4074}
    return {"title": start, **times, **place}


@pytest.mark.parametrize("bookings", KINDS.values(), ids=KINDS)
def test_a_day_with_bookings_is_filled_around_them_and_is_sound(
    bookings: tuple[Booking, ...],
) -> None:
    snapshot = make_snapshot(fixed=[book(booking) for booking in bookings])
    arrangement = arrange(snapshot, SETTLED, ALL)
    assert find_codes(snapshot, arrangement.draft) == set()
    assert arrangement.draft.visits_on(2)
    spans = [
        (b.start, b.end)
        for day in arrangement.itinerary.days
        for b in day.items
        if isinstance(b, FixedItem)
    ]
    assert len(spans) == len(bookings)
    for day in arrangement.itinerary.days:
        for item in day.items:
            if isinstance(item, VisitItem):
                assert all(end <= item.arrive or item.leave <= start for start, end in spans)


def test_a_visit_is_not_put_before_a_booking_that_would_be_late_from_it() -> None:
    """Behind a booking without a position, one is still where the visit was."""
    far = make_poi("far", lat=40.05, duration_min=60, opening_hours="08:00-13:00")
    kind = (("14 12:00", "14 13:00", None), ("14 13:05", "14 20:55", -0.05))
    snapshot = make_snapshot(days=3, pois=[far], fixed=[book(booking) for booking in kind])
    draft = arrange(snapshot, SETTLED, ["far"]).draft
    assert find_codes(snapshot, draft) == set()
    assert draft.visits_on(2) == ()


@pytest.mark.parametrize(
    "end", ["15:30", "18:30", "26:00"], ids=["a little", "until late", "over midnight"]
)
def test_a_booking_of_the_first_city_runs_on_into_the_second(end: str) -> None:
    """Nothing is seen in the second city before it is over."""
    hours, minutes = end.split(":")
    until = f"2026-10-{15 + int(hours) // 24}T{int(hours) % 24:02}:{minutes}"
    fixed = [{"title": "call", "start": "2026-10-15T11:00", "end": until}]
    late = make_poi("late", city="xian", lat=34.26, lon=108.94, opening_hours="Th 00:00-26:00")
    snapshot = make_snapshot(
        ("beijing", "xian"), days=4, pois=[late], fixed=fixed, day_end="26:00", must_see=["late"]
    )
    hotels = {"beijing": "bj-h-dongdan", "xian": "xa-h-zhonglou"}
    arrangement = arrange(snapshot, make_draft(hotels=hotels, trains={0: ["g2"]}), ["late"])
    assert "OVERLAP" not in find_codes(snapshot, arrangement.draft)
    visits = [i for day in arrangement.itinerary.days for i in day.items if i.kind == "visit"]
    assert all(f"{visit.arrive:%H:%M}" >= end for visit in visits)
    assert len(visits) == (end < "24:00")


def leave_at(depart: str, **request: Any) -> set[str]:
    """Errors of a plan that goes home by a train of the last day's first hours."""
    night = make_train("N1", ("beijing", "北京南站", depart), ("shanghai", "上海虹桥站", "12:00"))
    snapshot = make_snapshot(trains=[*TRAINS, night], **request)
    draft = make_draft(hotels={"beijing": "bj-h-dongdan"}, trains={0: ["g2"], 1: ["n1"]})
    return find_codes(snapshot, draft)


@pytest.mark.parametrize(
    ("depart", "is_missed"), [("00:40", True), ("02:09", False)], ids=["too soon", "in time"]
)
def test_a_train_that_opens_a_day_is_reached_from_bed(depart: str, *, is_missed: bool) -> None:
    """Nobody is at the station before the way there is done, however early the train is."""
    assert ("LEG_MISSED" in leave_at(depart)) is is_missed


def test_a_train_that_opens_a_day_is_missed_after_a_long_evening() -> None:
    assert "LEG_MISSED" in leave_at("02:09", fixed=[book(("14 23:00", "15 01:50", None))])


def test_the_own_way_to_the_next_city_begins_after_a_booking_of_the_first() -> None:
    """Where no train is taken, the day is shared by an assumed time, which a booking may pass."""
    there = make_poi("there", city="xian", lat=34.26, lon=108.94, opening_hours="Th 00:00-26:00")
    fixed = [{"title": "talk", "start": "2026-10-15T11:00", "end": "2026-10-15T18:00"}]
    fixed[0] |= {"lat": "39.91", "lon": "116.41"}
    snapshot = make_snapshot(
        ("beijing", "xian"), days=4, pois=[there], fixed=fixed, day_end="26:00", must_see=["there"]
    )
    hotels = {"beijing": "bj-h-dongdan", "xian": "xa-h-zhonglou"}
    draft = arrange(snapshot, make_draft(hotels=hotels, trains={0: ["g2"]}), ["there"]).draft
    assert draft.visits_on(3)
    assert not find_codes(snapshot, draft) & {"LEG_TOO_SHORT", "OVERLAP", "TRAVEL_TIME"}


def test_a_visit_that_runs_into_a_booking_is_an_error_though_the_way_from_it_is_later() -> None:
    """The way home ends last of all; it must not hide the visit before it."""
    long = make_poi("long", duration_min=600, opening_hours="00:00-30:00")
    fixed = [book(("15 06:00", "15 12:00", None))]
    snapshot = make_snapshot(pois=[long], fixed=fixed, day_start="07:00", day_end="26:00")
    draft = make_draft({2: [("long", 22 * 60)]}, hotels={"beijing": "bj-h-dongdan"})
    found = [v for v in find_violations(snapshot, draft) if v.code in {"OVERLAP", "TRAVEL_TIME"}]
    assert "error" in {violation.severity for violation in found}

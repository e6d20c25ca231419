"""A calendar reads back what was planned: by a parser of that format, in both languages."""

import datetime as dt
from dataclasses import replace
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from icalendar import Calendar, Event

from backend.planner.exports.calendar import (
    clean_text,
    describe_zone,
    list_observances,
    write_calendar,
)
from backend.planner.exports.delivered import Delivered
from backend.planner.plan.itinerary import FixedItem
from tests.factories import make_hotel, make_poi, make_snapshot, make_train
from tests.planner.exports.deliveries import HOTELS, deliver, deliver_two_cities
from tests.planner.plans import make_draft
from tests.sample_rows import TRAINS

SHANGHAI = ZoneInfo("Asia/Shanghai")


def read(delivered: Delivered) -> list[Any]:
    """The events, read back strictly."""
    text = write_calendar(delivered)
    assert all(len(line.encode()) <= 75 for line in text.split("\r\n"))
    assert text.replace("\r\n", "").count("\n") == 0
    calendar = Calendar.from_ical(text)
    assert calendar.errors == []
    zones = {str(zone["TZID"]) for zone in calendar.walk("VTIMEZONE")}
    events = list(calendar.walk("VEVENT"))
    for event in events:
        assert event.errors == []
        for name in ("DTSTART", "DTEND"):
            assert event[name].params.get("TZID", next(iter(zones))) in zones
    return events


def make_time(day: int, hour: int, minute: int) -> dt.datetime:
    return dt.datetime(2026, 10, day, hour, minute, tzinfo=SHANGHAI)


def find(events: list[Any], word: str) -> Any:
    return next(event for event in events if word in str(event["SUMMARY"]))


@pytest.mark.parametrize(
    ("locale", "lunch", "night", "way"),
    [
        ("zh-CN", "午餐", "住宿：东单酒店", "地铁 16 分钟，09:00 从东单酒店出发"),
        ("en", "Lunch", "Night at bj-h-dongdan", "Metro 16 min, leaving bj-h-dongdan at 09:00"),
    ],
)
def test_visits_meals_legs_bookings_and_stays_are_events(
    locale: str, lunch: str, night: str, way: str
) -> None:
    delivered = deliver_two_cities(locale=locale)
    events = read(delivered)
    kinds = [str(event["CATEGORIES"].to_ical().decode()) for event in events]
    items = [entry.item.kind for entry in delivered.entries]
    assert kinds.count("VISIT") == items.count("visit") == 4
    assert kinds.count("MEAL") == items.count("meal")
    assert kinds.count("LEG") == items.count("leg") == 3
    assert kinds.count("BOOKING") == 1
    assert kinds.count("STAY") == 2
    palace = next(e for e in events if "2026-10-07" in str(e.get("DESCRIPTION", "")))
    assert palace["DTSTART"].dt == dt.datetime(2026, 10, 14, 9, 16, tzinfo=SHANGHAI)
    assert palace["DTEND"].dt == dt.datetime(2026, 10, 14, 13, 16, tzinfo=SHANGHAI)
    assert str(palace["DESCRIPTION"]).splitlines()[:2] == [way, "2 × 60.00 = 120.00 CNY"]
    assert palace["GEO"].latitude == pytest.approx(39.9159)
    assert find(events, lunch)["TRANSP"] == "OPAQUE"
    stay = find(events, night)
    assert stay["DTSTART"].dt == dt.datetime(2026, 10, 13, 14, tzinfo=SHANGHAI)
    assert stay["DTEND"].dt == dt.datetime(2026, 10, 15, 12, tzinfo=SHANGHAI)
    assert stay["TRANSP"] == "TRANSPARENT"


def test_uids_are_stable_and_each_events_own() -> None:
    delivered = deliver_two_cities()
    uids = [str(event["UID"]) for event in read(delivered)]
    assert len(set(uids)) == len(uids)
    assert uids == [str(event["UID"]) for event in read(delivered)]
    other = {str(event["UID"]) for event in read(replace(delivered, run_id="run_2"))}
    assert other.isdisjoint(uids)
    assert write_calendar(delivered) == write_calendar(delivered)


def test_a_place_that_moves_keeps_its_uid() -> None:
    snapshot = make_snapshot()
    days = [deliver(snapshot, make_draft({day: ["bj-tiantan"]}, hotels=HOTELS)) for day in (1, 2)]
    before, after = (find(read(delivered), "bj-tiantan") for delivered in days)
    assert before["UID"] == after["UID"]
    assert before["DTSTART"].dt.date() < after["DTSTART"].dt.date()


def test_a_night_train_and_a_late_visit_end_on_the_next_day() -> None:
    rows = [make_poi("bar", opening_hours="22:00-03:00", duration_min=150)]
    night = [t for t in TRAINS if t.id == "d702"]
    snapshot = make_snapshot(pois=rows, trains=night, day_end="26:00")
    draft = make_draft({2: [("bar", 23 * 60)]}, hotels=HOTELS, trains={0: ["d702"]})
    events = read(deliver(snapshot, draft))
    for word, start, end in (
        ("D702", make_time(13, 21, 20), make_time(14, 8, 50)),
        ("bar", make_time(14, 23, 0), make_time(15, 1, 30)),
    ):
        event = find(events, word)
        assert (event["DTSTART"].dt, event["DTEND"].dt) == (start, end)


def test_an_own_leg_takes_its_day_and_a_hotel_without_times_its_nights() -> None:
    hotels = [make_hotel("h", check_in=None, check_out=None)]
    snapshot = make_snapshot(trains=[], hotels=hotels)
    events = read(deliver(snapshot, make_draft(hotels={"beijing": "h"})))
    own = find(events, "Shanghai → Beijing (own transport)")
    assert (own["DTSTART"].dt, own["DTEND"].dt) == (dt.date(2026, 10, 13), dt.date(2026, 10, 14))
    stay = find(events, "Night at h")
    assert (stay["DTSTART"].dt, stay["DTEND"].dt) == (dt.date(2026, 10, 13), dt.date(2026, 10, 15))


def test_each_end_of_a_leg_is_in_its_own_zone() -> None:
    snapshot = make_snapshot(
        trains=[make_train("G1", ("shanghai", "a", "07:00"), ("beijing", "b", "11:00"))]
    )
    rows = {**snapshot.city_rows}
    rows["beijing"] = rows["beijing"].model_copy(update={"timezone": "Europe/Paris"})
    snapshot = snapshot.model_copy(update={"city_rows": rows})
    events = read(deliver(snapshot, make_draft({2: ["bj-tiantan"]}, trains={0: ["g1"]})))
    leg = find(events, "G1")
    assert leg["DTSTART"].params["TZID"] == "Asia/Shanghai"
    assert leg["DTEND"].params["TZID"] == "Europe/Paris"
    assert leg["DTEND"].dt == dt.datetime(2026, 10, 13, 11, tzinfo=ZoneInfo("Europe/Paris"))


@pytest.mark.parametrize("zone", ["Europe/Paris", "America/New_York", "Australia/Sydney",
                                  "Asia/Shanghai", "Asia/Kathmandu", "Africa/Casablanca"])  # fmt: skip
def test_a_described_zone_tells_the_time_as_the_zone_does(zone: str) -> None:
    """Built from the component alone, as a reader does that does not know the name."""
    known = ZoneInfo(zone)
    calendar = Calendar()
    calendar.add_component(describe_zone(known, 2026, 2027))
    component: Any = Calendar.from_ical(calendar.to_ical()).walk("VTIMEZONE")[0]
    built = component.to_tz(lookup_tzid=False)
    for day in range(0, 730, 5):
        noon = dt.datetime(2026, 1, 1, 12, tzinfo=known) + dt.timedelta(days=day)
        assert noon.replace(tzinfo=built).utcoffset() == noon.utcoffset()
    assert len(list_observances(known, 2026, 2027)) <= 9


def test_the_calendars_last_year_has_a_zone() -> None:
    assert list_observances(ZoneInfo("Europe/Paris"), 9999, 9999)


def test_a_hostile_title_stays_text() -> None:
    delivered = deliver_two_cities(fixed=[])
    title = "a\r\nEND:VEVENT\nX;Y:1,\\n\x00" + "很长" * 60
    item = FixedItem(
        title=title,
        start=dt.datetime(2026, 10, 13, 10, tzinfo=SHANGHAI),
        end=dt.datetime(2026, 10, 13, 11, tzinfo=SHANGHAI),
    )
    days = delivered.itinerary.days
    days = (days[0].model_copy(update={"items": (item,)}), *days[1:])
    odd = replace(delivered, itinerary=delivered.itinerary.model_copy(update={"days": days}))
    assert str(read(odd)[0]["SUMMARY"]) == title.replace("\r\n", "\n").replace("\x00", "")


def test_a_change_of_the_clocks_starts_in_the_time_before_it() -> None:
    described = describe_zone(ZoneInfo("Europe/Paris"), 2026, 2026)
    starts = [part["DTSTART"].to_ical() for part in described.subcomponents]
    assert starts[1:] == [b"20260329T020000", b"20261025T030000"]


@given(st.text(max_size=200))
def test_any_text_is_folded_within_75_octets_and_read_back(text: str) -> None:
    event = Event()
    event.add("SUMMARY", clean_text(text))
    written = event.to_ical().decode()
    assert all(len(piece.encode()) <= 75 for piece in written.split("\r\n"))
    assert written.replace("\r\n", "").count("\n") == 0
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    kept = "".join(c for c in plain if c in "\t\n" or (ord(c) >= 32 and ord(c) != 127))
    assert clean_text(text) == kept
    assert str(Event.from_ical(written)["SUMMARY"]) == kept

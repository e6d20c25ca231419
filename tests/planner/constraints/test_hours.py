"""Hours, lengths and pace of visits: each limit from both sides."""

import datetime as dt
from typing import Any

import pytest

from backend.pool.snapshot import Snapshot
from tests.planner.constraints.written_plans import Written, alone
from tests.row_makers import make_poi

HALL = make_poi("hall", opening_hours="09:00-17:00", last_entry="16:00", duration_min=90)
SPLIT = make_poi("split", opening_hours="09:00-11:00,13:00-17:00")
SHUT = make_poi("shut", opening_hours="Su 09:00-17:00")
UNKNOWN = make_poi("unknown", opening_hours="", closed_season="11-15/03-31")
BOOKED = make_poi("booked", booking="required", book_days_ahead=7)
ADVISED = make_poi("advised", booking="recommended")
PLACES = alone(
    pois=[HALL, SPLIT, SHUT, UNKNOWN, BOOKED, ADVISED, make_poi("park"),
          make_poi("odd", duration_min=31), *(make_poi(f"p{n}") for n in range(1, 9))],
    arrival={"time": "09:30", "place": {"lat": 39.9042, "lon": 116.4074, "name": "airport"}},
)  # fmt: skip
FREE = alone(pois=PLACES.rows.pois.values())
WINTER = alone(pois=[UNKNOWN], start_date="2026-11-15")
AUTUMN = alone(pois=[UNKNOWN], start_date="2026-11-14")
CHINESE = alone(pois=[SHUT], locale="zh-CN")
NIGHT = alone(days=2, pois=PLACES.rows.pois.values())
RELAXED = alone(pois=PLACES.rows.pois.values(), pace="relaxed")
"""At most 3 visits and 7 hours a day."""


def asked(day: int, **request: Any) -> Snapshot:
    """The same day in Beijing, asked for on that day of October."""
    snapshot = alone(pois=PLACES.rows.pois.values(), **request)
    return snapshot.model_copy(update={"asked_on": dt.date(2026, 10, day)})


def fill(until: str, rest: str = "") -> str:
    """A day of two visits from 09:00 to 10:00 and on to `until`."""
    return f"09:00-10:00 visit p1; 10:00-{until} visit p2; {rest}"


CASES: list[tuple[str, Written, str]] = [
    ("CLOSED", Written(FREE, ("09:00-10:30 visit hall",)), ""),
    ("CLOSED", Written(FREE, ("08:59-10:29 visit hall",)),
     "error 1.0 -: hall on 2026-10-13: 09:00-17:00; the visit at 08:59-10:29 does not fit. "
     "Move it into these hours or to another day."),
    ("CLOSED", Written(FREE, ("15:30-17:00 visit hall",)), ""),
    ("CLOSED", Written(FREE, ("12:00-13:00 lunch; 15:31-17:01 visit hall",)),
     "error 1.1 -: hall on 2026-10-13: 09:00-17:00; the visit at 15:31-17:01 does not fit. "
     "Move it into these hours or to another day."),
    ("CLOSED", Written(FREE, ("13:00-15:00 visit split",)), ""),
    ("CLOSED", Written(FREE, ("10:30-13:30 visit split",)),
     "error 1.0 -: split on 2026-10-13: 09:00-11:00, 13:00-17:00; the visit at 10:30-13:30 does "
     "not fit. Move it into these hours or to another day."),
    ("CLOSED", Written(FREE, ("10:00-11:00 visit shut",)),
     "error 1.0 -: shut on 2026-10-13: closed all day; the visit at 10:00-11:00 does not fit. "
     "Move it into these hours or to another day."),
    ("CLOSED", Written(CHINESE, ("10:00-11:00 visit shut",)),
     "error 1.0 -: shut在 2026-10-13 的开放时间：全天不开放；安排的 10:00-11:00 不在其中。"
     "请改到开放的时间，或换一天。"),
    ("CLOSED", Written(WINTER, ("10:00-11:00 visit unknown",)), ""),  # the season has its own code
    ("CLOSED_SEASON", Written(AUTUMN, ("10:00-11:00 visit unknown",)), ""),
    ("CLOSED_SEASON", Written(WINTER, ("10:00-11:00 visit unknown",)),
     "error 1.0 -: unknown is closed from 11-15/03-31 (month-day), so not on 2026-11-15. "
     "Leave it out."),
    ("LAST_ENTRY", Written(FREE, ("16:00-17:00 visit hall",)), ""),
    ("LAST_ENTRY", Written(FREE, ("16:01-17:00 visit hall",)),
     "error 1.0 -: hall lets nobody in after 16:00; 16:01 is too late. Begin by 16:00."),
    ("LAST_ENTRY", Written(FREE, ("22:00-23:00 visit park",)), ""),
    ("VISIT_TOO_SHORT", Written(FREE, ("10:00-10:54 visit hall",)), ""),
    ("VISIT_TOO_SHORT", Written(FREE, ("10:00-10:53 visit hall",)),
     "error 1.0 1: hall has 53 minutes; it usually takes 90. Give it at least 54."),
    ("VISIT_TOO_SHORT", Written(FREE, ("10:00-10:19 visit odd",)), ""),  # 31 × 0.6 is 18.6
    ("VISIT_TOO_SHORT", Written(FREE, ("10:00-10:17 visit odd",)),
     "error 1.0 2: odd has 17 minutes; it usually takes 31. Give it at least 19."),
    ("DAY_HOURS", Written(FREE, ("09:00-21:00 visit park",)), ""),
    ("DAY_HOURS", Written(FREE, ("08:59-10:00 visit park",)),
     "error 1.0 1: “park” (08:59-10:00) is outside of the day, 09:00-21:00. "
     "Move it into these hours."),
    ("DAY_HOURS", Written(FREE, ("20:00-21:02 visit park",)),
     "error 1.0 2: “park” (20:00-21:02) is outside of the day, 09:00-21:00. "
     "Move it into these hours."),
    ("DAY_HOURS", Written(NIGHT, ("20:00-20:59 visit park; 20:59-21:00 walk; hotel bj-h-dongdan",
                                  "")), ""),
    ("DAY_HOURS", Written(NIGHT, ("20:00-20:59 visit park; 20:59-21:01 walk; hotel bj-h-dongdan",
                                  "")),
     "warning 1.1 -: “B” (20:59-21:01) is outside of the day, 09:00-21:00. "
     "Move it into these hours."),
    ("DAY_HOURS", Written(NIGHT, ("21:00-21:30 walk; hotel bj-h-dongdan", "")), ""),
    ("DAY_HOURS", Written(NIGHT, ("20:30-21:30 walk; hotel bj-h-dongdan", "")),
     "warning 1.0 -: “B” (20:30-21:30) is outside of the day, 09:00-21:00. "
     "Move it into these hours."),
    ("DAY_HOURS", Written(NIGHT, ("20:30-21:30 walk", "")), ""),  # no bed at the end of it
    ("DAY_HOURS", Written(NIGHT, ("17:00-20:30 train g2; 20:30-21:30 walk; hotel bj-h-dongdan",
                                  "")), ""),  # the train's fault
    ("DAY_HOURS", Written(NIGHT, ("18:00-19:00 visit p1; 19:00-20:00 walk; hotel bj-h-dongdan",
                                  "18:00-19:00 visit p2; 20:59-22:00 walk; hotel bj-h-dongdan")),
     "warning 2.1 -: “B” (20:59-22:00) is outside of the day, 09:00-21:00. "
     "Move it into these hours."),
    ("BEFORE_ARRIVAL", Written(PLACES, ("09:30-11:00 visit park",)), ""),
    ("BEFORE_ARRIVAL", Written(PLACES, ("09:28-11:00 visit park",)),
     "error 1.0 2: park is before the arrival: one is at airport at 09:30. "
     "Put it after the arrival."),
    ("WISH_MISSED", Written(FREE, ("10:00-11:00 visit park",), at={"park": 600}), ""),
    ("WISH_MISSED", Written(FREE, ("10:01-11:00 visit park",), at={"park": 600}),
     "warning 1.0 -: park was wished at 10:00; it begins at 10:01."),
    ("WISH_MISSED", Written(FREE, ("09:59-11:00 visit park",), at={"park": 600}),
     "warning 1.0 -: park was wished at 10:00; it begins at 09:59."),
    ("WISH_MISSED", Written(FREE, ("10:01-11:00 visit park",)), ""),
    ("HOURS_UNKNOWN", Written(FREE, ("10:00-11:00 visit park",)), ""),
    ("HOURS_UNKNOWN", Written(AUTUMN, ("10:00-11:00 visit unknown",)),
     "warning 1.0 -: The opening hours of unknown are unknown; 09:00-17:00 is assumed, please "
     "check."),
    ("CLOSED", Written(AUTUMN, ("09:00-17:00 visit unknown",)), ""),
    ("CLOSED", Written(AUTUMN, ("15:31-17:01 visit unknown",)),
     "error 1.0 -: unknown on 2026-11-14: 09:00-17:00; the visit at 15:31-17:01 does not fit. "
     "Move it into these hours or to another day."),
    ("RESERVATION_REQUIRED", Written(FREE, ("10:00-11:00 visit advised",)), ""),
    ("RESERVATION_REQUIRED", Written(FREE, ("10:00-11:00 visit booked",)),
     "warning 1.0 -: booked needs a reservation: make it by 2026-10-06."),
    ("RESERVATION_REQUIRED", Written(asked(7), ("10:00-11:00 visit booked",)), ""),
    ("RESERVATION_PASSED", Written(FREE, ("10:00-11:00 visit booked",)), ""),  # nobody asked for it
    ("RESERVATION_PASSED", Written(asked(6), ("10:00-11:00 visit booked",)), ""),
    ("RESERVATION_PASSED", Written(asked(7), ("10:00-11:00 visit advised",)), ""),
    ("RESERVATION_PASSED", Written(asked(7), ("10:00-11:00 visit booked",)),
     "error 1.0 -: booked must be reserved 7 day(s) ahead: for 2026-10-13 that was until "
     "2026-10-06. Take a later day, or another place."),
    ("RESERVATION_PASSED", Written(asked(9, must_see=["booked"]), ("10:00-11:00 visit advised",)),
     "warning -.- 3: booked must be reserved 7 day(s) ahead: for 2026-10-13 that was until "
     "2026-10-06. Take a later day, or another place."),
    ("MEAL_MISSED", Written(FREE, ("12:00-13:00 lunch; 18:00-19:00 dinner",)), ""),
    ("MEAL_MISSED", Written(FREE, ("12:00-13:00 lunch",)),
     "warning 1.- -: Day 1 leaves no time for dinner. Move a visit earlier or later."),
    ("MEAL_MISSED", Written(FREE, ("18:00-19:00 dinner",)),
     "warning 1.- -: Day 1 leaves no time for lunch. Move a visit earlier or later."),
    ("MEAL_MISSED", Written(alone(locale="zh-CN"), ("18:00-19:00 dinner",)),
     "warning 1.- -: 第 1 天没有留出午餐时间。请把参观提前或推后。"),
    ("MEAL_MISSED", Written(FREE, ("13:59-17:59 visit park; 18:00-19:00 dinner",)),
     "warning 1.- -: Day 1 leaves no time for lunch. Eat at park, during the visit."),
    ("MEAL_MISSED", Written(FREE, ("13:59-17:58 visit park; 18:00-19:00 dinner",)),
     "warning 1.- -: Day 1 leaves no time for lunch. Move a visit earlier or later."),
    ("MEAL_MISSED", Written(alone(day_start="11:15", day_end="20:30"), ("12:00-13:00 lunch",)),
     "warning 1.- -: Day 1 leaves no time for dinner. Move a visit earlier or later."),
    ("MEAL_MISSED", Written(alone(day_start="11:16", day_end="20:29"), ("",)), ""),
    ("MEAL_MISSED", Written(NIGHT, ("09:00-11:00 visit park; 12:00-13:00 lunch; 18:00-19:00 dinner",
                                    "18:00-19:00 dinner")),
     "warning 2.- -: Day 2 leaves no time for lunch. Move a visit earlier or later."),
    ("PACE", Written(RELAXED, (fill("11:00", "11:00-12:00 visit p3"),)), ""),
    ("PACE", Written(RELAXED, (fill("11:00", "11:00-12:00 visit p3; 12:00-13:00 visit p4"),)),
     "warning 1.- -: Day 1 has 4 visits and 4.0 hours on the go, more than the chosen pace "
     "(3 visits). Move a visit to another day."),
    ("PACE", Written(RELAXED, (fill("11:00", "11:00-12:00 visit p3; 12:00-13:00 lunch p4"),)), ""),
    ("PACE", Written(RELAXED, (fill("15:30", "15:30-16:00 walk"),)), ""),
    ("PACE", Written(RELAXED, (fill("15:30", "15:30-16:01 walk"),)),
     "warning 1.- -: Day 1 has 2 visits and 7.0 hours on the go, more than the chosen pace "
     "(3 visits). Move a visit to another day."),
    ("PACE", Written(RELAXED, ("09:00-17:30 visit p1",)), ""),  # one place may take the whole day
    ("PACE", Written(alone(days=2, pois=PLACES.rows.pois.values(), pace="relaxed"),
                     (fill("15:00", "15:30-16:00 walk"), fill("17:00", "17:00-17:30 walk"))),
     "warning 2.- -: Day 2 has 2 visits and 8.5 hours on the go, more than the chosen pace "
     "(3 visits). Move a visit to another day."),
    ("DAY_HOURS", Written(NIGHT, ("", "20:30-21:30 walk; hotel bj-h-dongdan")),
     "warning 2.0 -: “B” (20:30-21:30) is outside of the day, 09:00-21:00. "
     "Move it into these hours."),
    ("MEAL_MISSED", Written(NIGHT, ("12:00-13:00 lunch; 18:00-19:00 dinner", "18:00-19:00 dinner")),
     "warning 2.- -: Day 2 leaves no time for lunch. Move a visit earlier or later."),
    ("MEAL_MISSED", Written(alone(day_start="11:15", day_end="20:30"), ("18:00-19:00 dinner",)),
     "warning 1.- -: Day 1 leaves no time for lunch. Move a visit earlier or later."),
    ("PACE", Written(alone(days=2, pois=PLACES.rows.pois.values(), pace="relaxed"),
                     (fill("15:00", "15:00-16:00 walk"), fill("16:00", "16:00-16:30 walk"))),
     "warning 2.- -: Day 2 has 2 visits and 7.5 hours on the go, more than the chosen pace "
     "(3 visits). Move a visit to another day."),
]  # fmt: skip


@pytest.mark.parametrize(("code", "plan", "finding"), CASES)
def test_hours(code: str, plan: Written, finding: str) -> None:
    assert plan.find(code) == ([finding] if finding else [])

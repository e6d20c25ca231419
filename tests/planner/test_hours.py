"""When a place may be entered: intervals, last entry, season, holidays, unknown hours."""

import datetime as dt

import pytest

from backend.planner.days.hours import read_hours
from tests.factories import make_snapshot
from tests.row_makers import make_poi

TUESDAY = dt.date(2026, 10, 13)


@pytest.mark.parametrize(
    ("hours", "last_entry", "duration", "starts"),
    [
        ("09:00-17:00", None, 90, [(540, 930)]),
        ("09:00-17:00", "15:00", 90, [(540, 900)]),
        ("09:00-17:00", "16:30", 90, [(540, 930)]),
        ("11:00-14:00,17:00-21:00", None, 60, [(660, 780), (1020, 1200)]),
        ("11:00-14:00,17:00-21:00", None, 200, [(1020, 1060)]),
        ("18:00-02:00", "01:00", 30, [(1080, 1500)]),
        ("18:00-02:00", None, 60, [(1080, 1500)]),
        ("We 09:00-17:00", None, 60, []),
        ("09:00-10:00", None, 61, []),
        ("", None, 60, [(540, 960)]),
    ],
)
def test_a_visit_may_begin_while_all_of_it_is_in_the_hours(
    hours: str, last_entry: str | None, duration: int, starts: list[tuple[int, int]]
) -> None:
    poi = make_poi("p", opening_hours=hours, last_entry=last_entry)
    read = read_hours(make_snapshot(pois=[poi]), poi, TUESDAY)
    assert list(read.list_starts(duration)) == starts
    assert read.is_known == bool(hours)


def test_the_sun_of_the_city_and_date_opens_and_shuts() -> None:
    poi = make_poi("p", opening_hours="sunrise-sunset")
    snapshot = make_snapshot(pois=[poi])
    read = {
        date: read_hours(snapshot, poi, date).intervals
        for date in (dt.date(2026, 6, 21), dt.date(2026, 12, 21))
    }
    # Beijing by the almanac: 04:46 to 19:46 and 07:33 to 16:53; a visiting day begins at 05:00
    summer = read[dt.date(2026, 6, 21)][0]
    assert (summer.start, summer.end) == (300, 19 * 60 + 46)
    (winter,) = read[dt.date(2026, 12, 21)]
    assert abs(winter.start - (7 * 60 + 33)) <= 3
    assert abs(winter.end - (16 * 60 + 53)) <= 3


def test_a_closed_season_leaves_no_interval() -> None:
    poi = make_poi("p", closed_season="10-13/02-01")
    read = read_hours(make_snapshot(pois=[poi]), poi, TUESDAY)
    assert (read.intervals, read.is_in_season) == ((), False)


def test_holidays_come_from_the_snapshot() -> None:
    poi = make_poi("p", opening_hours="Tu-Su 09:00-17:00; PH 09:00-17:00")
    snapshot = make_snapshot(pois=[poi], start_date="2026-10-04", days=3)
    monday = dt.date(2026, 10, 5)
    assert read_hours(snapshot, poi, monday).list_starts(60)
    without = snapshot.model_copy(update={"days_off": {}})
    assert not read_hours(without, poi, monday).list_starts(60)

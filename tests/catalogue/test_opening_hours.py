"""Hours by date: weekly closing days, days off with make-up workdays, past midnight, seasons."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.catalogue.opening_hours import (
    Interval,
    Location,
    check_opening_hours,
    is_day_off,
    is_in_season,
    is_open_on,
    list_days_off,
    open_intervals,
)

LABOUR_DAYS = [dt.date(2026, 5, n) for n in range(1, 6)]
FRIDAY_OFF = dt.date(2026, 5, 1)
MONDAY_OFF = dt.date(2026, 5, 4)
MONDAY = dt.date(2026, 5, 11)


@pytest.mark.parametrize(
    ("text", "day", "expected"),
    [
        ("Tu-Su 08:30-17:00; PH 08:30-17:00", MONDAY_OFF, [(510, 1020)]),
        ("Tu-Su 08:30-17:00; PH 08:30-17:00", MONDAY, []),
        ("Mo-Su 09:00-17:00; PH off", FRIDAY_OFF, []),
        ("Mo-Su 09:00-17:00; PH off", MONDAY, [(540, 1020)]),
        ("Mo-Fr,PH 09:00-10:00", dt.date(2026, 5, 2), [(540, 600)]),
        ("PH Mo-Fr 10:00-12:00", FRIDAY_OFF, [(600, 720)]),
        ("PH Mo-Fr 10:00-12:00", dt.date(2026, 5, 2), []),
        ("PH Mo-Fr 10:00-12:00", MONDAY, []),
        ('Mo-Fr 09:00-10:00 "PH maybe"', MONDAY, [(540, 600)]),
        ("Mo-Su 17:00-02:00", MONDAY, [(1020, 1560)]),
        ("24/7", MONDAY, [(300, 1740)]),
        ("10:00-12:00 unknown", MONDAY, [(600, 720)]),
        ("Sa 22:00-06:00", dt.date(2026, 5, 10), [(300, 360)]),
    ],
)
def test_intervals_of_a_date(text: str, day: dt.date, expected: list[tuple[int, int]]) -> None:
    assert open_intervals(text, day, LABOUR_DAYS) == tuple(Interval(*pair) for pair in expected)


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        (None, [(420, 1140)]),
        (Location(39.9, 116.4, "Asia/Shanghai"), [(300, 1186), (1726, 1740)]),
        (Location(51.5, -0.13, "Europe/London"), [(300, 1281), (1723, 1740)]),
        (Location(69.65, 18.96, "Europe/Oslo"), [(300, 1740)]),  # the sun does not set
    ],
)
def test_the_sun_rises_and_sets_where_the_place_lies(
    location: Location | None, expected: list[tuple[int, int]]
) -> None:
    midsummer = dt.date(2026, 6, 21)
    found = open_intervals("sunrise-sunset", midsummer, (), location)
    assert found == tuple(Interval(*pair) for pair in expected)


def test_hours_without_the_sun_are_the_same_everywhere() -> None:
    there = Location(51.5, -0.13, "Europe/London")
    for day in (dt.date(2026, 3, 29), MONDAY, dt.date(2026, 10, 25)):  # clocks change on two
        for text in ("00:30-04:00,22:00-02:00", "24/7", "Mo-Su 09:00-17:00; PH off"):
            assert open_intervals(text, day, (), there) == open_intervals(text, day, ())


def test_unreadable_hours_are_named() -> None:
    assert check_opening_hours("Mo-Su 09:00-17:00; PH off") is None
    assert "Mo 99" in (check_opening_hours("Mo 99") or "")


@pytest.mark.parametrize(
    ("day", "is_off"),
    [
        (dt.date(2026, 5, 2), True),  # the Saturday inside the holiday
        (dt.date(2026, 5, 9), False),  # a Saturday worked in exchange
        (dt.date(2026, 5, 16), False),  # a plain Saturday
        (dt.date(2031, 5, 1), None),  # not published yet
    ],
)
def test_days_off_of_china(day: dt.date, is_off: bool | None) -> None:
    assert is_day_off("CN", day) is is_off


def test_unknown_years_are_said_to_be_unknown() -> None:
    days, is_known = list_days_off("CN", dt.date(2031, 5, 1), dt.date(2031, 5, 3))
    assert days == []
    assert not is_known


def test_other_countries_have_their_own_days_off() -> None:
    assert is_day_off("HK", dt.date(2026, 7, 1))
    assert not is_day_off("CN", dt.date(2026, 7, 1))


@pytest.mark.parametrize(
    ("season", "day", "is_in"),
    [
        ("11-15/05-10", dt.date(2026, 5, 10), False),
        ("11-15/05-10", dt.date(2026, 11, 15), False),
        ("11-15/05-10", dt.date(2026, 1, 1), False),
        ("11-15/05-10", dt.date(2026, 5, 11), True),
        ("05-01/05-20", dt.date(2026, 5, 20), False),
        ("05-01/05-20", dt.date(2026, 4, 30), True),
        ("", dt.date(2026, 5, 1), True),
    ],
)
def test_closed_season_includes_both_ends(season: str, day: dt.date, is_in: bool) -> None:
    assert is_in_season(season, day) is is_in


@given(st.dates(dt.date(2020, 1, 1), dt.date(2026, 12, 31)))
def test_unknown_hours_count_as_open_on_every_day(day: dt.date) -> None:
    assert is_open_on("", "", day, ())


@given(st.dates(dt.date(2020, 1, 1), dt.date(2026, 12, 31)), st.integers(0, 6))
def test_weekly_closing_day_closes_that_day_alone(day: dt.date, weekday: int) -> None:
    name = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")[weekday]
    is_open = is_open_on(f"Mo-Su 09:00-17:00; {name} off", "", day, ())
    assert is_open is (day.weekday() != weekday)

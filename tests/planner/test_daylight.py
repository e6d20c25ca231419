"""Dusk by latitude, date and the city's clock, against almanac values to a quarter of an hour."""

import datetime as dt

import pytest

from backend.planner.days.hours import TWILIGHT_MIN, find_dusk
from tests.row_makers import find_city


@pytest.mark.parametrize(
    ("city", "date", "sunset"),
    [
        ("beijing", dt.date(2026, 6, 21), 19 * 60 + 46),
        ("beijing", dt.date(2026, 12, 21), 16 * 60 + 53),
        ("beijing", dt.date(2026, 3, 20), 18 * 60 + 25),
        ("xian", dt.date(2026, 12, 21), 17 * 60 + 38),
    ],
)
def test_it_gets_dark_after_sunset(city: str, date: dt.date, sunset: int) -> None:
    dusk = find_dusk(find_city(city), date)
    assert abs(dusk - TWILIGHT_MIN - sunset) <= 15


def test_the_polar_day_ends_at_midnight_and_the_night_at_noon() -> None:
    north = find_city("beijing").model_copy(update={"lat": 80.0, "lon": 120.0})
    assert find_dusk(north, dt.date(2026, 6, 21)) == 24 * 60 + TWILIGHT_MIN
    assert find_dusk(north, dt.date(2026, 12, 21)) == 12 * 60 + TWILIGHT_MIN

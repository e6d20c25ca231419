"""Nominal stays and legs of section 2."""

import datetime as dt
from typing import Any

import pytest

from backend.pool.plan_request import OwnTransport, PlanRequest
from backend.pool.stay import plan_legs, plan_stays
from tests.factories import make_request

OWN = OwnTransport(time="10:00", place="somewhere")


def show_legs(request: PlanRequest) -> list[tuple[str, str, int]]:
    return [(leg.from_city, leg.to_city, leg.date.day) for leg in plan_legs(request)]


def request(*cities: str, **changes: Any) -> PlanRequest:
    return make_request(cities, start_date=dt.date(2026, 10, 1), **changes)


def test_nights_are_shared_out_with_the_earlier_cities_first() -> None:
    stays = plan_stays(request("beijing", "xian", days=6))
    assert [(s.city, s.arrive.day, s.leave.day, s.nights) for s in stays] == [
        ("beijing", 1, 4, 3),
        ("xian", 4, 6, 2),
    ]
    assert [day.day for day in stays[1].dates] == [4, 5, 6]


def test_more_cities_than_nights_are_passed_through() -> None:
    stays = plan_stays(request("beijing", "xian", "luoyang", days=2))
    assert [(s.nights, s.arrive.day, s.leave.day) for s in stays] == [
        (1, 1, 2),
        (0, 2, 2),
        (0, 2, 2),
    ]


def test_given_nights_hold() -> None:
    assert [s.nights for s in plan_stays(request("beijing", "xian", days=5, nights=[0, 4]))] == [
        0,
        4,
    ]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, [("shanghai", "beijing", 1), ("beijing", "xian", 4), ("xian", "shanghai", 6)]),
        ({"origin": None}, [("beijing", "xian", 4)]),
        ({"origin": "beijing"}, [("beijing", "xian", 4), ("xian", "beijing", 6)]),
        ({"origin": "xian"}, [("xian", "beijing", 1), ("beijing", "xian", 4)]),
        ({"arrival": OWN}, [("beijing", "xian", 4), ("xian", "shanghai", 6)]),
        ({"departure": OWN}, [("shanghai", "beijing", 1), ("beijing", "xian", 4)]),
    ],
)
def test_legs(changes: dict[str, Any], expected: list[tuple[str, str, int]]) -> None:
    assert show_legs(request("beijing", "xian", days=6, **changes)) == expected


def test_a_day_trip_has_both_its_legs_on_one_day() -> None:
    assert show_legs(request("beijing", days=1)) == [
        ("shanghai", "beijing", 1),
        ("beijing", "shanghai", 1),
    ]

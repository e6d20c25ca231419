"""Ways between places: the mode follows from distance and city, the cost is the party's."""

from decimal import Decimal

import pytest

from backend.planner.days.travel_time import Party, Ways, estimate_own_leg_min, find_way

HERE = (39.9, 116.4)
ALL = ("walk", "metro", "taxi")
TWO = Party(2, "CNY")


def north(km: float) -> tuple[float, float]:
    """A place whose way from HERE is so long, detour included."""
    return HERE[0] + km / 1.3 / 111.195, HERE[1]


@pytest.mark.parametrize(
    ("km", "modes", "mode", "minutes", "cost"),
    [
        (0.03, ALL, "walk", 0, "0"),
        (1.0, ALL, "walk", 12, "0"),
        (1.25, ALL, "metro", 13, "6"),
        (10.0, ALL, "metro", 30, "8"),
        (24.9, ALL, "metro", 60, "12"),
        (25.1, ALL, "taxi", 43, "65.90"),
        (59.9, ALL, "taxi", 80, "144.10"),
        (2.9, ("walk", "taxi"), "taxi", 10, "13"),
        (2.9, (), "taxi", 10, "13"),
        (40.0, ("walk", "metro"), "metro", 90, "14"),
    ],
)
def test_the_mode_follows_from_distance_and_city(
    km: float, modes: tuple[str, ...], mode: str, minutes: int, cost: str
) -> None:
    way = find_way(HERE, north(km), modes, TWO)
    assert (way.mode, way.cost) == (mode, Decimal(cost))
    assert way.minutes == pytest.approx(minutes, abs=1)
    assert way.distance_m == pytest.approx(km * 1000 if minutes else 0, abs=20)


def test_five_travellers_need_two_taxis_and_five_metro_tickets() -> None:
    assert find_way(HERE, north(2.9), ("taxi",), Party(5, "CNY")).cost == Decimal(26)
    assert find_way(HERE, north(2.9), ALL, Party(5, "CNY")).cost == Decimal(15)


def test_fares_are_known_in_one_currency_only() -> None:
    assert find_way(HERE, north(30), ALL, Party(2, "EUR")).cost == 0


def test_the_net_measures_as_single_ways_do() -> None:
    ways = Ways(ALL, TWO)
    a, b = ways.add(HERE), ways.add(north(5))
    assert ways.add(HERE) == a
    assert ways.between(a, b) == ways.between(b, a) == find_way(HERE, north(5), ALL, TWO)
    assert ways.minutes(a, a) == 0
    assert ways.minutes(a, -1) == 0


def test_the_own_way_is_by_road_when_near_and_by_air_when_far() -> None:
    assert estimate_own_leg_min(HERE, north(100)) == pytest.approx(60 + 75, abs=1)
    assert estimate_own_leg_min(HERE, (31.2, 121.5)) == pytest.approx(240 + 1070 / 12.5, abs=3)

"""Rides, and how much of a city they leave: minutes within the traveller's days.

The first hours in a city are worth more than the last ones: nobody goes there to see none of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from backend.agent.policy.brief import DAY_MIN, Brief, BriefCity
from backend.planner.adding import add_up

TO_STATION_MIN = 60
FROM_STATION_MIN = 40

SCARCE: tuple[tuple[float, float], ...] = ((4.0, 7.0), (8.0, 2.0))
"""Up to so many hours in a city each one counts so many times more."""


@dataclass(frozen=True)
class Ride:
    """One train or two; minutes count from midnight of the leg's date, `price` is for one."""

    leg: int
    train_ids: tuple[str, ...]
    depart: int
    arrive: int
    price: float | None


def measure_day(brief: Brief, city: BriefCity, day: int, rides: Sequence[Ride]) -> int:
    """Minutes of a day in the city, between its trains or the traveller's own ways."""
    start, end = brief.day_start, brief.day_end
    midnight = (day - 1) * DAY_MIN
    for ride in rides:
        leg = brief.legs[ride.leg]
        begins = (leg.day - 1) * DAY_MIN - midnight
        if leg.to_city == city.id:
            start = max(start, begins + ride.arrive + FROM_STATION_MIN)
        if leg.from_city == city.id:
            end = min(end, begins + ride.depart - TO_STATION_MIN)
    if day == 1 and brief.arrival is not None:
        start = max(start, brief.arrival + FROM_STATION_MIN)
    if day == brief.days and brief.departure is not None:
        end = min(end, brief.departure - TO_STATION_MIN)
    return max(0, end - start)


def rate_shortage(brief: Brief, city: BriefCity, rides: Sequence[Ride]) -> float:
    """What is missing of a city's first hours, as hours."""
    hours = add_up(measure_day(brief, city, day, rides) for day in city.days) / 60
    return add_up(times * max(0.0, enough - hours) for enough, times in SCARCE)

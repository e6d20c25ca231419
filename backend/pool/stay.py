"""Nominal days in each city and legs between them, before any train is chosen.

Official days off around a trip, by country.

A snapshot keeps them, since tables published later may differ.
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from backend.catalogue.opening_hours import list_days_off
from backend.pool.candidate import CityRow
from backend.pool.plan_request import PlanRequest, share_nights


class Stay(NamedTuple):
    """Days in one city, arrival and departure day included; no night: passed through."""

    city: str
    arrive: dt.date
    leave: dt.date
    nights: int

    @property
    def dates(self) -> tuple[dt.date, ...]:
        """Every day of the stay: one more than nights."""
        return tuple(self.arrive + dt.timedelta(n) for n in range(self.nights + 1))


class Leg(NamedTuple):
    """A way from one city to another, starting on a date."""

    from_city: str
    to_city: str
    date: dt.date


def plan_stays(request: PlanRequest) -> list[Stay]:
    """The stays in the order of the destinations; nights not given are shared out evenly."""
    shared = share_nights(request.days, len(request.destinations))
    stays, arrive = [], request.start_date
    for destination, share in zip(request.destinations, shared, strict=True):
        nights = share if destination.nights is None else destination.nights
        leave = arrive + dt.timedelta(nights)
        stays.append(Stay(destination.city, arrive, leave, nights))
        arrive = leave
    return stays


def plan_legs(request: PlanRequest) -> list[Leg]:
    """The legs in order; none at an end without an origin, within one city, or travelled by own means."""
    stays = plan_stays(request)
    ends = [
        None if request.arrival else request.origin,
        *(stay.city for stay in stays),
        None if request.departure else request.origin,
    ]
    dates = [request.start_date, *(stay.arrive for stay in stays[1:]), request.last_date]
    return list(_pair(ends, dates))


def _pair(ends: list[str | None], dates: list[dt.date]) -> Iterator[Leg]:
    for start, end, date in zip(ends, ends[1:], dates, strict=False):
        if start is not None and end is not None and start != end:
            yield Leg(start, end, date)


@dataclass(frozen=True)
class TripCalendar:
    """Days off of the countries visited, from the day before the trip to two days after it.

    Hours of a day may depend on its neighbours (`PH` past midnight), and a leg may arrive on the
    next day. `unknown` names the cities with a day of the stay that is beyond the calendar.
    """

    by_country: dict[str, tuple[dt.date, ...]]
    countries: Mapping[str, str]
    unknown: frozenset[str]

    def days_off_in(self, city: str) -> frozenset[dt.date]:
        """Those of the city's country."""
        return frozenset(self.by_country[self.countries[city]])


def read_calendar(
    request: PlanRequest, stays: Iterable[Stay], cities: Mapping[str, CityRow]
) -> TripCalendar:
    """The calendar of a trip from the installed tables of days off."""
    first, last = request.start_date - dt.timedelta(1), request.last_date + dt.timedelta(2)
    stays = list(stays)
    countries = {stay.city: cities[stay.city].country for stay in stays}
    return TripCalendar(
        by_country={
            country: tuple(list_days_off(country, first, last)[0])
            for country in sorted(set(countries.values()))
        },
        countries=countries,
        unknown=frozenset(
            stay.city
            for stay in stays
            if not list_days_off(countries[stay.city], stay.arrive, stay.leave)[1]
        ),
    )

"""Official days off around a trip, by country; a snapshot freezes them, since they get published."""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from backend.catalogue.day_off import list_days_off
from backend.pool.candidate import CityRow
from backend.pool.plan_request import PlanRequest
from backend.pool.stay import Stay


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

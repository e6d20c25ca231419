"""Where the trip is on each day, and when it sets out: stays, moves and departures."""

import datetime as dt
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from backend.catalogue.opening_hours import list_days_off
from backend.pool.candidate import CityRow
from backend.pool.plan_request import PlanRequest, share_nights
from backend.pool.snapshot import Connection


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


MINUTES_A_DAY = 1440


class Departure(NamedTuple):
    """A train; `depart` is local to the first city, `arrive` to the second.

    Both count minutes from midnight of the day of departure, so `arrive` may pass 1,440.
    `weekdays` has bit 0 for Monday, by the date of departure.
    """

    id: str
    from_city: str
    from_station: str
    to_city: str
    to_station: str
    depart: int
    arrive: int
    price: Decimal | None
    weekdays: int
    number: str = ""

    def runs_on(self, date: dt.date) -> bool:
        """Whether it leaves on this date."""
        return bool(self.weekdays >> date.weekday() & 1)


Zones = Mapping[str, str]
"""Time zone names by city."""


def read_zones(cities: Mapping[str, CityRow]) -> Zones:
    """The zones of some cities."""
    return {city: row.timezone for city, row in cities.items()}


@cache
def find_zone(name: str) -> ZoneInfo:
    """The zone of this name, read once."""
    return ZoneInfo(name)


def find_moment(date: dt.date, minutes: int, zone: str) -> dt.datetime:
    """The moment that clocks in `zone` show `minutes` after midnight of `date`, with its offset."""
    local = dt.datetime.combine(date, dt.time()) + dt.timedelta(minutes=minutes)
    return local.replace(tzinfo=find_zone(zone))


def count_minutes(earlier: dt.datetime, later: dt.datetime) -> int:
    """Real minutes between two moments: Python's difference within one zone ignores clock changes."""
    return int((later.astimezone(dt.UTC) - earlier.astimezone(dt.UTC)).total_seconds()) // 60


def measure_journey(train: Departure, date: dt.date, zones: Zones) -> int:
    """Minutes on the way of a train leaving on `date`; the clocks' difference within one zone."""
    start, end = zones[train.from_city], zones[train.to_city]
    if start == end:
        return train.arrive - train.depart
    departs = find_moment(date, train.depart, start)
    return count_minutes(departs, find_moment(date, train.arrive, end))


MAX_CONNECTIONS = 5
SAME_STATION_MIN = 20
OTHER_STATION_MIN = 90
LONGEST_WAIT_MIN = 240


def find_connections(leg: Leg, trains: Iterable[Departure], zones: Zones) -> list[Connection]:
    """The best connections by arrival, then price (unknown last), then ids; at most five.

    `trains` may hold any trains that may be used at all; `zones` names each one's two cities.
    """
    onward: defaultdict[str, list[Departure]] = defaultdict(list)
    first: list[Departure] = []
    for train in trains:
        if train.from_city == leg.from_city and train.to_city != leg.to_city:
            first.append(train)
        elif train.to_city == leg.to_city and train.from_city != leg.from_city:
            onward[train.from_city].append(train)
    for rides in onward.values():
        rides.sort(key=lambda ride: ride.depart)
    found = (c for train in first for c in _change(leg.date, train, onward, zones))
    return sorted(found, key=_rank)[:MAX_CONNECTIONS]


def _rank(connection: Connection) -> tuple[dt.datetime, bool, Decimal, tuple[str, str]]:
    price = connection.price
    arrive = connection.arrive.astimezone(dt.UTC)
    return arrive, price is None, price or Decimal(0), connection.trains


def _change(
    date: dt.date, train: Departure, onward: Mapping[str, list[Departure]], zones: Zones
) -> Iterator[Connection]:
    if not train.runs_on(date):
        return
    arrive = find_moment(date, train.arrive, zones[train.to_city])
    rides = onward.get(train.to_city, [])
    for day in (arrive.date(), arrive.date() + dt.timedelta(1)):
        for ride in _leave_in_time(rides, arrive, day, zones):
            depart = find_moment(day, ride.depart, zones[ride.from_city])
            if ride.runs_on(day) and _may_change(train, ride, count_minutes(arrive, depart)):
                yield _join(train, date, ride, day, zones)


def _leave_in_time(
    rides: list[Departure], arrive: dt.datetime, day: dt.date, zones: Zones
) -> Iterator[Departure]:
    """Rides of `day` that may leave within reach; a day's slack covers any change of clocks."""
    passed = (day - arrive.date()).days * MINUTES_A_DAY
    now = arrive.hour * 60 + arrive.minute - passed
    slack = 3 * 60
    start = bisect_left(rides, now - slack, key=lambda ride: ride.depart)
    for ride in rides[start:]:
        if ride.depart > now + LONGEST_WAIT_MIN + slack:
            return
        yield ride


def _may_change(train: Departure, ride: Departure, wait: int) -> bool:
    same = train.to_station == ride.from_station
    return (SAME_STATION_MIN if same else OTHER_STATION_MIN) <= wait <= LONGEST_WAIT_MIN


def _join(
    train: Departure, date: dt.date, ride: Departure, day: dt.date, zones: Zones
) -> Connection:
    known = train.price is not None and ride.price is not None
    return Connection(
        trains=(train.id, ride.id),
        via=train.to_city,
        depart=find_moment(date, train.depart, zones[train.from_city]),
        arrive=find_moment(day, ride.arrive, zones[ride.to_city]),
        price=(train.price or Decimal(0)) + (ride.price or Decimal(0)) if known else None,
    )

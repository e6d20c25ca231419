"""A train as the rules see it: minutes, weekdays and price, and the moments those mean.

Two trains with one change, for a leg that no train covers on its date.

The second train must run on the weekday of its own departure, which may be days after the first's:
the change itself may pass midnight, and so may the first train.
"""

import datetime as dt
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from backend.pool.candidate import CityRow
from backend.pool.snapshot import Connection
from backend.pool.stay import Leg

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

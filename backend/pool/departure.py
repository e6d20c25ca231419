"""A train as the rules see it: minutes, weekdays and price, and the moments those mean."""

import datetime as dt
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from typing import NamedTuple
from zoneinfo import ZoneInfo

from backend.pool.candidate import CityRow

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

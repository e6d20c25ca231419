"""Legs with times: those of the chosen trains, or assumed ones.

A leg without a train is the traveller's own way, and its times are unknown. Its length is estimated,
and the time that is left of the day is shared between the two cities: the first way of the trip
begins as early as possible, the last way home as late as possible.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from backend.clock import parse_minutes
from backend.planner.days.travel_time import estimate_own_leg_min
from backend.planner.plan.draft import Draft
from backend.pool.candidate import TrainCandidate
from backend.pool.plan_request import OwnTransport
from backend.pool.snapshot import Connection, LegPool, Snapshot

BOARDING_MIN = 30
"""Minutes at the station before departure, for security and ticket checks."""

FLIGHT_BUFFERS = (120, 60)
BORDER_BUFFERS = (180, 90)
"""Minutes before the departure and after the arrival: check-in and security, baggage and passports."""

SAME_STATION_CHANGE_MIN = 20
OTHER_STATION_CHANGE_MIN = 90
"""The shortest changes that the pool offers."""


@dataclass(frozen=True)
class Ride:
    """One train on its date; times are aware, each in the zone of its city."""

    train: TrainCandidate
    depart: dt.datetime
    arrive: dt.datetime


@dataclass(frozen=True)
class Move:
    """A leg in time; without rides it is the traveller's own and its times are assumed."""

    leg: int
    from_city: str
    to_city: str
    rides: tuple[Ride, ...]
    depart: dt.datetime
    arrive: dt.datetime

    @property
    def is_own(self) -> bool:
        """No train was chosen, or there is none."""
        return not self.rides


def make_local(snapshot: Snapshot, city: str, date: dt.date, minutes: int) -> dt.datetime:
    """Minutes after local midnight of `date`, as an aware time in the city's zone."""
    moment = dt.datetime.combine(date, dt.time()) + dt.timedelta(minutes=minutes)
    return moment.replace(tzinfo=find_zone(snapshot, city))


def find_zone(snapshot: Snapshot, city: str) -> ZoneInfo:
    """The zone of a city; a city of change without a row counts as the first city's."""
    row = snapshot.city_rows.get(city) or next(iter(snapshot.city_rows.values()))
    return ZoneInfo(row.timezone)


def count_minutes(moment: dt.datetime, date: dt.date) -> int:
    """Minutes from midnight of `date` to a local time; negative on earlier dates."""
    midnight = dt.datetime.combine(date, dt.time())
    return (moment.replace(tzinfo=None) - midnight) // dt.timedelta(minutes=1)


def plan_moves(snapshot: Snapshot, draft: Draft) -> tuple[Move, ...]:
    """One move a leg, in order."""
    rides = [
        ride_trains(snapshot, leg, draft.trains.get(number, ()))
        for number, leg in enumerate(snapshot.legs)
    ]
    moves: list[Move] = []
    for number, leg in enumerate(snapshot.legs):
        if rides[number]:
            span = rides[number][0].depart, rides[number][-1].arrive
        else:
            span = _assume_own_way(snapshot, number, moves, rides)
        moves.append(Move(number, leg.from_city, leg.to_city, rides[number], *span))
    return tuple(moves)


def ride_trains(snapshot: Snapshot, leg: LegPool, train_ids: Sequence[str]) -> tuple[Ride, ...]:
    """The trains on their dates; nothing where one of them is not in the pool."""
    trains = [train for train_id in train_ids if (train := snapshot.train(train_id))]
    if not trains or len(trains) != len(train_ids):
        return ()
    rides = [_ride(snapshot, trains[0], leg.date)]
    for train in trains[1:]:
        date = _find_second_date(snapshot, leg, rides[-1], train)
        rides.append(_ride(snapshot, train, date))
    return tuple(rides)


def find_connection(leg: LegPool, train_ids: Sequence[str]) -> Connection | None:
    """The leg's connection of exactly these trains."""
    return next((c for c in leg.connections if c.trains == tuple(train_ids)), None)


def find_own_arrival(own: OwnTransport) -> int:
    """The minute of the first day on which one leaves the station or airport."""
    return parse_minutes(own.time) + _find_buffers(own)[1]


def find_own_departure(own: OwnTransport) -> int:
    """The minute of the last day by which one is at the station or airport."""
    return parse_minutes(own.time) - _find_buffers(own)[0]


def _find_buffers(own: OwnTransport) -> tuple[int, int]:
    if own.buffer_min is not None:
        return own.buffer_min, own.buffer_min
    if own.international:
        return BORDER_BUFFERS
    return FLIGHT_BUFFERS if own.mode == "flight" else (BOARDING_MIN, 0)


def _ride(snapshot: Snapshot, train: TrainCandidate, date: dt.date) -> Ride:
    return Ride(
        train,
        make_local(snapshot, train.from_city, date, train.depart_min),
        make_local(snapshot, train.to_city, date, train.arrive_min),
    )


def _find_second_date(
    snapshot: Snapshot, leg: LegPool, before: Ride, train: TrainCandidate
) -> dt.date:
    """The date on which the second train leaves: the connection's, else the first on which it is reached."""
    connection = find_connection(leg, (before.train.id, train.id))
    if connection is not None:
        return connection.arrive.date() - dt.timedelta(train.day_offset)
    is_same = before.train.to_station == train.from_station
    change = SAME_STATION_CHANGE_MIN if is_same else OTHER_STATION_CHANGE_MIN
    ready = before.arrive + dt.timedelta(minutes=change)
    date = ready.date()
    if make_local(snapshot, train.from_city, date, train.depart_min) < ready:
        date += dt.timedelta(1)
    return date


def _assume_own_way(
    snapshot: Snapshot, number: int, before: Sequence[Move], rides: Sequence[Sequence[Ride]]
) -> tuple[dt.datetime, dt.datetime]:
    leg = snapshot.legs[number]
    earliest = _find_earliest(snapshot, leg, before)
    latest = _find_latest(snapshot, number, rides)
    length = estimate_own_leg_min(
        snapshot.city_rows[leg.from_city].position, snapshot.city_rows[leg.to_city].position
    )
    spare = max(0, latest - earliest - length)
    if leg.to_city == snapshot.city_order[0]:  # the way in: as early as can be
        spare = 0
    elif leg.from_city != snapshot.city_order[-1]:
        spare //= 2  # the way home takes all of it: as late as can be
    depart = make_local(snapshot, leg.from_city, leg.date, earliest + spare)
    arrive = depart.astimezone(dt.UTC) + dt.timedelta(minutes=length)
    return depart, arrive.astimezone(find_zone(snapshot, leg.to_city))


def _find_earliest(snapshot: Snapshot, leg: LegPool, before: Sequence[Move]) -> int:
    request = snapshot.request
    earliest = parse_minutes(request.day_start)
    if request.arrival is not None and leg.date == request.start_date:
        earliest = max(earliest, find_own_arrival(request.arrival))
    if before:
        earliest = max(earliest, count_minutes(before[-1].arrive, leg.date))
    return earliest


def _find_latest(snapshot: Snapshot, number: int, rides: Sequence[Sequence[Ride]]) -> int:
    request = snapshot.request
    date = snapshot.legs[number].date
    latest = parse_minutes(request.day_end)
    if request.departure is not None and date == request.last_date:
        latest = min(latest, find_own_departure(request.departure))
    if number + 1 < len(rides) and rides[number + 1]:
        latest = min(latest, count_minutes(rides[number + 1][0].depart, date) - BOARDING_MIN)
    return latest

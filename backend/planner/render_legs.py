"""Legs as items: each train on the day it leaves, a change of stations in between as a transfer."""

import datetime as dt
from collections.abc import Iterator

from backend.planner.itinerary import DayItem, LegItem, TransferItem
from backend.planner.moves import Move, Ride
from backend.planner.travel_time import Party, find_way
from backend.planner.trip import Part, Stay, Trip


def render_legs_before(trip: Trip, part: Part) -> Iterator[DayItem]:
    """What brings the traveller into a part: trains that leave on its day, or the own way."""
    stay = _find_stay(trip, part)
    if stay.into is None:
        return
    if stay.into.is_own:
        if part.day == stay.first_day:
            yield _render_own(trip, stay.into)
        return
    for number, ride in enumerate(stay.into.rides):
        if ride.depart.date() == part.date:
            yield from _render_change(trip, stay.into, number)
            yield _render_ride(trip, ride)


def render_legs_after(trip: Trip, part: Part) -> Iterator[DayItem]:
    """The way home after the last part of the trip; its later trains have no day of their own."""
    stay = _find_stay(trip, part)
    if stay is not trip.stays[-1] or part.day != stay.last_day or stay.out is None:
        return
    if stay.out.is_own:
        yield _render_own(trip, stay.out)
    for number, ride in enumerate(stay.out.rides):
        yield from _render_change(trip, stay.out, number)
        yield _render_ride(trip, ride)


def _find_stay(trip: Trip, part: Part) -> Stay:
    return next(stay for stay in trip.stays if stay.city.id == part.city.id)


def _render_ride(trip: Trip, ride: Ride) -> LegItem:
    train = ride.train
    tickets = trip.snapshot.request.travellers
    return LegItem(
        mode="train",
        train_id=train.id,
        number=train.number,
        from_city=train.from_city,
        from_station=train.from_station,
        to_city=train.to_city,
        to_station=train.to_station,
        depart=ride.depart,
        arrive=ride.arrive,
        price=train.price,
        tickets=tickets,
        cost=None if train.price is None else train.price * tickets,
    )


def _render_own(trip: Trip, move: Move) -> LegItem:
    """Times are unknown: the assumed ones only keep room for it."""
    return LegItem(
        mode="own",
        train_id=None,
        number=None,
        from_city=move.from_city,
        from_station=None,
        to_city=move.to_city,
        to_station=None,
        depart=None,
        arrive=None,
        price=None,
        tickets=trip.snapshot.request.travellers,
        cost=None,
    )


def _render_change(trip: Trip, move: Move, number: int) -> Iterator[TransferItem]:
    """The way between two stations of the city of change, where the catalogue knows the city."""
    if number == 0:
        return
    before, after = move.rides[number - 1], move.rides[number]
    city = trip.snapshot.city_rows.get(after.train.from_city)
    stations = before.train.to_station, after.train.from_station
    if city is None or stations[0] == stations[1]:
        return
    request = trip.snapshot.request
    way = find_way(
        trip.snapshot.station_position(city.id, stations[0]),
        trip.snapshot.station_position(city.id, stations[1]),
        city.modes,
        Party(request.travellers, trip.snapshot.currency),
    )
    if way.minutes:
        yield TransferItem(
            mode=way.mode,
            from_=stations[0],
            to=stations[1],
            depart=before.arrive,
            arrive=before.arrive + dt.timedelta(minutes=way.minutes),
            distance_m=way.distance_m,
            cost=way.cost,
        )

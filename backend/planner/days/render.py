"""Schedule to items: numbers become local times with offset, names and prices.

A transfer arrives when the next thing begins: waiting is done where one is, not before a door.

Legs as items: each train on the day it leaves, a change of stations in between as a transfer.
"""

import datetime as dt
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from backend.planner.days.frame import NOWHERE, Frame, Stop
from backend.planner.days.legs import Move, Ride, make_local
from backend.planner.days.meals import list_alternatives
from backend.planner.days.schedule import PartPlan, Slot
from backend.planner.days.travel_time import find_way, make_party
from backend.planner.days.trip import BAGS_MIN, DAY_MIN, SHORT_NIGHT_MIN, Part, Stay, Trip, name_in
from backend.planner.plan.itinerary import (
    DayItem,
    FixedItem,
    LegItem,
    LuggageItem,
    MealItem,
    StayItem,
    TransferItem,
    VisitItem,
)
from backend.pool.plan_request import count_rooms


@dataclass
class _Place:
    """Where the traveller is, and since when."""

    node: int
    name: str
    since: int


def render_part(
    trip: Trip, frame: Frame, plan: PartPlan, planned: Collection[str]
) -> Iterator[DayItem]:
    """Visits, bookings, meals and the transfers between them; `planned` are the places of all days."""
    here = _Place(frame.start, frame.part.start.name, frame.part.free_from)
    has_stops = any(slot.stop is not None for slot in plan.slots)
    yield from _render_before(trip, frame, here, has_stops=has_stops)
    for number, slot in enumerate(plan.slots):
        if number == plan.home_at or _is_night_between(frame, here, slot):
            yield from _render_way_home(trip, frame, here)
        yield from _render_way(trip, frame, here, slot)
        yield _render_slot(trip, frame, slot, here, planned)
        here.since = max(here.since, slot.end)
    if plan.home_at == len(plan.slots):
        yield from _render_way_home(trip, frame, here)
    yield from _render_after(trip, frame, here, has_stops=has_stops)


def _render_before(
    trip: Trip, frame: Frame, here: _Place, *, has_stops: bool
) -> Iterator[TransferItem | LuggageItem]:
    """The bags to the hotel, before anything else; on the last day they are left there."""
    part, station = frame.part, frame.part.station
    if station is None:
        return
    if part.leave_by is not None:
        if has_stops:
            yield _render_luggage(trip, frame, "drop", part.ready - BAGS_MIN)
        return
    node = frame.ways.add(station.place.position)
    arrives = station.minute + frame.ways.minutes(node, frame.start)
    coming = _Place(node, station.place.name, station.minute)
    yield _render_transfer(trip, frame, coming, (frame.start, here.name), station.minute)
    here.since = arrives
    if has_stops:
        yield _render_luggage(trip, frame, "drop", arrives)
        here.since += BAGS_MIN


def _render_after(
    trip: Trip, frame: Frame, here: _Place, *, has_stops: bool
) -> Iterator[TransferItem | LuggageItem]:
    """The bags from the hotel to the station."""
    part, station = frame.part, frame.part.station
    if station is None or part.leave_by is None:
        return
    node = frame.ways.add(station.place.position)
    leave = station.minute - frame.ways.minutes(here.node, node)
    if has_stops:
        leave = max(leave, here.since + BAGS_MIN)
        yield _render_luggage(trip, frame, "collect", leave - BAGS_MIN)
    leave = max(leave, here.since)
    yield _render_transfer(trip, frame, here, (node, station.place.name), leave)


def _render_luggage(
    trip: Trip, frame: Frame, action: Literal["drop", "collect"], start: int
) -> LuggageItem:
    part = frame.part
    times = (
        make_local(trip.snapshot, part.city.id, part.date, m) for m in (start, start + BAGS_MIN)
    )
    begin, end = times
    return LuggageItem(
        action=action, place=part.start.name, start=begin, end=end, cost=Decimal("0.00")
    )


def _is_night_between(frame: Frame, here: _Place, slot: Slot) -> bool:
    """Whether one goes to bed before a booking in the small hours, and sets out from there."""
    if slot.start < DAY_MIN or frame.end is None or frame.part.leave_by is not None:
        return False
    node = frame.end if slot.stop is None or slot.stop.node == NOWHERE else slot.stop.node
    back = frame.ways.minutes(here.node, frame.end) + frame.ways.minutes(frame.end, node)
    return slot.start - here.since - back >= SHORT_NIGHT_MIN


def render_stay(trip: Trip, stay: Stay) -> Iterator[StayItem]:
    """The night in the chosen hotel, if one is chosen."""
    if stay.hotel is None:
        return
    request = trip.snapshot.request
    rooms = request.rooms or count_rooms(request.travellers, request.children)
    price = stay.hotel.price_per_night
    yield StayItem(
        hotel_id=stay.hotel.id,
        name=name_in(stay.hotel, request.locale),
        rooms=rooms,
        price=price,
        cost=None if price is None else price * rooms,
    )


def _render_way(trip: Trip, frame: Frame, here: _Place, slot: Slot) -> Iterator[TransferItem]:
    stop = slot.stop
    if stop is None or stop.node == NOWHERE:
        return
    name = _name_stop(trip, stop)
    if frame.ways.minutes(here.node, stop.node):
        leave = max(here.since, slot.start - frame.ways.minutes(here.node, stop.node))
        yield _render_transfer(trip, frame, here, (stop.node, name), leave)
    here.node, here.name = stop.node, name


def _render_way_home(trip: Trip, frame: Frame, here: _Place) -> Iterator[TransferItem]:
    """To the station as late as can be, to the bed at once; from an unused day nowhere."""
    part = frame.part
    if frame.end is None or part.end is None or part.is_void:
        return
    minutes = frame.ways.minutes(here.node, frame.end)
    leave = here.since
    if part.leave_by is not None:
        leave = max(leave, part.leave_by - minutes)
    if minutes:
        yield _render_transfer(trip, frame, here, (frame.end, part.end.name), leave)
    here.node, here.name, here.since = frame.end, part.end.name, leave + minutes


def _render_transfer(
    trip: Trip, frame: Frame, here: _Place, to: tuple[int, str], leave: int
) -> TransferItem:
    way = frame.ways.between(here.node, to[0])
    city, date = frame.part.city.id, frame.part.date
    return TransferItem(
        mode=way.mode,
        from_=here.name,
        to=to[1],
        depart=make_local(trip.snapshot, city, date, leave),
        arrive=make_local(trip.snapshot, city, date, leave + way.minutes),
        distance_m=way.distance_m,
        cost=way.cost,
    )


def _name_stop(trip: Trip, stop: Stop) -> str:
    if stop.fixed >= 0:
        return stop.key
    return name_in(trip.snapshot.rows.pois[stop.key], trip.snapshot.request.locale)


def _render_slot(
    trip: Trip, frame: Frame, slot: Slot, here: _Place, planned: Collection[str]
) -> DayItem:
    city, date = frame.part.city.id, frame.part.date
    start = make_local(trip.snapshot, city, date, slot.start)
    end = make_local(trip.snapshot, city, date, slot.end)
    if slot.meal is not None:
        at = frame.ways.position(here.node)
        others = list_alternatives(trip.snapshot, city, at, date, slot.start, planned)
        return _render_meal(trip, slot, (start, end), here.name, others)
    assert slot.stop is not None
    if slot.stop.fixed >= 0:
        return FixedItem(title=slot.stop.key, start=start, end=end)
    poi = trip.snapshot.rows.pois[slot.stop.key]
    tickets = trip.snapshot.request.travellers
    name = name_in(poi, trip.snapshot.request.locale)
    paid = trip.snapshot.pay_entry(poi)
    return VisitItem(
        poi_id=poi.id,
        name=name,
        arrive=start,
        leave=end,
        price=poi.price,
        tickets=tickets,
        cost=paid.cost,
        fares=paid.fares,
    )


def _render_meal(
    trip: Trip,
    slot: Slot,
    span: tuple[dt.datetime, dt.datetime],
    near: str,
    alternatives: tuple[str, ...],
) -> MealItem:
    """At a place of the plan, or somewhere near where one is."""
    assert slot.meal is not None
    meal, (start, end) = slot.meal.name, span
    if slot.stop is None:
        return MealItem(
            meal=meal, start=start, end=end, poi_id=None, near=near, alternatives=alternatives
        )
    poi = trip.snapshot.rows.pois[slot.stop.key]
    tickets = trip.snapshot.request.travellers
    return MealItem(
        meal=meal,
        start=start,
        end=end,
        poi_id=poi.id,
        name=name_in(poi, trip.snapshot.request.locale),
        price=poi.price,
        tickets=tickets,
        cost=None if poi.price is None else poi.price * tickets,
        alternatives=alternatives,
    )


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
    paid = trip.snapshot.pay("rail", train.from_city, train.price)
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
        tickets=trip.snapshot.request.travellers,
        cost=paid.cost,
        fares=paid.fares,
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
    way = find_way(
        trip.snapshot.station_position(city.id, stations[0]),
        trip.snapshot.station_position(city.id, stations[1]),
        city.modes,
        make_party(trip.snapshot),
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

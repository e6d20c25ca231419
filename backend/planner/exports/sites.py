"""Where each item of an itinerary begins and ends.

A transfer knows its ends by name alone: they are looked for among the stops nearest to it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from backend.planner.itinerary import (
    DayItem,
    FixedItem,
    Itinerary,
    LegItem,
    MealItem,
    StayItem,
    TransferItem,
    VisitItem,
)
from backend.planner.travel_time import Position
from backend.planner.trip import CENTRE, name_in
from backend.pool.snapshot import Snapshot


class Site(NamedTuple):
    """A city, and where in it; None where nobody knows."""

    city: str
    position: Position | None


class _Stop(NamedTuple):
    """A named place that the plan leads to."""

    name: str
    site: Site


Ends = tuple[Site, Site]


def locate_items(snapshot: Snapshot, itinerary: Itinerary) -> list[Ends]:
    """Start and end of every item, in order."""
    items = [item for day in itinerary.days for item in day.items]
    stops = list(_list_stops(snapshot, itinerary, items))
    known = [stop for pair in stops for stop in pair]
    ends: list[Ends] = []
    for number, (item, (start, end)) in enumerate(zip(items, stops, strict=True)):
        if isinstance(item, TransferItem):
            before = known[: 2 * number][::-1]
            after = known[2 * number + 2 :]
            city = start.site.city
            ends.append(
                (
                    _find_stop(snapshot, city, item.from_, before),
                    _find_stop(snapshot, city, item.to, after),
                )
            )
        else:
            ends.append((start.site, end.site))
    return ends


def _list_stops(
    snapshot: Snapshot, itinerary: Itinerary, items: Sequence[DayItem]
) -> Iterator[tuple[_Stop, _Stop]]:
    """Both ends of each item by name; the city is carried on where an item has none of its own."""
    city = _find_first_city(snapshot, itinerary, items)
    for item in items:
        pair = _locate(snapshot, item, city)
        yield pair
        city = pair[1].site.city


def _find_first_city(snapshot: Snapshot, itinerary: Itinerary, items: Sequence[DayItem]) -> str:
    legs = (item.from_city for item in items[:1] if isinstance(item, LegItem))
    days = (day.city for day in itinerary.days)
    return next(legs, snapshot.city_order[0] if snapshot.city_order else next(days, ""))


def _locate(snapshot: Snapshot, item: DayItem, city: str) -> tuple[_Stop, _Stop]:
    if isinstance(item, LegItem):
        return (
            _make_station(snapshot, item.from_city, item.from_station),
            _make_station(snapshot, item.to_city, item.to_station),
        )
    stop = _Stop("", Site(city, None))
    if isinstance(item, VisitItem | MealItem) and item.poi_id is not None:
        poi = snapshot.rows.pois.get(item.poi_id)
        site = Site(poi.city, poi.position) if poi else Site(city, None)
        stop = _Stop(item.name or "", site)
    elif isinstance(item, StayItem):
        hotel = snapshot.rows.hotels.get(item.hotel_id)
        site = Site(hotel.city, hotel.position) if hotel else Site(city, None)
        stop = _Stop(item.name, site)
    elif isinstance(item, FixedItem):
        stop = _Stop(item.title, Site(city, _find_booking(snapshot, item)))
    return stop, stop


def _make_station(snapshot: Snapshot, city: str, name: str | None) -> _Stop:
    position = None
    if city in snapshot.city_rows:
        position = snapshot.station_position(city, name or "")
    return _Stop(name or "", Site(city, position))


def _find_booking(snapshot: Snapshot, item: FixedItem) -> Position | None:
    shown = item.title, item.start.replace(tzinfo=None)
    for booking in snapshot.request.fixed:
        is_shown = (booking.title, booking.start.replace(tzinfo=None)) == shown
        if is_shown and booking.lat is not None and booking.lon is not None:
            return booking.lat, booking.lon
    return None


def _find_stop(snapshot: Snapshot, city: str, name: str, nearest: Sequence[_Stop]) -> Site:
    """The first of `nearest` with this name and a position, else an end of the whole trip."""
    named = (s.site for s in nearest if s.name == name and s.site.position is not None)
    found = next(named, None)
    return found or Site(city, _find_own_place(snapshot, city, name))


def _find_own_place(snapshot: Snapshot, city: str, name: str) -> Position | None:
    """Where the traveller comes or goes by own means, or a city without a hotel."""
    for own in (snapshot.request.arrival, snapshot.request.departure):
        if own is not None and not isinstance(own.place, str) and own.place.name == name:
            return own.place.lat, own.place.lon
    row = snapshot.city_rows.get(city)
    if row is None:
        return None
    locale = snapshot.request.locale
    if name == CENTRE[locale].format(city=name_in(row, locale)):
        return row.position
    stations = (s for s in snapshot.stations if (s.city, s.name) == (city, name))
    return next(((s.lat, s.lon) for s in stations), None)

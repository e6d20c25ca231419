"""The trip in parts: for each day, in which city the traveller is, from when until when, and where it ends.

A part is one city on one day. On the day of a move there are two parts, around the leg; each can
be scheduled without the others.
"""

import dataclasses
import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass

from backend.clock import parse_minutes
from backend.planner.days.legs import (
    BOARDING_MIN,
    Move,
    count_minutes,
    find_own_arrival,
    find_own_departure,
    plan_moves,
)
from backend.planner.days.travel_time import Position, find_way, make_party
from backend.planner.plan.draft import Draft
from backend.pool.candidate import CityRow, HotelCandidate, PoiCandidate
from backend.pool.plan_request import FixedBooking, OwnTransport
from backend.pool.snapshot import Snapshot
from backend.text import Locale

DAY_MIN = 24 * 60

NIGHT_ENDS_MIN = 5 * 60
"""A booking at 01:00 belongs to the evening before, as a night market does."""

SHORT_NIGHT_MIN = 90
"""If fewer minutes are left for rest in a night, nobody goes to the hotel."""

CENTRE: dict[Locale, str] = {"zh-CN": "{city}市中心", "en": "centre of {city}"}


@dataclass(frozen=True)
class Place:
    """A named position."""

    name: str
    position: Position


@dataclass(frozen=True)
class FixedSlot:
    """A booking in minutes of its day; without a position it is wherever the traveller is."""

    number: int
    title: str
    start: int
    end: int
    position: Position | None


@dataclass(frozen=True)
class Stay:
    """A city between its two moves; days count from 1 and both ends belong to it."""

    city: CityRow
    first_day: int
    last_day: int
    into: Move | None
    out: Move | None
    hotel: HotelCandidate | None
    base: Place

    def has_night(self, day: int, date: dt.date) -> bool:
        """Whether the night after `day` needs a bed here: not while a train is on its way."""
        if not self.first_day <= day < self.last_day:
            return False
        return self.into is None or self.into.is_own or self.into.arrive.date() <= date


@dataclass(frozen=True)
class Station:
    """Where one comes from, or goes to, by way of the hotel in which the bags are; `minute`: from when, or by when."""

    place: Place
    minute: int


@dataclass(frozen=True)
class Part:
    """A city on a day, in minutes of that day.

    The traveller is at `start` from `free_from` and sets out from `ready`: at once on arrival, at
    the start of the day from a bed. Visits lie between `opens` and `closes`. With `leave_by` the traveller must be at `end` by then (without `end`: anywhere).
    """

    day: int
    date: dt.date
    city: CityRow
    start: Place
    free_from: int
    ready: int
    opens: int
    closes: int
    end: Place | None
    leave_by: int | None
    fixed: tuple[FixedSlot, ...]
    leaves_bags: bool = False
    station: "Station | None" = None

    @property
    def until(self) -> int:
        """The end of what can be used of this part."""
        return self.closes if self.leave_by is None else min(self.closes, self.leave_by)

    @property
    def is_void(self) -> bool:
        """The traveller is still on the way when the day ends."""
        return self.free_from >= DAY_MIN


@dataclass(frozen=True)
class Trip:
    """Stays, moves and the parts of each day."""

    snapshot: Snapshot
    stays: tuple[Stay, ...]
    moves: tuple[Move, ...]
    parts: dict[int, tuple[Part, ...]]

    def night_stay(self, day: int) -> Stay:
        """The stay whose nights hold the night after `day`; on the last day the last one."""
        nights = (s for s in self.stays if s.first_day <= day < s.last_day)
        return next(nights, self.stays[-1])

    def hotel_days(self, stay: Stay) -> list[int]:
        """Days that end with a night in this stay's hotel."""
        date_of = self.snapshot.request.date_of
        return [d for d in range(stay.first_day, stay.last_day) if stay.has_night(d, date_of(d))]

    def parts_in(self, city: str) -> Iterator[Part]:
        """All parts in a city, by day."""
        for parts in self.parts.values():
            yield from (part for part in parts if part.city.id == city)


def name_in(row: CityRow | HotelCandidate | PoiCandidate, locale: Locale) -> str:
    """The row's name in the traveller's language."""
    return row.name_en or row.name if locale == "en" else row.name


def plan_trip(snapshot: Snapshot, draft: Draft) -> Trip:
    """What hotels and trains decide; visits play no part in it."""
    chosen = (draft.hotels, draft.trains)
    return snapshot.remember("trip", chosen, lambda: _plan(snapshot, draft))


def _plan(snapshot: Snapshot, draft: Draft) -> Trip:
    moves = plan_moves(snapshot, draft)
    stays = _plan_stays(snapshot, draft, moves)
    parts: dict[int, tuple[Part, ...]] = {}
    for day in range(1, snapshot.request.days + 1):
        here = [stay for stay in stays if stay.first_day <= day <= stay.last_day]
        ways = [_measure_own_way(stay, day) for stay in here]
        found = [_make_part(snapshot, stay, day) for stay in here]
        parts[day] = _share_fixed(snapshot, found, ways)
    return Trip(snapshot, stays, moves, parts)


def _plan_stays(snapshot: Snapshot, draft: Draft, moves: tuple[Move, ...]) -> tuple[Stay, ...]:
    start = snapshot.request.start_date
    stays = []
    for number, city_id in enumerate(snapshot.city_order):
        pool = snapshot.cities[city_id]
        hotel = snapshot.hotel(draft.hotels.get(city_id, ""))
        stays.append(
            Stay(
                city=snapshot.city_rows[city_id],
                first_day=(pool.arrive - start).days + 1,
                last_day=(pool.leave - start).days + 1,
                into=_find_into(snapshot, moves, number),
                out=_find_into(snapshot, moves, number + 1),
                hotel=hotel,
                base=_find_base(snapshot, city_id, hotel),
            )
        )
    return tuple(stays)


def _find_into(snapshot: Snapshot, moves: tuple[Move, ...], number: int) -> Move | None:
    """The move into destination `number`; for the number after the last one, the way home."""
    first_is_way_in = bool(moves) and moves[0].to_city == snapshot.city_order[0]
    position = number if first_is_way_in else number - 1
    return moves[position] if 0 <= position < len(moves) else None


def _find_base(snapshot: Snapshot, city_id: str, hotel: HotelCandidate | None) -> Place:
    locale = snapshot.request.locale
    if hotel is not None:
        return Place(name_in(hotel, locale), hotel.position)
    city = snapshot.city_rows[city_id]
    return Place(CENTRE[locale].format(city=name_in(city, locale)), city.position)


def _make_part(snapshot: Snapshot, stay: Stay, day: int) -> Part:
    request = snapshot.request
    date = request.date_of(day)
    start, free_from = _find_start(snapshot, stay, day)
    end, leave_by = _find_end(snapshot, stay, day)
    return Part(
        day=day,
        date=date,
        city=stay.city,
        start=start,
        free_from=free_from,
        ready=free_from or parse_minutes(request.day_start),
        opens=max(free_from, parse_minutes(request.day_start)),
        closes=parse_minutes(request.day_end),
        end=end,
        leave_by=leave_by,
        fixed=(),
        leaves_bags=_leaves_bags(snapshot, stay),
    )


MUST_SEES_A_NIGHT = 2
"""With more of them each hour counts, and the bags come along."""

MOST_WAY_MIN = 75
"""Nobody goes to a hotel farther off only to leave the bags."""

BAGS_MIN = 10
"""To leave the bags at the hotel, or to fetch them."""

LEAST_LEFT_MIN = 60
"""With less left of a day nobody does anything else with it, so the bags go to the station or to bed."""


def _leaves_bags(snapshot: Snapshot, stay: Stay) -> bool:
    """Whether there is a hotel for them, and time to go there first."""
    rows = snapshot.rows.pois
    here = [i for i in snapshot.must_see if i in rows and rows[i].city == stay.city.id]
    nights = stay.last_day - stay.first_day
    return stay.hotel is not None and len(here) <= MUST_SEES_A_NIGHT * nights


def by_way_of_hotel(part: Part, way: int) -> Part:
    """On the days of arrival and departure the part without the bags: it begins, or ends, at the hotel.

    `way` are the minutes between station and hotel. A day with bookings is left as it is.
    """
    is_far = way > MOST_WAY_MIN
    if not part.leaves_bags or is_far or part.fixed or part.end in (None, part.start):
        return part
    if part.leave_by is None and part.free_from > 0:
        there = part.free_from + way + BAGS_MIN
        return part if there + LEAST_LEFT_MIN > part.closes else _begin_at_hotel(part, there)
    if part.leave_by is not None and part.free_from == 0:
        ready = part.leave_by - way - BAGS_MIN
        if ready - LEAST_LEFT_MIN >= part.opens:
            station = Station(part.end, part.leave_by)
            return dataclasses.replace(part, end=part.start, leave_by=ready, station=station)
    return part


def _begin_at_hotel(part: Part, there: int) -> Part:
    assert part.end is not None
    station = Station(part.start, part.free_from)
    return dataclasses.replace(_start_after(part, there), start=part.end, station=station)


def _find_start(snapshot: Snapshot, stay: Stay, day: int) -> tuple[Place, int]:
    """The station or own arrival point on arrival, else the bed of the night before."""
    date = snapshot.request.date_of(day)
    arrival = snapshot.request.arrival
    if stay.into is not None and stay.into.arrive.date() >= date:
        minutes = count_minutes(stay.into.arrive, date)
        if stay.into.is_own:
            return stay.base, minutes
        train = stay.into.rides[-1].train
        return _find_station(snapshot, train.to_city, train.to_station), minutes
    if day == 1 and arrival is not None and stay.first_day == 1 and stay.into is None:
        return _find_own_place(snapshot, stay, arrival), find_own_arrival(arrival)
    return stay.base, 0


def _find_end(snapshot: Snapshot, stay: Stay, day: int) -> tuple[Place | None, int | None]:
    """The station or own departure point on leaving, else the bed; nothing after the last day."""
    request = snapshot.request
    if day < stay.last_day:
        return stay.base, None
    if stay.out is not None:
        minutes = count_minutes(stay.out.depart, request.date_of(day))
        if stay.out.is_own:
            return None, minutes
        train = stay.out.rides[0].train
        return _find_station(snapshot, train.from_city, train.from_station), minutes - BOARDING_MIN
    if request.departure is not None:
        place = _find_own_place(snapshot, stay, request.departure)
        return place, find_own_departure(request.departure)
    return None, None


def _find_station(snapshot: Snapshot, city: str, name: str) -> Place:
    return Place(name, snapshot.station_position(city, name))


def _find_own_place(snapshot: Snapshot, stay: Stay, own: OwnTransport) -> Place:
    if isinstance(own.place, str):
        return _find_station(snapshot, stay.city.id, own.place)
    return Place(own.place.name, (own.place.lat, own.place.lon))


def _measure_own_way(stay: Stay, day: int) -> int:
    """Minutes of the traveller's own way into a stay on its first day; a train has its times."""
    if stay.into is None or not stay.into.is_own or day != stay.first_day:
        return 0
    return (stay.into.arrive - stay.into.depart) // dt.timedelta(minutes=1)


def _share_fixed(snapshot: Snapshot, parts: list[Part], ways: list[int]) -> tuple[Part, ...]:
    """Give each booking of the day to the part in which it begins.

    One that runs on into a later part, or from an earlier day, keeps the traveller from it; the
    own way there (`ways`, in minutes) begins after it too.
    """
    date = parts[0].date
    shared: dict[int, list[FixedSlot]] = {n: [] for n in range(len(parts))}
    before: list[FixedSlot] = []
    for number, booking in enumerate(snapshot.request.fixed):
        slot = _make_slot(number, booking, date)
        day_of = _find_date(snapshot, booking)
        if day_of == date:
            shared[_find_part(parts, slot)].append(slot)
        elif day_of < date:
            before.append(slot)
    found: list[Part] = []
    over = max((slot.end for slot in before), default=0)
    for n, part in enumerate(parts):
        over += ways[n] if n > 0 and over > 0 else 0
        here = _start_after(_start_where_kept(snapshot, part, before), over)
        before += shared[n]
        over = max([over, *(slot.end for slot in shared[n])])
        found.append(_with_fixed(snapshot, here, shared[n], before))
    return tuple(found)


def _make_slot(number: int, booking: FixedBooking, date: dt.date) -> FixedSlot:
    position = None
    if booking.lat is not None and booking.lon is not None:
        position = booking.lat, booking.lon
    return FixedSlot(
        number,
        booking.title,
        count_minutes(booking.start, date),
        count_minutes(booking.end, date),
        position,
    )


def _find_date(snapshot: Snapshot, booking: FixedBooking) -> dt.date:
    """The day of its start, but the small hours belong to the evening before."""
    date = booking.start.date()
    if count_minutes(booking.start, date) < NIGHT_ENDS_MIN:
        return max(date - dt.timedelta(1), snapshot.request.start_date)
    return date


def _find_part(parts: list[Part], slot: FixedSlot) -> int:
    there = [n for n, part in enumerate(parts) if part.free_from <= slot.start]
    return there[-1] if there else 0


def _start_where_kept(snapshot: Snapshot, part: Part, before: list[FixedSlot]) -> Part:
    """A part that begins at a booking which has lasted through the night; the bags have a bed already."""
    kept = _find_kept(snapshot, part, before, 0)
    if part.free_from > 0 or kept is None or kept.position is None:
        return part
    start = Place(kept.title, kept.position)
    return dataclasses.replace(part, start=start, leaves_bags=False)


def _start_after(part: Part, over: int) -> Part:
    """A part of which nothing can be used before `over`."""
    return dataclasses.replace(
        part,
        free_from=max(part.free_from, over),
        ready=max(part.ready, over),
        opens=max(part.opens, over),
    )


def _with_fixed(
    snapshot: Snapshot, part: Part, fixed: list[FixedSlot], until_now: list[FixedSlot]
) -> Part:
    """The part with its bookings; one that lasts all night leaves nobody a way to bed."""
    is_kept = part.leave_by is None and _find_kept(snapshot, part, until_now, DAY_MIN) is not None
    return dataclasses.replace(
        part,
        end=None if is_kept else part.end,
        fixed=tuple(sorted(fixed, key=lambda s: (s.start, s.end, s.number))),
    )


def _find_kept(
    snapshot: Snapshot, part: Part, slots: list[FixedSlot], midnight: int
) -> FixedSlot | None:
    """The booking that leaves no time for bed before the day that begins at `midnight`.

    Of the last day and night only; where one with a position is among them, one is there.
    """
    recent = [slot for slot in slots if slot.end > midnight - DAY_MIN]
    if not recent:
        return None
    over = max(slot.end for slot in recent)
    placed = [slot for slot in recent if slot.position is not None]
    last = max(placed or recent, key=lambda slot: (slot.end, slot.number))
    way = 0
    if last.position is not None:
        party = make_party(snapshot)
        base = part.start.position if part.end is None else part.end.position
        way = find_way(last.position, base, part.city.modes, party).minutes
    wake = midnight + parse_minutes(snapshot.request.day_start)
    return last if over + way + SHORT_NIGHT_MIN > wake else None

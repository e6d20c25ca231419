"""What stands in a calendar of a plan, before it is written: one event an item, one a hotel stay."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple
from zoneinfo import ZoneInfo

from backend.clock import parse_minutes
from backend.money import format_money
from backend.planner.days.travel_time import Position
from backend.planner.exports.delivered import Delivered, Entry
from backend.planner.exports.words import (
    WORDS,
    Words,
    count_minutes_under_way,
    describe_cost,
    describe_leg,
    describe_meal,
)
from backend.planner.plan.itinerary import (
    FixedItem,
    LegItem,
    LuggageItem,
    MealItem,
    StayItem,
    TransferItem,
    VisitItem,
)


class Moment(NamedTuple):
    """A time and the zone in which it is shown."""

    moment: dt.datetime
    zone: ZoneInfo


@dataclass(frozen=True)
class Event:
    """`key` is what it is, whenever it takes place; whole days where no times are known."""

    key: str
    category: str
    summary: str
    start: Moment | dt.date
    end: Moment | dt.date
    location: str
    position: Position | None
    lines: tuple[str, ...]
    is_busy: bool = True


def list_events(delivered: Delivered) -> Iterator[Event]:
    """All events by their items' order, then the stays."""
    words = WORDS[delivered.locale]
    way: Entry | None = None
    for entry in delivered.entries:
        if isinstance(entry.item, TransferItem):
            way = entry
        elif not isinstance(entry.item, StayItem):
            yield _make_event(delivered, entry, way, words)
            way = None
    for nights in _group_nights(delivered.entries):
        yield _make_stay(delivered, nights, words)


def _make_event(delivered: Delivered, entry: Entry, way: Entry | None, words: Words) -> Event:
    key, category, summary = _name_event(delivered, entry, words)
    start, end = _find_span(delivered, entry)
    return Event(
        key=key,
        category=category,
        summary=summary,
        start=start,
        end=end,
        location=_describe_location(delivered, entry),
        position=entry.start.position,
        lines=tuple(_describe(delivered, entry, way, words)),
        is_busy=isinstance(start, Moment),
    )


def _name_event(delivered: Delivered, entry: Entry, words: Words) -> tuple[str, str, str]:
    item = entry.item
    if isinstance(item, VisitItem):
        return f"visit {item.poi_id}", "VISIT", item.name
    if isinstance(item, MealItem):
        return f"meal {entry.date} {item.meal}", "MEAL", describe_meal(item, words)
    if isinstance(item, FixedItem):
        return f"fixed {item.title}", "BOOKING", item.title
    if isinstance(item, LuggageItem):
        summary = words[item.action].format(name=item.place)
        return f"luggage {entry.date} {item.action}", "LUGGAGE", summary
    assert isinstance(item, LegItem)
    ends = delivered.name_city(item.from_city), delivered.name_city(item.to_city)
    key = item.train_id or f"{item.from_city} {item.to_city}"
    return f"leg {key}", "LEG", describe_leg(item, *ends, words)


def _find_span(delivered: Delivered, entry: Entry) -> tuple[Moment | dt.date, Moment | dt.date]:
    """Times in the zones of both ends; an own leg takes its day."""
    item = entry.item
    zones = delivered.zone_of(entry.start.city), delivered.zone_of(entry.end.city)
    if isinstance(item, VisitItem):
        return Moment(item.arrive, zones[0]), Moment(item.leave, zones[1])
    if isinstance(item, MealItem | FixedItem | LuggageItem):
        return Moment(item.start, zones[0]), Moment(item.end, zones[1])
    assert isinstance(item, LegItem)
    if item.depart is None or item.arrive is None:
        return entry.date, entry.date + dt.timedelta(1)
    return Moment(item.depart, zones[0]), Moment(item.arrive, zones[1])


def _describe_location(delivered: Delivered, entry: Entry) -> str:
    item, city = entry.item, delivered.name_city(entry.start.city)
    if isinstance(item, LegItem):
        return f"{item.from_station}, {city}" if item.from_station else ""
    if not isinstance(item, VisitItem | MealItem) or item.poi_id is None:
        return ""
    poi = delivered.snapshot.rows.pois.get(item.poi_id)
    return ", ".join(filter(None, (item.name, poi.area if poi else "", city)))


def _describe(delivered: Delivered, entry: Entry, way: Entry | None, words: Words) -> Iterator[str]:
    if way is not None and isinstance(way.item, TransferItem) and _leads_to(way, entry):
        minutes = words["minutes"].format(n=count_minutes_under_way(way.item))
        depart = way.item.depart.astimezone(delivered.zone_of(way.start.city))
        yield words["way"].format(
            mode=words[way.item.mode], minutes=minutes, time=f"{depart:%H:%M}", start=way.item.from_
        )
    if isinstance(entry.item, VisitItem | MealItem | LegItem):
        cost = describe_cost(entry.item, delivered.itinerary.currency, words)
        yield from filter(None, (cost,))
    yield from entry.notes


def _leads_to(way: Entry, entry: Entry) -> bool:
    """A way home ends at the bed, whatever stands next in the list."""
    return way.end.position is not None and way.end.position == entry.start.position


def _group_nights(entries: Sequence[Entry]) -> Iterator[list[Entry]]:
    """Nights in a row in one hotel."""
    group: list[Entry] = []
    for entry in entries:
        if not isinstance(entry.item, StayItem):
            continue
        if group and not _continues(group[-1], entry):
            yield group
            group = []
        group.append(entry)
    if group:
        yield group


def _continues(before: Entry, after: Entry) -> bool:
    assert isinstance(before.item, StayItem)
    assert isinstance(after.item, StayItem)
    is_same = before.item.hotel_id == after.item.hotel_id
    return is_same and after.date - before.date == dt.timedelta(1)


def _make_stay(delivered: Delivered, nights: Sequence[Entry], words: Words) -> Event:
    """From check-in to check-out; by whole nights where the hotel does not say when these are."""
    first, last = nights[0], nights[-1]
    assert isinstance(first.item, StayItem)
    hotel = delivered.snapshot.rows.hotels.get(first.item.hotel_id)
    leave = last.date + dt.timedelta(1)
    start: Moment | dt.date = first.date
    end: Moment | dt.date = leave
    if hotel is not None and hotel.check_in and hotel.check_out:
        zone = delivered.zone_of(first.start.city)
        start = Moment(_make_moment(first.date, hotel.check_in, zone), zone)
        end = Moment(_make_moment(leave, hotel.check_out, zone), zone)
    city = delivered.name_city(first.start.city)
    return Event(
        key=f"stay {first.item.hotel_id}",
        category="STAY",
        summary=words["stay"].format(name=first.item.name),
        start=start,
        end=end,
        location=", ".join(filter(None, (first.item.name, hotel.area if hotel else "", city))),
        position=first.start.position,
        lines=tuple(_describe_stay(delivered, nights, words)),
        is_busy=False,
    )


def _describe_stay(delivered: Delivered, nights: Sequence[Entry], words: Words) -> Iterator[str]:
    items = [entry.item for entry in nights if isinstance(entry.item, StayItem)]
    rooms = words["rooms"].format(n=items[0].rooms)
    yield f"{words['nights'].format(n=len(items))} · {rooms}"
    costs = [item.cost for item in items if item.cost is not None]
    currency = delivered.itinerary.currency
    whole = f"{format_money(sum(costs, Decimal(0)))} {currency}"
    yield whole if len(costs) == len(items) else words["unknown"]
    yield from dict.fromkeys(note for entry in nights for note in entry.notes)


def _make_moment(date: dt.date, time: str, zone: ZoneInfo) -> dt.datetime:
    midnight = dt.datetime.combine(date, dt.time())
    return (midnight + dt.timedelta(minutes=parse_minutes(time))).replace(tzinfo=zone)

"""The files that a plan can be had as, in one visible tuple.

`map.geojson` (RFC 7946): day by day the places, stations, hotels and the ways between them.

The properties are the item's own fields, and `day`, `order`, `title`; colours and
icons are left to the map. Items without a position, such as lunch at no chosen place, are left out.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from backend.planner.days.travel_time import Position
from backend.planner.exports.calendar import write_calendar
from backend.planner.exports.delivered import Delivered, Entry
from backend.planner.exports.markdown import write_markdown
from backend.planner.exports.words import WORDS, describe_leg, describe_meal
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

_PLACES = 6
"""Decimal places of a coordinate: a tenth of a metre."""


def write_map(delivered: Delivered) -> str:
    """The file: one FeatureCollection, features by day and order."""
    features = [feature for entry in delivered.entries for feature in _show(delivered, entry)]
    return json.dumps({"type": "FeatureCollection", "features": features}, ensure_ascii=False)


def _show(delivered: Delivered, entry: Entry) -> Iterator[dict[str, Any]]:
    if isinstance(entry.item, LegItem):
        yield from _show_stations(delivered, entry, entry.item)
    start, end = entry.start.position, entry.end.position
    if isinstance(entry.item, LegItem | TransferItem):
        if start is not None and end is not None:
            yield _make_feature(delivered, entry, "", _make_line(start, end))
    elif start is not None:
        yield _make_feature(delivered, entry, "", _make_point(start))


def _show_stations(delivered: Delivered, entry: Entry, leg: LegItem) -> Iterator[dict[str, Any]]:
    for role, site, name, time in (
        ("depart", entry.start, leg.from_station, leg.depart),
        ("arrive", entry.end, leg.to_station, leg.arrive),
    ):
        if site.position is not None and name:
            feature = _make_feature(delivered, entry, f"-{role}", _make_point(site.position))
            feature["properties"] = {
                **_list_common(entry, site.city),
                "kind": "station",
                "title": name,
                "name": name,
                "role": role,
                "time": time.isoformat() if time else None,
            }
            yield feature


def _make_feature(
    delivered: Delivered, entry: Entry, suffix: str, geometry: dict[str, Any]
) -> dict[str, Any]:
    return {
        "type": "Feature",
        "id": f"{entry.day}-{entry.number}{suffix}",
        "geometry": geometry,
        "properties": {
            **_list_common(entry, entry.start.city),
            "title": _name(delivered, entry.item),
            **entry.item.model_dump(mode="json", by_alias=True),
            "notes": list(entry.notes),
        },
    }


def _list_common(entry: Entry, city: str) -> dict[str, Any]:
    return {"day": entry.day, "order": entry.number, "date": f"{entry.date}", "city": city}


def _name(delivered: Delivered, item: DayItem) -> str:
    words = WORDS[delivered.locale]
    if isinstance(item, LegItem):
        ends = delivered.name_city(item.from_city), delivered.name_city(item.to_city)
        return describe_leg(item, *ends, words)
    if isinstance(item, TransferItem):
        return f"{words[item.mode]}: {item.from_} → {item.to}"
    if isinstance(item, MealItem):
        return describe_meal(item, words)
    if isinstance(item, LuggageItem):
        return words[item.action].format(name=item.place)
    assert isinstance(item, VisitItem | StayItem | FixedItem)
    return item.title if isinstance(item, FixedItem) else item.name


def _make_point(position: Position) -> dict[str, Any]:
    return {"type": "Point", "coordinates": _order(position)}


def _make_line(start: Position, end: Position) -> dict[str, Any]:
    """A line; one over the 180th meridian is cut there, as the standard asks (section 3.1.9)."""
    (lat, lon), (lat2, lon2) = start, end
    if abs(lon2 - lon) <= 180:
        return {"type": "LineString", "coordinates": [_order(start), _order(end)]}
    edge = 180.0 if lon > 0 else -180.0
    unrolled = lon2 + 2 * edge
    share = (edge - lon) / (unrolled - lon) if unrolled != lon else 0.0
    middle = lat + (lat2 - lat) * share
    halves = [
        [_order(start), _order((middle, edge))],
        [_order((middle, -edge)), _order(end)],
    ]
    return {"type": "MultiLineString", "coordinates": halves}


def _order(position: Position) -> list[float]:
    """Longitude first."""
    return [round(position[1], _PLACES), round(position[0], _PLACES)]


@dataclass(frozen=True)
class Format:
    """`name` is the last part of its address, `option` what the command line calls it."""

    name: str
    option: str
    media_type: str
    summary: str
    write: Callable[[Delivered], str]

    @property
    def suffix(self) -> str:
        """Of a file of this format."""
        return self.name.rpartition(".")[2]


FORMATS: tuple[Format, ...] = (
    Format(
        "calendar.ics", "ics", "text/calendar", "The plan as a calendar (RFC 5545)", write_calendar
    ),
    Format(
        "map.geojson", "geojson", "application/geo+json", "The plan as a map (RFC 7946)", write_map
    ),
    Format(
        "itinerary.md",
        "markdown",
        "text/markdown",
        "The plan to be read (Markdown)",
        write_markdown,
    ),
)

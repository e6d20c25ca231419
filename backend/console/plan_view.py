"""An itinerary as the page shows it: times, names, and the warnings where they belong."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import TypeAdapter

from backend.console.render import translate
from backend.pool.snapshot import Snapshot
from backend.pool.wish_texts import describe_wish
from backend.pool.wishes import Wish
from backend.text import Locale

_WEEKDAYS: dict[Locale, tuple[str, ...]] = {
    "zh-CN": ("周一", "周二", "周三", "周四", "周五", "周六", "周日"),
    "en": ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
}
WISH: TypeAdapter[Wish] = TypeAdapter(Wish)
_STARTS = ("depart", "arrive", "start")
_ENDS = ("arrive", "leave", "end")


@dataclass(frozen=True)
class Names:
    """Names of ids in the page's language."""

    locale: Locale
    cities: Mapping[str, str]
    snapshot: Snapshot | None

    def city(self, city_id: str) -> str:
        """A city's name; the id of one that is gone."""
        return self.cities.get(city_id, city_id)

    def place(self, poi_id: str) -> str:
        """A place's name in the run's own snapshot."""
        row = self.snapshot.rows.pois.get(poi_id) if self.snapshot else None
        if row is None:
            return poi_id
        return row.name if self.locale == "zh-CN" else row.name_en or row.name

    def tag(self, tag_id: str) -> str:
        """A tag's name in the run's own snapshot."""
        tags = self.snapshot.tags if self.snapshot else ()
        row = next((tag for tag in tags if tag.id == tag_id), None)
        if row is None:
            return tag_id
        return row.name if self.locale == "zh-CN" else row.name_en or row.name


_FIELD_TEXTS = {
    "budget_total": "runs.budget",
    "budget_each": "runs.budget",
    "destinations": "ask.city",
    "budget_tier": "ask.tier",
    "wishes": "run.wishes",
}
_VALUE_TEXTS = {"budget_tier": "tier", "pace": "pace", "access": "ask.access"}


def list_read(result: Mapping[str, Any], names: Names) -> list[dict[str, str]]:
    """What each understood piece of the text became, in the page's language."""
    reading = result["reading"] or {"spans": ()}
    known = {entry["id"]: entry["name"] for entry in result["resolved"] if entry["id"]}
    return [
        {
            "text": span["text"],
            "field": translate(names.locale, _FIELD_TEXTS.get(field, f"ask.{field}")),
            "value": _show_read(field, value, names, known),
        }
        for span in reading["spans"]
        if span["understood"]
        for field, value in span["becomes"].items()
    ]


def _show_read(field: str, value: Any, names: Names, known: Mapping[str, str]) -> str:
    if isinstance(value, list):
        mark = "、" if names.locale == "zh-CN" else ", "
        return mark.join(_show_read(field, entry, names, known) for entry in value)
    if isinstance(value, dict) and "kind" in value:
        wish = WISH.validate_python(value)
        return describe_wish(wish, lambda row_id: known.get(row_id, row_id), names.locale)
    if isinstance(value, dict):
        return _show_read(field, value.get("any_of", []), names, known)
    if field in _VALUE_TEXTS:
        return translate(names.locale, f"{_VALUE_TEXTS[field]}.{value}")
    return known.get(str(value)) or names.cities.get(str(value)) or names.tag(str(value))


def list_days(result: Mapping[str, Any], names: Names) -> list[dict[str, Any]]:
    """The days with date, weekday, city and items, each with its times and warnings."""
    itinerary = result["itinerary"] or {"days": []}
    return [
        _show_day(number, day, result["violations"], names)
        for number, day in enumerate(itinerary["days"], start=1)
    ]


def _show_day(number: int, day: Any, violations: Any, names: Names) -> dict[str, Any]:
    date = dt.date.fromisoformat(day["date"])
    own = [v for v in violations if v["where"]["day"] == number]
    return {
        "number": number,
        "colour": (number - 1) % 8 + 1,
        "date": day["date"],
        "weekday": _WEEKDAYS[names.locale][date.weekday()],
        "city": names.city(day["city"]),
        "items": [
            {
                **item,
                "times": _show_times(item, date),
                "minutes": _count_minutes(item),
                "mark": f"{number}.{n}" if _is_chosen(item) else "",
                "violations": [v for v in own if v["where"]["item"] == n],
            }
            for n, item in enumerate(day["items"])
        ],
        "violations": [v for v in own if v["where"]["item"] is None],
    }


def _is_chosen(item: Mapping[str, Any]) -> bool:
    """Whether somebody chose it, so that it can be kept or taken out."""
    return any(item.get(key) for key in ("poi_id", "hotel_id", "train_id"))


def _find_times(item: Mapping[str, Any]) -> tuple[dt.datetime | None, dt.datetime | None]:
    names = ("depart", "arrive") if "depart" in item else ("arrive", "leave")
    if "start" in item:
        names = ("start", "end")
    start, end = (item.get(name) for name in names)
    return (
        dt.datetime.fromisoformat(start) if start else None,
        dt.datetime.fromisoformat(end) if end else None,
    )


def _show_times(item: Mapping[str, Any], date: dt.date) -> str:
    """`09:00–11:30`; a time on another date says how many days later."""
    return "–".join(_show_time(time, date) for time in _find_times(item) if time is not None)


def _show_time(time: dt.datetime, date: dt.date) -> str:
    later = (time.date() - date).days
    return time.strftime("%H:%M") + (f" +{later}" if later else "")


def _count_minutes(item: Mapping[str, Any]) -> int | None:
    start, end = _find_times(item)
    return round((end - start).total_seconds() / 60) if start and end else None

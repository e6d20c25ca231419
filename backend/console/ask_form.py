"""The form of a request: its fields as a request document, and where each fault is shown."""

from collections.abc import Iterable, Mapping
from typing import Any

from backend.errors import Fault

Fields = Mapping[str, list[str]]

MAX_CITIES = 8
MAX_BOOKINGS = 3


def make_request(fields: Fields, locale: str) -> dict[str, Any]:
    """The document that the API takes; fields left empty are left out, wrong ones kept as they are."""
    request: dict[str, Any] = {
        "destinations": list(_read_cities(fields)),
        "start_date": _get(fields, "start_date"),
        "days": _as_number(_get(fields, "days")),
        "travellers": _as_number(_get(fields, "travellers")),
        "budget_tier": _get(fields, "budget_tier"),
        "interests": fields.get("interests", []),
        "must_see": _read_lines(fields, "must_see"),
        "avoid": _read_lines(fields, "avoid"),
        "children": [_as_number(age) for age in _get(fields, "children").replace(",", " ").split()],
        "fixed": list(_read_bookings(fields)),
        "locale": locale,
    }
    for name in ("origin", "budget_total", "pace", "day_start", "day_end", "notes", "planner"):
        if value := _get(fields, name):
            request[name] = value
    if rooms := _get(fields, "rooms"):
        request["rooms"] = _as_number(rooms)
    for name in ("arrival", "departure"):
        time, place = _get(fields, f"{name}_time"), _get(fields, f"{name}_place")
        if time or place:
            request[name] = {"time": time, "place": place}
    return request


def _read_cities(fields: Fields) -> Iterable[dict[str, Any]]:
    nights = fields.get("nights", [])
    for number, city in enumerate(fields.get("city", [])[:MAX_CITIES]):
        own = nights[number].strip() if number < len(nights) else ""
        if city.strip():
            yield {"city": city.strip(), **({"nights": _as_number(own)} if own else {})}


def _read_bookings(fields: Fields) -> Iterable[dict[str, Any]]:
    names = ("fixed_title", "fixed_start", "fixed_end")
    for row in zip(*(fields.get(name, []) for name in names), strict=False):
        title, start, end = (value.strip() for value in row)
        if title or start or end:
            yield {"title": title, "start": start, "end": end}


def _read_lines(fields: Fields, name: str) -> list[str]:
    return [line.strip() for line in _get(fields, name).splitlines() if line.strip()]


def _get(fields: Fields, name: str) -> str:
    return fields.get(name, [""])[0].strip()


def _as_number(text: str) -> int | str:
    """A whole number; any other text stays, so that the answer can name it."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text


def sort_faults(faults: Iterable[Fault]) -> dict[str, list[Fault]]:
    """The faults by the field of the form that shows them, its name as in the request."""
    by_field: dict[str, list[Fault]] = {}
    for fault in faults:
        name = fault.pointer.split("/")[1] if "/" in fault.pointer else ""
        by_field.setdefault(name, []).append(fault)
    return by_field

"""What the form that changes a plan offers: which items, hotels and places, and what was typed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from backend.console.plan_view import Names
from backend.console.render import translate
from backend.console.revise_form import ADD_ROWS, Fields
from backend.console.texts import TEXTS
from backend.errors import Fault
from backend.pool.snapshot import Snapshot

MAX_NAMES = 12


@dataclass(frozen=True)
class Sent:
    """The form as it was sent, and what is wrong by field; both empty where it is new."""

    fields: Fields = field(default_factory=dict)
    faults: Mapping[str, list[Fault]] = field(default_factory=dict)
    status: int = 200


def show_form(snapshot: Snapshot, names: Names, sent: Sent, *, has_model: bool) -> dict[str, Any]:
    """The values of the form's template; `is_open` where it was sent and came back."""
    fields, faults = sent.fields, sent.faults
    is_told = has_model and snapshot.request.planner != "builtin"
    return {
        "is_open": bool(faults),
        "may_tell": is_told,
        "no_model": not has_model,
        "fields": fields,
        "faults": {
            name: [_say(fault, names) for fault in entries] for name, entries in faults.items()
        },
        "rows": [_read_row(fields, n) for n in range(ADD_ROWS)],
        "days": snapshot.request.days,
        "pace": snapshot.request.pace,
        "hotels": _list_hotels(snapshot, names),
    }


def _read_row(fields: Fields, number: int) -> dict[str, str]:
    names, days = fields.get("add", []), fields.get("add_day", [])
    return {
        "name": names[number] if number < len(names) else "",
        "day": days[number] if number < len(days) else "",
    }


def _list_hotels(snapshot: Snapshot, names: Names) -> list[dict[str, Any]]:
    """The hotels to choose from in each city with a night, in pool order."""
    return [
        {"city": city, "hotels": [_show_hotel(snapshot, names, hotel) for hotel in pool.hotels]}
        for city, pool in snapshot.cities.items()
        if pool.nights and pool.hotels
    ]


def _show_hotel(snapshot: Snapshot, names: Names, hotel_id: str) -> dict[str, Any]:
    row = snapshot.rows.hotels[hotel_id]
    name = row.name if names.locale == "zh-CN" else row.name_en or row.name
    return {"id": row.id, "name": name, "stars": row.stars, "price": row.price_per_night}


def _say(fault: Fault, names: Names) -> dict[str, Any]:
    """A fault in the page's language, with names for ids."""
    key = f"revise.fault.{fault.code}"
    message = translate(names.locale, key) if key in TEXTS else fault.message
    return {"message": message, "near": [names.place(value) for value in fault.suggestions]}


def find_places(snapshot: Snapshot, names: Names, typed: str, planned: set[str]) -> list[str]:
    """Names of places of the pool that hold what was typed and are not planned; its id where two share one."""
    wanted = typed.casefold().strip()
    pool = [snapshot.rows.pois[poi] for poi in sorted(snapshot.ids_by_kind["poi"] - planned)]
    known = [name for row in pool for name in {row.name, row.name_en}]
    found = [
        shown if known.count(shown := names.place(row.id)) == 1 else row.id
        for row in pool
        if wanted in row.name.casefold() or wanted in row.name_en.casefold()
    ]
    return sorted(found, key=lambda name: (not name.casefold().startswith(wanted), len(name)))[
        :MAX_NAMES
    ]

"""The form that changes a plan: its fields as the body of a revision, and where each fault is shown.

What the form that changes a plan offers: which items, hotels and places, and what was typed.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from backend.catalogue.matching import list_keys
from backend.catalogue.naming import fold
from backend.console.plan_view import Names
from backend.console.render import translate
from backend.console.texts import TEXTS
from backend.errors import Fault
from backend.pool.snapshot import Snapshot

Fields = Mapping[str, list[str]]

ADD_ROWS = 3
"""Places that one form adds; another revision adds more."""


@dataclass(frozen=True)
class Asked:
    """The body that the API takes, and the field that each of its locks and edits came from."""

    body: dict[str, Any]
    locks: tuple[str, ...]
    edits: tuple[str, ...]

    def find_field(self, pointer: str) -> str:
        """The field that a fault belongs to; empty where it is the whole form's."""
        _, *steps = pointer.split("/")
        origins = {"lock": self.locks, "edits": self.edits}.get(steps[0] if steps else "")
        if origins is not None and len(steps) > 1 and steps[1].isdigit():
            return origins[int(steps[1])]
        return "message" if steps[:1] == ["message"] else ""


def make_revision(fields: Fields) -> Asked:
    """What was typed and ticked; wrong values stay, so that the answer can name them."""
    edits = [*_list_removals(fields), *_list_chosen_hotels(fields), *_list_pace(fields)]
    edits += _list_additions(fields)  # last: another pace would leave out again what is wanted
    kept = fields.get("keep", [])
    body = {
        "message": fields.get("message", [""])[0].replace("\r\n", "\n"),
        "refresh": "refresh" in fields,
        "lock": [_read_item(mark) for mark in kept],
        "edits": [edit for _, edit in edits],
    }
    return Asked(body, tuple(map(name_item, kept)), tuple(field for field, _ in edits))


def name_item(mark: str) -> str:
    """The part of the page that shows the item `2.3`."""
    return f"item-{mark.replace('.', '-')}"


def _list_removals(fields: Fields) -> Iterator[tuple[str, dict[str, Any]]]:
    for mark in fields.get("remove", []):
        yield name_item(mark), {"op": "remove", **_read_item(mark)}


def _list_chosen_hotels(fields: Fields) -> Iterator[tuple[str, dict[str, Any]]]:
    """`beijing/` is any other hotel there, `beijing/h1` that one; no id holds a slash."""
    for choice in filter(None, fields.get("hotel", [])):
        city, _, hotel = choice.partition("/")
        named = {"hotel_id": hotel} if hotel else {}
        yield f"hotel-{city}", {"op": "swap_hotel", "city": city, **named}


def _list_pace(fields: Fields) -> Iterator[tuple[str, dict[str, Any]]]:
    if pace := fields.get("pace", [""])[0]:
        yield "pace", {"op": "pace", "pace": pace}


def _list_additions(fields: Fields) -> Iterator[tuple[str, dict[str, Any]]]:
    days = fields.get("add_day", [])
    for n, word in enumerate(fields.get("add", [])):
        day = days[n] if n < len(days) else ""
        if word.strip():
            wanted = {"day": _as_number(day)} if day else {}
            yield f"add-{n}", {"op": "add", "poi_id": word.strip(), **wanted}


def _read_item(mark: str) -> dict[str, Any]:
    day, _, item = mark.partition(".")
    return {"day": _as_number(day), "item": _as_number(item)}


def _as_number(text: str) -> int | str:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else text


def sort_faults(asked: Asked, faults: Iterable[Fault]) -> dict[str, list[Fault]]:
    """The faults by the field that shows them."""
    by_field: dict[str, list[Fault]] = {}
    for fault in faults:
        by_field.setdefault(asked.find_field(fault.pointer), []).append(fault)
    return by_field


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
    is_told = not has_model or snapshot.request.planner != "builtin"
    return {
        "is_open": bool(faults),
        "may_tell": is_told,
        "is_by_rules": not has_model,
        "fields": fields,
        "faults": {
            name: [_say(fault, names) for fault in entries] for name, entries in faults.items()
        },
        "rows": [_read_row(fields, n) for n in range(ADD_ROWS)],
        "days": snapshot.request.days,
        "pace": snapshot.request.pace,
        "hotels": _list_hotel_options(snapshot, names),
    }


def _read_row(fields: Fields, number: int) -> dict[str, str]:
    names, days = fields.get("add", []), fields.get("add_day", [])
    return {
        "name": names[number] if number < len(names) else "",
        "day": days[number] if number < len(days) else "",
    }


def _list_hotel_options(snapshot: Snapshot, names: Names) -> list[dict[str, Any]]:
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
    wanted = fold(typed)
    pool = [snapshot.rows.pois[poi] for poi in sorted(snapshot.ids_by_kind["poi"] - planned)]
    known = [name for row in pool for name in {row.name, row.name_en}]
    found = [
        shown if known.count(shown := names.place(row.id)) == 1 else row.id
        for row in pool
        if any(wanted in key for key in list_keys((row.name, row.name_en)))
    ]
    return sorted(found, key=lambda name: (not fold(name).startswith(wanted), len(name)))[
        :MAX_NAMES
    ]

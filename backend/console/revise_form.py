"""The form that changes a plan: its fields as the body of a revision, and where each fault is shown."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from backend.errors import Fault

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
    edits = [*_list_removals(fields), *_list_hotels(fields), *_list_pace(fields)]
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


def _list_hotels(fields: Fields) -> Iterator[tuple[str, dict[str, Any]]]:
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

"""A row of the catalogue as a form: its cells as in the catalogue's files, and what was typed kept.

The form carries each cell as it was shown beside the cell as it is typed, so that only what was
changed is sent, and somebody else's change of another field stays.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from backend.catalogue.editing import FIXED, LINES, Edited, RowKind
from backend.console.change_form import Fields
from backend.errors import Fault

WAS = "was."
"""What begins the name of the field that says what a cell was."""

Input = Literal["text", "number", "long", "choice"]

CITIES = frozenset({"city", "from_city", "to_city"})
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "enabled": ("true", "false"),
    "booking": ("none", "recommended", "required"),
    "reach_mode": ("", "ferry", "cable_car", "coach"),
    "wheelchair": ("", "yes", "limited", "no"),
}
_LONG = frozenset({"intro", "opening_hours", "halls_hours"})
_NUMBERS = frozenset(
    {"price", "price_per_night", "duration_min", "popularity", "lat", "lon", "stars", "rating",
     "book_days_ahead", "day_offset", "reach_minutes", "reach_fare"}
)  # fmt: skip


@dataclass(frozen=True)
class Cell:
    """One field: `shown` stands in it, `was` when the form was made, `now` in the catalogue."""

    name: str
    input: Input
    choices: tuple[str, ...]
    now: str
    was: str
    shown: str
    faults: tuple[str, ...] = ()

    @property
    def is_lost(self) -> bool:
        """Whether somebody else has changed what was typed over."""
        return self.was != self.now and self.shown != self.now


def list_cells(
    kind: RowKind, row: Edited, cities: tuple[str, ...], form: Fields | None = None
) -> list[Cell]:
    """The fields in the order of the file; those that a form has changed keep what was typed."""
    values = row.line.model_dump(mode="json")
    typed = read_changes(kind, form) if form else {}
    return [
        Cell(
            name=name,
            input=_find_input(name),
            choices=cities if name in CITIES else _CHOICES.get(name, ()),
            now=(now := write_cell(values[name])),
            was=_read(form, WAS + name) if form and name in typed else now,
            shown=typed.get(name, now),
        )
        for name in list_fields(kind)
    ]


def list_fields(kind: RowKind) -> list[str]:
    """Names of what may be changed."""
    return [name for name in LINES[kind].model_fields if name not in FIXED]


def read_changes(kind: RowKind, form: Fields) -> dict[str, str]:
    """What was typed over, by field."""
    return {
        name: _read(form, name)
        for name in list_fields(kind)
        if name in form and _read(form, name) != _read(form, WAS + name)
    }


def sort_faults(faults: tuple[Fault, ...]) -> dict[str, tuple[str, ...]]:
    """Texts of the faults by field."""
    sorted_faults: dict[str, tuple[str, ...]] = {}
    for fault in faults:
        field = fault.pointer.split("/")[1]
        near = f" ({', '.join(fault.suggestions)})" if fault.suggestions else ""
        sorted_faults[field] = (*sorted_faults.get(field, ()), fault.message + near)
    return sorted_faults


def write_cell(value: Any) -> str:
    """A value as a cell of the catalogue's files holds it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return ";".join(value) if isinstance(value, list) else str(value)


def _find_input(name: str) -> Input:
    if name in _CHOICES or name in CITIES:
        return "choice"
    if name in _LONG:
        return "long"
    return "number" if name in _NUMBERS else "text"


def _read(form: Fields, name: str) -> str:
    """A field's text; browsers send the ends of lines as two characters."""
    return form.get(name, [""])[0].replace("\r\n", "\n")

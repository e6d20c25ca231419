"""The plan as a model reads it after a write: short items with their numbers, and what they break."""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from backend.money import format_money
from backend.planner.check.validator import validate
from backend.planner.days.timeline import build_itinerary
from backend.planner.plan.draft import Draft
from backend.planner.plan.itinerary import Day, DayItem, Itinerary, Violation
from backend.pool.snapshot import Snapshot
from backend.tools.tool import Answer

FIELDS: dict[str, tuple[str, ...]] = {
    "leg": ("mode", "train_id", "number", "to_city", "depart", "arrive", "cost"),
    "transfer": ("mode", "depart", "arrive"),
    "visit": ("poi_id", "name", "arrive", "leave", "cost"),
    "meal": ("meal", "start", "end", "poi_id", "name", "cost"),
    "fixed": ("title", "start", "end"),
    "luggage": ("action", "place", "start", "end"),
    "stay": ("hotel_id", "name", "cost"),
}
"""The fields of an item that a model needs, by kind; `cost` is for the whole party."""


@dataclass(frozen=True)
class PlanView:
    """A draft with what code makes of it."""

    itinerary: Itinerary
    violations: tuple[Violation, ...]

    @property
    def errors(self) -> list[Violation]:
        """What stands in the way of submitting."""
        return [v for v in self.violations if v.severity == "error"]

    def show_day(self, day: int) -> dict[str, Any]:
        """One day's timeline with what it breaks, and with what no single day is to blame for."""
        wanted = [v for v in self.violations if v.where.day in (day, None)]
        return {
            **self._show_timeline(day),
            "violations": _show_violations(wanted),
            **self.show_totals(),
        }

    def show_days(self, days: Iterable[int]) -> dict[str, Any]:
        """Several days, each with what it breaks."""
        shown = [
            {
                **self._show_timeline(day),
                "violations": _show_violations(v for v in self.violations if v.where.day == day),
            }
            for day in days
        ]
        overall = _show_violations(v for v in self.violations if v.where.day is None)
        return {"days": shown, "violations": overall, **self.show_totals()}

    def _show_timeline(self, day: int) -> dict[str, Any]:
        shown = self.itinerary.days[day - 1]
        items = [_show_item(number, item, shown) for number, item in enumerate(shown.items)]
        return {"day": day, "date": shown.date.isoformat(), "city": shown.city, "items": items}

    def show_totals(self) -> dict[str, Any]:
        """How the whole plan stands, so that a write shows what it did to other days."""
        total = format_money(self.itinerary.costs.total)
        errors = len(self.errors)
        warnings = len(self.violations) - errors
        return {"plan": {"errors": errors, "warnings": warnings, "total_cost": total}}


def view_plan(snapshot: Snapshot, draft: Draft) -> PlanView:
    """Timeline and violations of a draft."""
    itinerary = build_itinerary(snapshot, draft)
    return PlanView(itinerary, tuple(validate(snapshot, draft, itinerary)))


def answer_write(snapshot: Snapshot, draft: Draft, days: Sequence[int]) -> Answer:
    """What a write answers: the day that it was about, or the days, as they are now."""
    view = view_plan(snapshot, draft)
    content = view.show_day(days[0]) if len(days) == 1 else view.show_days(days)
    return Answer(content, draft=draft)


def _show_violations(violations: Iterable[Violation]) -> list[dict[str, Any]]:
    return [
        {
            "code": violation.code,
            "severity": violation.severity,
            **violation.where.model_dump(exclude_none=True, include={"item"}),
            "message": violation.message,
        }
        for violation in violations
    ]


def _show_item(number: int, item: DayItem, day: Day) -> dict[str, Any]:
    values = ((name, getattr(item, name)) for name in FIELDS[item.kind])
    shown = {name: _show_value(value, day.date) for name, value in values if value is not None}
    return {"item": number, "kind": item.kind, **shown}


def _show_value(value: object, date: dt.date) -> object:
    """Times of the day itself as HH:MM, of another day with its date."""
    if isinstance(value, dt.datetime):
        return f"{value:%H:%M}" if value.date() == date else f"{value:%m-%d %H:%M}"
    return format_money(value) if isinstance(value, Decimal) else value

"""Plans for tests: a draft in one line, and its timeline as lines that a person can read."""

from collections.abc import Mapping, Sequence

from backend.planner.check.validator import validate
from backend.planner.days.timeline import build_itinerary
from backend.planner.plan.draft import Draft, PlannedVisit
from backend.planner.plan.itinerary import DayItem, Itinerary, Violation
from backend.pool.snapshot import Snapshot

Visits = Mapping[int, Sequence[str | tuple[str, int]]]


def make_draft(
    visits: Visits | None = None,
    *,
    hotels: Mapping[str, str] | None = None,
    trains: Mapping[int, Sequence[str]] | None = None,
) -> Draft:
    """Visits by day; a pair is a place with its `at`."""
    planned = {
        day: tuple(
            PlannedVisit(poi_id=v) if isinstance(v, str) else PlannedVisit(poi_id=v[0], at=v[1])
            for v in entries
        )
        for day, entries in (visits or {}).items()
    }
    chosen = {leg: tuple(ids) for leg, ids in (trains or {}).items()}
    return Draft(visits=planned, hotels=dict(hotels or {}), trains=chosen)


def show_day(itinerary: Itinerary, day: int) -> list[str]:
    """The day's items, one a line: `09:16-13:16 visit bj-gugong`."""
    return [show_item(item) for item in itinerary.days[day - 1].items]


def show_item(item: DayItem) -> str:
    """One item as a line."""
    if item.kind == "visit":
        return f"{item.arrive:%H:%M}-{item.leave:%H:%M} visit {item.poi_id}"
    if item.kind == "meal":
        return f"{item.start:%H:%M}-{item.end:%H:%M} {item.meal} {item.poi_id or ''}".rstrip()
    if item.kind == "fixed":
        return f"{item.start:%H:%M}-{item.end:%H:%M} fixed {item.title}"
    if item.kind == "transfer":
        return f"{item.depart:%H:%M}-{item.arrive:%H:%M} {item.mode} {item.from_} > {item.to}"
    if item.kind == "luggage":
        return f"{item.start:%H:%M}-{item.end:%H:%M} {item.action} {item.place}"
    if item.kind == "stay":
        return f"stay {item.hotel_id}"
    if item.depart is None or item.arrive is None:
        return f"own {item.from_city} > {item.to_city}"
    return f"{item.depart:%H:%M}-{item.arrive:%H:%M} train {item.number}"


def plan(snapshot: Snapshot, draft: Draft, day: int) -> list[str]:
    """The lines of one day of a draft's timeline."""
    return show_day(build_itinerary(snapshot, draft), day)


def find_violations(snapshot: Snapshot, draft: Draft) -> list[Violation]:
    """What a draft's plan breaks."""
    return validate(snapshot, draft, build_itinerary(snapshot, draft))


def find_codes(snapshot: Snapshot, draft: Draft, severity: str = "error") -> set[str]:
    """Codes of one severity."""
    return {v.code for v in find_violations(snapshot, draft) if v.severity == severity}

"""Changes of a finished plan that need no model: items out and in, another pace, another hotel.

Items are named as the present itinerary shows them, so they are looked up before anything changes.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from backend.errors import ToolError
from backend.planner.arrange import arrange
from backend.planner.draft import Draft, PlannedVisit
from backend.planner.edits import choose_hotel, list_days_in, put_visit, with_visits
from backend.planner.itinerary import LegItem, MealItem, StayItem, VisitItem
from backend.planner.locks import Locks
from backend.planner.timeline import build_itinerary
from backend.planner.validator import validate
from backend.pool.snapshot import Snapshot


@dataclass(frozen=True)
class Target:
    """A choice that an item shows: a place on a day, a hotel, or a train."""

    kind: str
    day: int
    row_id: str


def find_target(snapshot: Snapshot, draft: Draft, day: int, item: int) -> Target:
    """The choice behind an item; a `ToolError` where there is none."""
    days = build_itinerary(snapshot, draft).days
    items = days[day - 1].items if 1 <= day <= len(days) else ()
    if not 0 <= item < len(items):
        raise ToolError("no_such_item", f"day {day} has no item {item}; it has {len(items)}")
    shown = items[item]
    if isinstance(shown, VisitItem | MealItem) and shown.poi_id is not None:
        return Target("visit", day, shown.poi_id)
    if isinstance(shown, StayItem):
        return Target("hotel", day, shown.hotel_id)
    if isinstance(shown, LegItem) and shown.train_id is not None:
        return Target("train", day, shown.train_id)
    raise ToolError("no_choice", f"item {item} of day {day} is a {shown.kind}: nobody chose it")


def lock_targets(draft: Draft, targets: Iterable[Target]) -> Locks:
    """The locks on these choices."""
    wanted = list(targets)
    ids = {target.row_id for target in wanted if target.kind != "visit"}
    return Locks(
        visits=tuple((t.day, t.row_id) for t in wanted if t.kind == "visit"),
        hotels={city: hotel for city, hotel in draft.hotels.items() if hotel in ids},
        trains={leg: trains for leg, trains in draft.trains.items() if ids.intersection(trains)},
    )


def keep_known(snapshot: Snapshot, draft: Draft) -> Draft:
    """The draft without what the pool has no longer."""
    pois, hotels, trains = (snapshot.ids_by_kind[kind] for kind in ("poi", "hotel", "train"))
    kept = Draft(
        hotels={city: hotel for city, hotel in draft.hotels.items() if hotel in hotels},
        trains={leg: ids for leg, ids in draft.trains.items() if set(ids) <= set(trains)},
    )
    for day, visits in draft.visits.items():
        kept = with_visits(kept, day, [visit for visit in visits if visit.poi_id in pois])
    return kept


def remove_target(draft: Draft, target: Target) -> Draft:
    """The draft without the choice."""
    if target.kind == "visit":
        kept = [v for v in draft.visits_on(target.day) if v.poi_id != target.row_id]
        return with_visits(draft, target.day, kept)
    hotels = {city: hotel for city, hotel in draft.hotels.items() if hotel != target.row_id}
    trains = {leg: ids for leg, ids in draft.trains.items() if target.row_id not in ids}
    return draft.model_copy(update={"hotels": hotels, "trains": trains})


def add_place(snapshot: Snapshot, draft: Draft, poi_id: str, day: int | None) -> Draft:
    """The place on that day, else on the day of its city that it does least harm on."""
    if day is not None:
        return put_visit(snapshot, draft, day, poi_id)
    poi = snapshot.poi(poi_id)
    if poi is None:
        return put_visit(snapshot, draft, 1, poi_id)  # which says what would be right
    tried = [put_visit(snapshot, draft, n, poi_id) for n in list_days_in(snapshot, poi.city)]
    return min(tried, key=lambda one: _measure_harm(snapshot, one))


def _measure_harm(snapshot: Snapshot, draft: Draft) -> tuple[int, int]:
    violations = validate(snapshot, draft, build_itinerary(snapshot, draft))
    errors = sum(violation.severity == "error" for violation in violations)
    return errors, len(violations)


def change_pace(snapshot: Snapshot, draft: Draft, locks: Locks) -> Draft:
    """The same places arranged anew by the snapshot's pace, as many as fit; locked ones stay."""
    fixed = {poi_id for _, poi_id in locks.visits}
    kept = draft.model_copy(update={"visits": _keep_visits(draft, fixed)})
    others = [poi_id for poi_id in draft.poi_ids if poi_id not in fixed]
    return arrange(snapshot, kept, others, keep=True).draft


def _keep_visits(draft: Draft, wanted: set[str]) -> dict[int, tuple[PlannedVisit, ...]]:
    kept = {
        day: tuple(visit for visit in visits if visit.poi_id in wanted)
        for day, visits in draft.visits.items()
    }
    return {day: visits for day, visits in kept.items() if visits}


def swap_hotel(snapshot: Snapshot, draft: Draft, city: str, hotel_id: str | None) -> Draft:
    """That hotel for the city, else the best of its pool that is not the present one."""
    if hotel_id is not None or city not in snapshot.cities:
        return choose_hotel(snapshot, draft, city, hotel_id or "")
    present = draft.hotels.get(city)
    others = [row for row in snapshot.cities[city].hotels if row != present]
    if not others:
        raise ToolError("no_other_hotel", f"the pool has no other hotel in {city}")
    return choose_hotel(snapshot, draft, city, others[0])

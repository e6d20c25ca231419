"""Changes of a finished plan that need no model: remove or add an item, change the pace or a hotel.

Items are named by their numbers in the present itinerary, so they are looked up before anything
changes. If no day is given for a place, or no name for a hotel, the choice with the fewest new
violations is taken. The run then repairs what is still broken, and keeps what was asked for.
"""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from backend.catalogue.place_types import FOOD_TYPES
from backend.errors import ToolError
from backend.planner.check.validator import validate
from backend.planner.days.timeline import build_itinerary
from backend.planner.edits import choose_hotel, list_days_in, put_visit, with_visits
from backend.planner.plan.draft import Barred, Draft, Locks
from backend.planner.plan.itinerary import (
    Itinerary,
    LegItem,
    MealItem,
    StayItem,
    Violation,
    VisitItem,
)
from backend.planner.search.arrange import arrange
from backend.pool.snapshot import Snapshot
from backend.pool.wishes import (
    AtWish,
    BedsWish,
    HotelWish,
    IntercityWish,
    PriceWish,
    SpendWish,
    Wish,
)

STRAIN = frozenset({"PACE", "MEAL_MISSED", "TRAVEL_SHARE", "EMPTY_DAY", "CHECK_IN", "LATE_ARRIVAL"})
"""Warnings that another day, or another hotel, may take away."""

MOST_DAYS_TRIED = 8
"""Days to move a visit to, the nearest ones: all of a month would take seconds."""

Harm = tuple[int, int]
"""Errors, and warnings of strain."""


@dataclass(frozen=True)
class Target:
    """A choice that an item shows: a place on a day, a hotel, or a train."""

    kind: Literal["poi", "hotel", "train"]
    day: int
    row_id: str

    @property
    def row(self) -> Barred:
        """The row that is meant."""
        return self.kind, self.row_id


def find_target(itinerary: Itinerary, day: int, item: int) -> Target:
    """The choice behind an item; a `ToolError` where there is none."""
    days = itinerary.days
    items = days[day - 1].items if 1 <= day <= len(days) else ()
    if not 0 <= item < len(items):
        raise ToolError("no_such_item", f"day {day} has no item {item}; it has {len(items)}")
    shown = items[item]
    if isinstance(shown, VisitItem | MealItem) and shown.poi_id is not None:
        return Target("poi", day, shown.poi_id)
    if isinstance(shown, StayItem):
        return Target("hotel", day, shown.hotel_id)
    if isinstance(shown, LegItem) and shown.train_id is not None:
        return Target("train", day, shown.train_id)
    raise ToolError("no_choice", f"item {item} of day {day} is a {shown.kind}: nobody chose it")


def lock_targets(draft: Draft, targets: Iterable[Target]) -> Locks:
    """The locks on these choices."""
    wanted = list(targets)
    ids = {target.row_id for target in wanted if target.kind != "poi"}
    return Locks(
        visits=tuple((t.day, t.row_id) for t in wanted if t.kind == "poi"),
        hotels={city: hotel for city, hotel in draft.hotels.items() if hotel in ids},
        trains={leg: trains for leg, trains in draft.trains.items() if ids.intersection(trains)},
    )


def keep_known(snapshot: Snapshot, draft: Draft) -> Draft:
    """The draft without what the pool has no longer, and without days that are spent elsewhere."""
    pois, hotels, trains = (snapshot.ids_by_kind[kind] for kind in ("poi", "hotel", "train"))
    kept = Draft(
        hotels={city: hotel for city, hotel in draft.hotels.items() if hotel in hotels},
        trains={leg: ids for leg, ids in draft.trains.items() if set(ids) <= set(trains)},
        free=draft.free,
    )
    for day, visits in draft.visits.items():
        here = (v for v in visits if v.poi_id in pois and day in _list_days(snapshot, v.poi_id))
        kept = with_visits(kept, day, list(here))
    return kept


def _list_days(snapshot: Snapshot, poi_id: str) -> list[int]:
    return list_days_in(snapshot, snapshot.rows.pois[poi_id].city)


def remove_target(draft: Draft, target: Target) -> Draft:
    """The draft without the choice, wherever it stands."""
    if target.kind == "poi":
        for day, visits in draft.visits.items():
            kept = [visit for visit in visits if visit.poi_id != target.row_id]
            draft = with_visits(draft, day, kept)
        return draft
    hotels = {city: hotel for city, hotel in draft.hotels.items() if hotel != target.row_id}
    trains = {leg: ids for leg, ids in draft.trains.items() if target.row_id not in ids}
    return draft.model_copy(update={"hotels": hotels, "trains": trains})


def add_place(
    snapshot: Snapshot, draft: Draft, poi_id: str, day: int | None, fixed: AbstractSet[str]
) -> Draft:
    """The place on that day, else on the day of its city that it does least harm on.

    Where that day is too full then, one other visit that is not `fixed` makes room on another day,
    if that is better.
    """
    poi = snapshot.poi(poi_id)
    if day is not None or poi is None:  # what is unknown is refused with what would be right
        tried = [put_visit(snapshot, draft, day or 1, poi_id)]
    else:
        tried = [put_visit(snapshot, draft, n, poi_id) for n in list_days_in(snapshot, poi.city)]
    added = _find_best(snapshot, tried)
    if measure_harm(snapshot, added) <= measure_harm(snapshot, draft):
        return added
    return _find_best(snapshot, [added, *_make_room(snapshot, added, fixed | {poi_id}, poi_id)])


def _make_room(
    snapshot: Snapshot, draft: Draft, fixed: AbstractSet[str], added: str
) -> Iterator[Draft]:
    """The draft with one other visit of the added place's day on another day of its city."""
    (day,) = (n for n, row in draft.visits.items() if any(v.poi_id == added for v in row))
    for visit in draft.visits_on(day):
        if visit.poi_id in fixed or snapshot.poi(visit.poi_id) is None:
            continue
        rest = [other for other in draft.visits_on(day) if other != visit]
        without = with_visits(draft, day, rest)
        others = [other for other in _list_days(snapshot, visit.poi_id) if other != day]
        for other_day in sorted(others, key=lambda other: abs(other - day))[:MOST_DAYS_TRIED]:
            yield put_visit(snapshot, without, other_day, visit.poi_id, visit.at)


def _find_best(snapshot: Snapshot, drafts: Iterable[Draft]) -> Draft:
    """The draft with the least harm; the first of equal ones."""
    return min(drafts, key=lambda draft: measure_harm(snapshot, draft))


def measure_harm(snapshot: Snapshot, draft: Draft) -> Harm:
    """How many errors a draft has, and how much strain."""
    violations = validate(snapshot, draft, build_itinerary(snapshot, draft))
    errors = sum(violation.severity == "error" for violation in violations)
    return errors, sum(violation.code in STRAIN for violation in violations)


def change_pace(snapshot: Snapshot, draft: Draft, locks: Locks) -> Draft:
    """The same places arranged anew by the snapshot's pace, as many as fit; locked ones stay.

    Locked places stay even where they break a constraint; the validator then says which.
    """
    others = [poi_id for poi_id in draft.poi_ids if poi_id not in locks.poi_ids]
    paced = arrange(snapshot, draft, others, locks=locks).draft
    for day, visits in draft.visits.items():
        for visit in visits:
            if visit.poi_id in locks.poi_ids and visit.poi_id not in paced.poi_ids:
                paced = put_visit(snapshot, paced, day, visit.poi_id, visit.at)
    return paced


def keep_wishes(snapshot: Snapshot, draft: Draft, locks: Locks) -> Draft:
    """The draft with what the snapshot's wishes ask for, and without what they refuse.

    Hotels and trains that break a wish are taken out: the planner chooses others. Visits stay on
    their days where that keeps all wishes, else all of them are arranged anew.
    """
    errors = [v for v in _find_errors(snapshot, draft) if v.where.wish is not None]
    if not errors:
        return draft
    wishes = [snapshot.request.wishes[v.where.wish or 0] for v in errors]
    if any(isinstance(wish, HotelWish | BedsWish) or _is_for_nights(wish) for wish in wishes):
        held = locks.hotels
        draft = draft.model_copy(
            update={"hotels": {c: h for c, h in draft.hotels.items() if held.get(c) == h}}
        )
    if any(isinstance(wish, IntercityWish) for wish in wishes):
        trains = {leg: ids for leg, ids in draft.trains.items() if locks.trains.get(leg) == ids}
        draft = draft.model_copy(update={"trains": trains})
    if all(isinstance(wish, HotelWish | BedsWish | IntercityWish) for wish in wishes):
        return draft
    named = {i for wish in wishes if isinstance(wish, AtWish) for i in wish.places}
    moved = draft
    for day, visits in draft.visits.items():
        stay = [v for v in visits if v.poi_id not in named or v.poi_id in locks.poi_ids]
        moved = with_visits(moved, day, stay)
    ids = draft.poi_ids
    kept = arrange(snapshot, moved, ids, keep=True, locks=locks).draft
    if not any(v.where.wish is not None for v in _find_errors(snapshot, kept)):
        return kept
    return _find_best(snapshot, [kept, arrange(snapshot, moved, ids, locks=locks).draft])


def give_beds(snapshot: Snapshot, draft: Draft, locks: Locks) -> Draft:
    """The draft with a hotel for each city that has lost its own to the changed request."""
    barred = {row_id for kind, row_id in locks.out if kind == "hotel"}
    for city, pool in snapshot.cities.items():
        if pool.nights and city not in draft.hotels and set(pool.hotels) - barred:
            draft = swap_hotel(snapshot, draft, city, None, barred)
    return draft


MORE_A_DAY = 6
"""Places that are tried for each day that is new."""


def fill_days(snapshot: Snapshot, draft: Draft, days: Sequence[int], locks: Locks) -> Draft:
    """The draft with sights of the pool for days that were not there before.

    The last day of before has more time now, so it may get some too; all other visits stay.
    """
    if not days:
        return draft
    planned, rows = {*draft.poi_ids}, snapshot.rows.pois
    out = {row_id for _, row_id in locks.out}
    more = [
        poi_id
        for pool in snapshot.cities.values()
        for poi_id in [
            i
            for i in pool.pois
            if i not in planned and i not in out and rows[i].type not in FOOD_TYPES
        ][: MORE_A_DAY * len(days)]
    ]
    return arrange(snapshot, draft, [*draft.poi_ids, *more], keep=True, locks=locks).draft


def _is_for_nights(wish: Wish) -> bool:
    return (isinstance(wish, PriceWish) and wish.of == "night") or (
        isinstance(wish, SpendWish) and wish.on == "hotels"
    )


def _find_errors(snapshot: Snapshot, draft: Draft) -> list[Violation]:
    found = validate(snapshot, draft, build_itinerary(snapshot, draft))
    return [violation for violation in found if violation.severity == "error"]


def swap_hotel(
    snapshot: Snapshot,
    draft: Draft,
    city: str,
    hotel_id: str | None,
    barred: AbstractSet[str] = frozenset(),
) -> Draft:
    """That hotel for the city, else the one of its pool that does least harm.

    That is neither the present one nor one of those that were taken out before.
    """
    if hotel_id is not None or city not in snapshot.cities:
        return choose_hotel(snapshot, draft, city, hotel_id or "")
    present = draft.hotels.get(city)
    others = [row for row in snapshot.cities[city].hotels if row not in {present, *barred}]
    if not others:
        raise ToolError("no_other_hotel", f"the pool has no other hotel in {city}")
    return _find_best(snapshot, [choose_hotel(snapshot, draft, city, row) for row in others])

"""Whatever is asked and edited: times never collide unsaid, costs add up, arrangements are sound."""

import datetime as dt
from decimal import Decimal
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from backend.errors import ToolError
from backend.planner.check.validator import validate
from backend.planner.days.hours import read_hours
from backend.planner.days.timeline import build_itinerary
from backend.planner.edits import choose_hotel, choose_train, put_visit, remove_item
from backend.planner.plan.draft import Draft
from backend.planner.plan.itinerary import Itinerary, MealItem, Violation, VisitItem, list_timed
from backend.planner.search.arrange import arrange
from backend.pool.snapshot import Snapshot
from tests.planner.strategies import checked, snapshots

VISIT_ERRORS = {
    "NOT_IN_POOL",
    "AVOIDED",
    "WRONG_CITY",
    "DUPLICATE",
    "CLOSED",
    "CLOSED_SEASON",
    "LAST_ENTRY",
    "DAY_HOURS",
}
"""Errors of which only a visit can be the cause."""

WINDOW_ERRORS = {"CLOSED", "CLOSED_SEASON", "LAST_ENTRY"}

CLASHES = {"OVERLAP", "TRAVEL_TIME", "LEG_MISSED", "LEG_TOO_SHORT"}


@st.composite
def settled(draw: st.DrawFn, snapshot: Snapshot) -> Draft:
    """Hotels and trains chosen, or not."""
    flags = st.sampled_from((True, False))
    index = st.sampled_from(range(8))
    draft = Draft()
    for city, pool in snapshot.cities.items():
        if draw(flags) and pool.hotels:
            draft = choose_hotel(snapshot, draft, city, pool.hotels[draw(index) % len(pool.hotels)])
    for number, leg in enumerate(snapshot.legs):
        if draw(flags) and leg.trains:
            draft = choose_train(
                snapshot, draft, number, [leg.trains[draw(index) % len(leg.trains)]]
            )
    return draft


@st.composite
def edited(draw: st.DrawFn, snapshot: Snapshot) -> Draft:
    """Any sequence of edits; what is refused changes nothing."""
    draft = draw(settled(snapshot))
    ids = sorted(snapshot.rows.pois)
    for _ in range(draw(st.integers(0, 12))):
        day = draw(st.integers(1, snapshot.request.days))
        try:
            if ids and draw(st.integers(0, 4)) > 0:
                at = draw(st.one_of(st.none(), st.integers(0, 1560)))
                poi_id = ids[draw(st.integers(0, 99)) % len(ids)]
                draft = put_visit(snapshot, draft, day, poi_id, at)
            else:
                draft = remove_item(snapshot, draft, day, draw(st.integers(0, 6)))
        except ToolError:
            continue
    return draft


def errors_of(snapshot: Snapshot, draft: Draft) -> list[Violation]:
    """All errors of a draft's plan."""
    found = validate(snapshot, draft, build_itinerary(snapshot, draft))
    return [violation for violation in found if violation.severity == "error"]


@checked
@given(st.data())
def test_visits_meals_and_transfers_never_overlap_each_other(data: st.DataObject) -> None:
    snapshot = data.draw(snapshots())
    itinerary = build_itinerary(snapshot, data.draw(edited(snapshot)))
    for day, row in enumerate(itinerary.days, 1):
        spans = [span for span in list_timed(itinerary) if span.day == day]
        for before, after in pairwise(spans):
            kinds = {item.kind for item in row.items[before.item : after.item + 1]}
            if not kinds & {"leg", "fixed"}:
                assert before.end <= after.start


@checked
@given(st.data())
def test_costs_add_up_and_bookings_stand(data: st.DataObject) -> None:
    snapshot = data.draw(snapshots())
    draft = data.draw(edited(snapshot))
    itinerary = build_itinerary(snapshot, draft)
    assert itinerary.costs.total == add_all_costs(itinerary)
    codes = {violation.code for violation in validate(snapshot, draft, itinerary)}
    assert "FIXED_MOVED" not in codes
    fixed = [item for day in itinerary.days for item in day.items if item.kind == "fixed"]
    assert len(fixed) == len(snapshot.request.fixed)


def add_all_costs(itinerary: Itinerary) -> Decimal:
    costs = [getattr(item, "cost", None) for day in itinerary.days for item in day.items]
    return sum((cost for cost in costs if cost is not None), Decimal(0))


@checked
@given(st.data())
def test_every_choice_of_a_draft_is_in_its_itinerary_once(data: st.DataObject) -> None:
    snapshot = data.draw(snapshots())
    draft = data.draw(edited(snapshot))
    items = [item for day in build_itinerary(snapshot, draft).days for item in day.items]
    shown = [i.poi_id for i in items if isinstance(i, VisitItem | MealItem) and i.poi_id]
    assert sorted(shown) == sorted(draft.poi_ids)
    trains = [i.train_id for i in items if i.kind == "leg" and i.train_id]
    assert sorted(trains) == sorted(t for ids in draft.trains.values() for t in ids)


@checked
@given(st.data())
def test_whatever_collides_with_a_train_or_a_booking_is_said(data: st.DataObject) -> None:
    snapshot = data.draw(snapshots())
    draft = data.draw(edited(snapshot))
    itinerary = build_itinerary(snapshot, draft)
    spans = sorted(list_timed(itinerary), key=lambda span: (span.start, span.end))
    pairs = [(a, b) for a, b in pairwise(spans) if not a.is_way and not b.is_way]
    hits = [(a, b) for a, b in pairs if b.start < a.end]
    found = validate(snapshot, draft, itinerary)
    if hits:
        assert CLASHES & {v.code for v in found}
    if any(not (a.is_fixed and b.is_fixed) for a, b in hits):
        assert CLASHES & {v.code for v in found if v.severity == "error"}


@checked
@given(st.data())
def test_a_visit_moved_out_of_its_window_is_always_caught(data: st.DataObject) -> None:
    snapshot = data.draw(snapshots())
    draft = data.draw(edited(snapshot))
    itinerary = build_itinerary(snapshot, draft)
    visits = [
        (d, n)
        for d, day in enumerate(itinerary.days)
        for n, item in enumerate(day.items)
        if isinstance(item, VisitItem)
    ]
    if not visits:
        return
    day, number = data.draw(st.sampled_from(visits))
    row = itinerary.days[day]
    item = row.items[number]
    assert isinstance(item, VisitItem)
    poi = snapshot.rows.pois[item.poi_id]
    minutes = data.draw(st.integers(0, 1560))
    starts = read_hours(snapshot, poi, row.date).list_starts(poi.duration_min)
    is_allowed = any(first <= minutes <= last for first, last in starts)
    wrong = dt.datetime.combine(row.date, dt.time(), item.arrive.tzinfo)
    wrong += dt.timedelta(minutes=minutes)
    moved = item.model_copy(update={"arrive": wrong, "leave": wrong + (item.leave - item.arrive)})
    items = (*row.items[:number], moved, *row.items[number + 1 :])
    days = list(itinerary.days)
    days[day] = row.model_copy(update={"items": items})
    tampered = itinerary.model_copy(update={"days": tuple(days)})
    found = validate(snapshot, draft, tampered)
    where = [(v.where.day, v.where.item) for v in found if v.code in WINDOW_ERRORS]
    assert ((day + 1, number) in where) is not is_allowed


@checked
@given(st.data())
def test_every_arrangement_is_free_of_errors_that_visits_cause(data: st.DataObject) -> None:
    snapshot = data.draw(snapshots())
    draft = data.draw(settled(snapshot))
    ids = data.draw(st.permutations(sorted(snapshot.rows.pois)))
    arrangement = arrange(snapshot, draft, ids)
    found = validate(snapshot, arrangement.draft, arrangement.itinerary)
    assert {v.code for v in found if v.severity == "error"} & VISIT_ERRORS == set()
    clashes = [v for v in errors_of(snapshot, arrangement.draft) if v.code in CLASHES]
    assert not any(is_visit(arrangement.itinerary, clash) for clash in clashes)
    if not any(v.code in CLASHES for v in errors_of(snapshot, draft)):
        assert clashes == []
    assert "MUST_SEE_MISSING" not in {v.code for v in found}
    assert {*arrangement.draft.poi_ids, *(left.poi_id for left in arrangement.left_out)} == set(ids)
    assert len(arrangement.draft.poi_ids) + len(arrangement.left_out) == len(ids)


@checked
@given(st.data())
def test_keeping_leaves_sound_visits_on_their_days(data: st.DataObject) -> None:
    snapshot = data.draw(snapshots())
    ids = sorted(snapshot.rows.pois)
    first = arrange(snapshot, data.draw(settled(snapshot)), ids[::2])
    second = arrange(snapshot, first.draft, ids, keep=True)
    for day, visits in first.draft.visits.items():
        assert {v.poi_id for v in visits} <= {v.poi_id for v in second.draft.visits_on(day)}
    assert {v.code for v in errors_of(snapshot, second.draft)} & VISIT_ERRORS == set()


def is_visit(itinerary: Itinerary, violation: Violation) -> bool:
    """Whether a violation points at a visit or a meal at a place."""
    day, item = violation.where.day, violation.where.item
    if day is None or item is None:
        return False
    return getattr(itinerary.days[day - 1].items[item], "poi_id", None) is not None


@checked
@given(st.data())
def test_an_arrangement_is_the_same_every_time(data: st.DataObject) -> None:
    snapshot = data.draw(snapshots())
    draft = data.draw(settled(snapshot))
    ids = sorted(snapshot.rows.pois)
    one, other = (arrange(snapshot, draft, ids) for _ in range(2))
    assert (one, one.left_out) == (other, other.left_out)

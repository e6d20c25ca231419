"""The itinerary computed by code: a draft's choices become timed items, always in the same way.

Every draft that edits can make has a timeline, also one that breaks constraints: finding those is
the task of the validator.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from backend.planner.agenda import make_frames, make_stops, make_ways
from backend.planner.costs import add_costs, find_price_date
from backend.planner.draft import Draft
from backend.planner.frame import Frame
from backend.planner.itinerary import Day, DayItem, Itinerary
from backend.planner.render import render_part, render_stay
from backend.planner.render_legs import render_legs_after, render_legs_before
from backend.planner.schedule import PartPlan, schedule
from backend.planner.travel_time import Ways
from backend.planner.trip import Trip, plan_trip
from backend.pool.snapshot import Snapshot


class PlannedPart(NamedTuple):
    """A part of a day with its schedule."""

    frame: Frame
    plan: PartPlan


def build_itinerary(snapshot: Snapshot, draft: Draft) -> Itinerary:
    """All days with times, transfers, meals, legs, stays and costs."""
    return snapshot.remember("itinerary", draft, lambda: _build(snapshot, draft))


def _build(snapshot: Snapshot, draft: Draft) -> Itinerary:
    trip = plan_trip(snapshot, draft)
    ways = make_ways(snapshot)
    days = tuple(_build_day(trip, draft, day, ways) for day in sorted(trip.parts))
    return Itinerary(
        currency=snapshot.currency,
        prices_as_of=find_price_date(snapshot, days),
        days=days,
        costs=add_costs(days),
    )


def plan_day(trip: Trip, draft: Draft, day: int, ways: Mapping[str, Ways]) -> list[PlannedPart]:
    """The schedule of each part of a day."""
    visits = draft.visits_on(day)
    return [
        PlannedPart(frame, schedule(frame, make_stops(trip.snapshot, frame, visits)))
        for frame in make_frames(trip, day, ways)
    ]


def _build_day(trip: Trip, draft: Draft, day: int, ways: Mapping[str, Ways]) -> Day:
    """A write changes one day, so the others are the same as a moment ago."""
    follows_from = (draft.hotels, draft.trains, draft.visits_on(day))
    return trip.snapshot.remember(
        f"day {day}", follows_from, lambda: _make_day(trip, day, plan_day(trip, draft, day, ways))
    )


def _make_day(trip: Trip, day: int, parts: Sequence[PlannedPart]) -> Day:
    stay = trip.night_stay(day)
    return Day(
        date=trip.snapshot.request.date_of(day),
        city=stay.city.id,
        items=tuple(_list_items(trip, day, parts)),
    )


def _list_items(trip: Trip, day: int, parts: Sequence[PlannedPart]) -> Iterator[DayItem]:
    for frame, plan in parts:
        yield from render_legs_before(trip, frame.part)
        yield from render_part(trip, frame, plan)
    yield from render_legs_after(trip, parts[-1].frame.part)
    for stay in trip.stays:
        if stay.has_night(day, trip.snapshot.request.date_of(day)):
            yield from render_stay(trip, stay)

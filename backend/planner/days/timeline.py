"""The itinerary computed by code: a draft's choices become timed items, always in the same way.

Every draft that edits can make has a timeline, also one that breaks constraints: finding those is
the task of the validator.

Turns a day of a draft into what the scheduler takes: one frame for each part, and its stops.

What the plan costs the party, and the oldest date of a price in it; unknown prices count 0.
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import NamedTuple

from backend.planner.days.frame import Frame, Stop, make_frame, make_stop
from backend.planner.days.meals import is_food_place, share_meals
from backend.planner.days.render import (
    render_legs_after,
    render_legs_before,
    render_part,
    render_stay,
)
from backend.planner.days.schedule import PartPlan, schedule
from backend.planner.days.travel_time import Ways, make_party
from backend.planner.days.trip import Trip, plan_trip
from backend.planner.plan.draft import Draft, PlannedVisit
from backend.planner.plan.itinerary import (
    Costs,
    Day,
    DayItem,
    Itinerary,
    LegItem,
    MealItem,
    StayItem,
    TransferItem,
    VisitItem,
)
from backend.pool.candidate import HotelCandidate, PoiCandidate, TrainCandidate
from backend.pool.snapshot import Snapshot


def make_ways(snapshot: Snapshot) -> dict[str, Ways]:
    """The measured ways of each city, shared by all its days and by all plans of the snapshot."""
    return snapshot.remember("ways", None, lambda: _make_ways(snapshot))


def _make_ways(snapshot: Snapshot) -> dict[str, Ways]:
    party = make_party(snapshot)
    return {city: Ways(snapshot.city_rows[city].modes, party) for city in snapshot.cities}


def make_frames(trip: Trip, day: int, ways: Mapping[str, Ways]) -> list[Frame]:
    """The parts of a day as frames, each with its meals."""
    parts = trip.parts[day]
    pace = trip.snapshot.request.pace
    meals = share_meals(parts)
    return [make_frame(part, ways[part.city.id], meals[n], pace) for n, part in enumerate(parts)]


def make_stops(snapshot: Snapshot, frame: Frame, visits: Sequence[PlannedVisit]) -> list[Stop]:
    """The visits in the part's city as stops; ids that are not in the pool are left out."""
    stops = []
    for visit in visits:
        poi = snapshot.poi(visit.poi_id)
        if poi is not None and poi.city == frame.part.city.id:
            node = frame.ways.add(poi.position)
            stops.append(make_stop(snapshot, poi, frame.part, node, visit.at))
    return stops


def add_costs(days: Iterable[Day]) -> Costs:
    """Totals by kind; `meals` are what is eaten at food places of the plan."""
    items = [item for day in days for item in day.items]
    tickets, meals = _add(items, VisitItem), _add(items, MealItem)
    hotels, trains = _add(items, StayItem), _add(items, LegItem)
    local = _add(items, TransferItem)
    return Costs(
        tickets=tickets,
        meals=meals,
        hotels=hotels,
        trains=trains,
        local_transport=local,
        total=tickets + meals + hotels + trains + local,
    )


def find_price_date(snapshot: Snapshot, days: Iterable[Day]) -> dt.date | None:
    """The oldest `as_of` of a known price; None where no price has a date."""
    items = (item for day in days for item in day.items)
    dates = (date for item in items for date in _list_dates(snapshot, item))
    return min(dates, default=None)


def _add(items: Iterable[DayItem], kind: type) -> Decimal:
    costs = (item.cost for item in items if isinstance(item, kind) and hasattr(item, "cost"))
    return sum((cost for cost in costs if cost is not None), Decimal(0))


def _list_dates(snapshot: Snapshot, item: DayItem) -> Iterator[dt.date]:
    row: PoiCandidate | HotelCandidate | TrainCandidate | None = None
    if isinstance(item, VisitItem | MealItem) and item.price is not None:
        row = snapshot.rows.pois.get(item.poi_id or "")
    elif isinstance(item, StayItem) and item.price is not None:
        row = snapshot.rows.hotels.get(item.hotel_id)
    elif isinstance(item, LegItem) and item.price is not None:
        row = snapshot.rows.trains.get(item.train_id or "")
    if row is not None and row.as_of is not None:
        yield row.as_of


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
    rows = trip.snapshot.rows.pois
    tables = frozenset(i for i in draft.poi_ids if i in rows and is_food_place(rows[i]))
    follows_from = (draft.hotels, draft.trains, draft.visits_on(day), tables)
    return trip.snapshot.remember(
        f"day {day}",
        follows_from,
        lambda: _make_day(trip, day, plan_day(trip, draft, day, ways), tables),
    )


def _make_day(trip: Trip, day: int, parts: Sequence[PlannedPart], tables: frozenset[str]) -> Day:
    stay = trip.night_stay(day)
    return Day(
        date=trip.snapshot.request.date_of(day),
        city=stay.city.id,
        items=tuple(_list_items(trip, day, parts, tables)),
    )


def _list_items(
    trip: Trip, day: int, parts: Sequence[PlannedPart], tables: frozenset[str]
) -> Iterator[DayItem]:
    for frame, plan in parts:
        yield from render_legs_before(trip, frame.part)
        yield from render_part(trip, frame, plan, tables)
    yield from render_legs_after(trip, parts[-1].frame.part)
    for stay in trip.stays:
        if stay.has_night(day, trip.snapshot.request.date_of(day)):
            yield from render_stay(trip, stay)

"""Choosing and ordering visits, stated once: orienteering with time windows over the trip's parts.

Candidates carry weights, parts carry clocks, and each candidate has at most one stop in each part.
Whatever solves it (the heuristics here, an exact solver) decides only the order in each part: the
scheduler turns orders into times, and `rating.py` says what an order is worth.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from backend.planner.agenda import make_frames, make_ways
from backend.planner.candidates import Candidate, bind_kept, weigh
from backend.planner.draft import Draft, PlannedVisit
from backend.planner.frame import Frame
from backend.planner.pace import share_visits
from backend.planner.schedule import schedule
from backend.planner.stops import Stop, make_stop
from backend.planner.timeline import build_itinerary
from backend.planner.trip import Trip
from backend.pool.candidate import PoiCandidate
from backend.pool.plan_request import Tier

FARE_WORTH: dict[Tier, float] = {"economy": 1.5, "comfort": 1.0, "quality": 0.4}
"""A taxi across a county costs more than the time it takes."""


@dataclass(frozen=True)
class Room:
    """A part of the trip with what it holds before anything is put in."""

    frame: Frame
    most_visits: int
    missed: int

    @cached_property
    def minutes(self) -> int:
        """Time between the first possible visit and the end."""
        return max(1, self.frame.part.until - self.frame.part.opens)


@dataclass(frozen=True)
class Problem:
    """`stops[c][r]` is candidate c in room r, None where it can never be.

    `money` is what is left for tickets and ways, None where nothing limits them. `is_broke`: the
    budget is broken before any visit; then only what is free may be put in, and must-sees.
    `fare_worth` are the minutes under way that a yuan each is worth.
    """

    candidates: tuple[Candidate, ...]
    rooms: tuple[Room, ...]
    stops: tuple[tuple[Stop | None, ...], ...]
    money: Decimal | None
    is_broke: bool
    fare_worth: float

    def is_too_dear(self, candidate: Candidate) -> bool:
        """Whether a place is out of the question for its ticket alone."""
        return self.is_broke and candidate.money > 0 and not candidate.is_bound


def state_problem(
    trip: Trip,
    draft: Draft,
    pois: Sequence[PoiCandidate],
    kept: Sequence[tuple[int, PlannedVisit]],
    locked: AbstractSet[str] = frozenset(),
) -> Problem:
    """The problem of putting `pois` (most wanted first) and the kept visits into the trip.

    `locked` places go in before all others.
    """
    ways = make_ways(trip.snapshot)
    frames = [frame for day in sorted(trip.parts) for frame in make_frames(trip, day, ways)]
    rooms = tuple(_make_room(trip, frame) for frame in frames)
    candidates = (*bind_kept(trip, kept, locked), *weigh(trip, pois, locked))
    money = _find_money(trip, draft)
    return Problem(
        candidates=candidates,
        rooms=rooms,
        stops=tuple(tuple(_make_stop(trip, c, room) for room in rooms) for c in candidates),
        money=None if money is None or money < 0 else money,
        is_broke=money is not None and money < 0,
        fare_worth=FARE_WORTH[trip.snapshot.request.budget_tier],
    )


def _make_room(trip: Trip, frame: Frame) -> Room:
    part = frame.part
    return Room(
        frame=frame,
        most_visits=share_visits(trip.snapshot.request, part.until - part.opens),
        missed=len(schedule(frame, []).missed),
    )


def _make_stop(trip: Trip, candidate: Candidate, room: Room) -> Stop | None:
    """The candidate as a stop of the room, if any start there is allowed."""
    part = room.frame.part
    poi = candidate.poi
    if poi.city != part.city.id or candidate.day not in (None, part.day):
        return None
    node = room.frame.ways.add(poi.position)
    stop = make_stop(trip.snapshot, poi, part, node, candidate.at)
    return stop if stop.starts else None


def _find_money(trip: Trip, draft: Draft) -> Decimal | None:
    """What hotels, trains and bare ways leave of the budget; None without a budget."""
    budget = trip.snapshot.request.budget_total
    if budget is None:
        return None
    bare = draft.model_copy(update={"visits": {}})
    return budget - build_itinerary(trip.snapshot, bare).costs.total

"""Choosing and ordering visits, stated once: orienteering with time windows over the trip's parts.

Candidates carry weights, parts carry clocks, and each candidate has at most one stop in each part.
Whatever solves it (the heuristics here, an exact solver) decides only the order in each part: the
scheduler turns orders into times, and `rating.py` says what an order is worth.

The places that may be put into a trip, each with its weight: the minutes of travel it is worth.

The weight is the worth of `worth.py`, and more for being asked for; the order in which the places
are named tilts it.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

from backend.catalogue.place_types import FOOD_TYPES
from backend.planner.days.frame import Frame, Stop, make_stop
from backend.planner.days.meals import share_visits
from backend.planner.days.schedule import schedule
from backend.planner.days.timeline import build_itinerary, make_frames, make_ways
from backend.planner.days.travel_time import Position
from backend.planner.days.trip import Trip
from backend.planner.plan.draft import Draft, PlannedVisit
from backend.planner.search.wishing import NOTHING_ASKED, Asked, Cap, refuses
from backend.planner.worth import MONEY_WORTH, UNKNOWN_POPULARITY, Sight, Taste, rate_together
from backend.pool.candidate import PoiCandidate
from backend.pool.snapshot import Snapshot

LOCKED_WEIGHT = 1_000_000_000_000
KEPT_WEIGHT = 1_000_000_000
MUST_WEIGHT = 1_000_000
"""What is locked goes last, then what stands (of it a must-see), must-sees, all that was wished."""

TWICE_AS_KNOWN = 12.0
"""Points of popularity that make a must-see worth two: where not all fit, the least known go."""

USUAL_POPULARITY = 50.0

ASKED_FOR = 400
"""Whoever names a place wants it in wherever there is time; a meal is had anyway."""

RATHER_WEIGHT = 4_000
REFUSED_SHARE = 20
"""A place that a wish would rather see in the plan, and what is left of one that it would not."""

ORDER_SHARE = 0.3
"""What the place named last loses against the first one: a tilt, where two are worth the same."""


@dataclass(frozen=True)
class Candidate:
    """A place to be put in; `day` binds a kept visit to its day, `at` is its wish.

    What is bound (a must-see, a kept visit) may exceed the pace or cost a meal.
    """

    poi: PoiCandidate
    weight: int
    is_bound: bool
    money: Decimal
    at: int | None = None
    day: int | None = None

    def outweighs(self, other: "Candidate") -> bool:
        """Whether it stays in although the other one, which is bound, needs its room."""
        return self.is_bound and self.weight >= other.weight


def rate_pois(snapshot: Snapshot, pois: Sequence[PoiCandidate]) -> dict[str, float]:
    """The worth of places to the traveller of this trip, by id; those of a city beside each other."""
    request = snapshot.request
    taste = Taste(frozenset(request.interests), request.budget_tier, request.start_date)
    worth: dict[str, float] = {}
    for city in dict.fromkeys(poi.city for poi in pois):
        here = [poi for poi in pois if poi.city == city]
        rated = rate_together([_see(poi) for poi in here], taste)
        worth.update((poi.id, value) for poi, value in zip(here, rated, strict=True))
    return worth


def _see(poi: PoiCandidate) -> Sight:
    price = float(poi.price or 0)
    return Sight(poi.id, poi.type, poi.popularity, price, poi.tags, poi.name, poi.lat)


def weigh(
    trip: Trip, pois: Sequence[PoiCandidate], asked: Asked = NOTHING_ASKED
) -> list[Candidate]:
    """Candidates, most wanted first within each city; must-sees weigh by how well known they are."""
    must, locked = {*trip.snapshot.must_see, *asked.bound}, asked.locked
    counts = Counter(poi.city for poi in pois)
    ranks: Counter[str] = Counter()
    worth = rate_pois(trip.snapshot, pois)
    candidates = []
    for poi in pois:
        lost = ORDER_SHARE * ranks[poi.city] / counts[poi.city]
        ranks[poi.city] += 1
        is_bound = poi.id in must or poi.id in locked
        wanted = worth[poi.id] + ASKED_FOR * (poi.type not in FOOD_TYPES)
        weight = _weigh_must(poi) if is_bound else round(wanted * (1 - lost))
        weight += LOCKED_WEIGHT if poi.id in locked else 0
        if asked.is_wished and not is_bound:
            weight += RATHER_WEIGHT * (poi.id in asked.rather)
            weight //= REFUSED_SHARE if refuses(trip.snapshot, poi) else 1
        candidates.append(Candidate(poi, weight, is_bound, _price(trip, poi)))
    return candidates


def bind_kept(
    trip: Trip,
    kept: Sequence[tuple[int, PlannedVisit]],
    locked: AbstractSet[str] = frozenset(),
) -> list[Candidate]:
    """Visits of a draft, each bound to its day."""
    must = set(trip.snapshot.must_see)
    candidates = []
    for day, visit in kept:
        poi = trip.snapshot.rows.pois[visit.poi_id]
        weight = LOCKED_WEIGHT if poi.id in locked else KEPT_WEIGHT
        weight += _weigh_must(poi) if poi.id in must else 0
        money = _price(trip, poi)
        candidates.append(Candidate(poi, weight, is_bound=True, money=money, at=visit.at, day=day))
    return candidates


def _weigh_must(poi: PoiCandidate) -> int:
    popularity = UNKNOWN_POPULARITY if poi.popularity is None else poi.popularity
    return round(MUST_WEIGHT * 2 ** ((popularity - USUAL_POPULARITY) / TWICE_AS_KNOWN))


def _price(trip: Trip, poi: PoiCandidate) -> Decimal:
    return trip.snapshot.pay_entry(poi).cost or Decimal(0)


NEIGHBOURS_M = 600
FAR_M = 20_000
FAR_TOGETHER_M = 5_000

PARTED = 900.0
"""In minutes of travel: two neighbours, or two parts of one site, on different days."""

SEEN_TWICE = 400.0
"""More than an empty day costs."""

TABLES = FOOD_TYPES - {"food_street"}
"""Where one sits down; a food street is walked through, with what lies beside it."""

FEW = 3
"""Up to so many neighbours each pair counts in full: what fills days cannot be on one."""

EARTH_M = 6_371_000


class Tie(NamedTuple):
    """Another candidate, and what the two cost: both in the plan, and more on different days."""

    other: int
    both: float
    parted: float


def tie_candidates(
    candidates: Sequence[Candidate], bases: Mapping[str, Position]
) -> tuple[tuple[Tie, ...], ...]:
    """The ties of each candidate; `bases` are the beds by city."""
    ties: list[list[Tie]] = [[] for _ in candidates]
    is_far = [_measure(c.poi.position, bases[c.poi.city]) > FAR_M for c in candidates]
    for a, one in enumerate(candidates):
        for b in range(a):
            both, parted = _tie(one, candidates[b], is_far=is_far[a] and is_far[b])
            if both or parted:
                ties[a].append(Tie(b, both, parted))
                ties[b].append(Tie(a, both, parted))
    return tuple(tuple(_soften(ties, tie, len(row)) for tie in row) for row in ties)


def _soften(ties: Sequence[Sequence[Tie]], tie: Tie, count: int) -> Tie:
    """Where a quarter is full of places, it need not fit into one day."""
    return tie._replace(parted=tie.parted * min(1.0, 2 * FEW / (count + len(ties[tie.other]))))


def _tie(one: Candidate, other: Candidate, *, is_far: bool) -> tuple[float, float]:
    if one.poi.city != other.poi.city:
        return 0.0, 0.0
    if one.poi.id == other.poi.part_of:
        return _price_twice(other, one), 0.0
    if other.poi.id == one.poi.part_of:
        return _price_twice(one, other), 0.0
    if not {one.poi.type, other.poi.type}.isdisjoint(TABLES):
        return 0.0, 0.0
    is_one_site = one.poi.part_of is not None and one.poi.part_of == other.poi.part_of
    most = FAR_TOGETHER_M if is_far else NEIGHBOURS_M
    is_near = is_one_site or _measure(one.poi.position, other.poi.position) < most
    return 0.0, PARTED if is_near else 0.0


def _price_twice(part: Candidate, whole: Candidate) -> float:
    """A part has nothing to add where its whole is visited; who asks for both by name gets both."""
    if part.is_bound and whole.is_bound:
        return 0.0
    return SEEN_TWICE + min(part.weight, whole.weight)


def _measure(a: Position, b: Position) -> float:
    """Metres, near enough; asked for each pair."""
    north = math.radians(a[0] - b[0])
    east = math.radians(a[1] - b[1]) * math.cos(math.radians(b[0]))
    return EARTH_M * math.hypot(north, east)


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
    interests: frozenset[str] = frozenset()
    bases: Mapping[str, Position] = field(default_factory=dict)
    asked: Asked = NOTHING_ASKED

    @cached_property
    def ties(self) -> tuple[tuple[Tie, ...], ...]:
        """What lies beside each candidate; without `bases`, the beds by city, nothing is looked at."""
        return tie_candidates(self.candidates, self.bases) if self.bases else ()

    @cached_property
    def sequences(self) -> tuple[tuple[frozenset[int], frozenset[int]], ...]:
        """Numbers of candidates of which one comes before another on its day."""
        pairs = self.asked.sequences
        return tuple((self._number(first), self._number(then)) for first, then in pairs)

    @cached_property
    def caps(self) -> tuple[tuple[Cap, frozenset[int]], ...]:
        """Limits by number or money with the candidates that they are about."""
        return tuple((cap, self._number(cap.poi_ids)) for cap in self.asked.caps)

    def _number(self, poi_ids: AbstractSet[str]) -> frozenset[int]:
        return frozenset(n for n, c in enumerate(self.candidates) if c.poi.id in poi_ids)

    def list_ties(self, candidate: int) -> tuple[Tie, ...]:
        """What lies beside a candidate."""
        return self.ties[candidate] if self.ties else ()

    def is_too_dear(self, candidate: Candidate) -> bool:
        """Whether a place is out of the question for its ticket alone."""
        return self.is_broke and candidate.money > 0 and not candidate.is_bound


def state_problem(
    trip: Trip,
    draft: Draft,
    pois: Sequence[PoiCandidate],
    kept: Sequence[tuple[int, PlannedVisit]],
    asked: Asked = NOTHING_ASKED,
    days: Sequence[int] = (),
) -> Problem:
    """The problem of putting `pois` (most wanted first) and the kept visits into the trip.

    Locked places go in before all others. With `days` only those are filled.
    """
    candidates = (*bind_kept(trip, kept, asked.locked), *weigh(trip, pois, asked))
    money = _find_money(trip, draft)
    problem = _put_into(trip, list_rooms(trip, days), candidates, asked)
    return replace(
        problem,
        money=None if money is None or money < 0 else money,
        is_broke=money is not None and money < 0,
        bases={stay.city.id: stay.base.position for stay in trip.stays},
    )


def list_rooms(trip: Trip, days: Sequence[int] = ()) -> tuple[Room, ...]:
    """The rooms of some days, or of all."""
    ways = make_ways(trip.snapshot)
    frames = [f for day in days or sorted(trip.parts) for f in make_frames(trip, day, ways)]
    return tuple(_make_room(trip, frame) for frame in frames)


def _put_into(
    trip: Trip, rooms: tuple[Room, ...], candidates: Sequence[Candidate], asked: Asked
) -> Problem:
    request = trip.snapshot.request
    return Problem(
        candidates=tuple(candidates),
        rooms=rooms,
        stops=tuple(tuple(_make_stop(trip, c, room, asked) for room in rooms) for c in candidates),
        money=None,
        is_broke=False,
        fare_worth=MONEY_WORTH[request.budget_tier],
        interests=frozenset(request.interests),
        asked=asked,
    )


def state_few(
    trip: Trip,
    rooms: tuple[Room, ...],
    candidates: Sequence[Candidate],
    money: Decimal | None,
) -> Problem:
    """The problem of these candidates alone in these rooms, for that much money, wherever they lie."""
    return replace(_put_into(trip, rooms, candidates, NOTHING_ASKED), money=money)


def _make_room(trip: Trip, frame: Frame) -> Room:
    part = frame.part
    return Room(
        frame=frame,
        most_visits=share_visits(trip.snapshot.request, part.until - part.opens),
        missed=len(schedule(frame, []).missed),
    )


def _make_stop(trip: Trip, candidate: Candidate, room: Room, asked: Asked) -> Stop | None:
    """The candidate as a stop of the room, if any start there is allowed."""
    part = room.frame.part
    poi = candidate.poi
    if poi.city != part.city.id or candidate.day not in (None, part.day):
        return None
    if candidate.day is None and part.day not in asked.days.get(poi.id, {part.day}):
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

"""A part of a day as the scheduler sees it: only numbers, without any stop yet.

What is scheduled: a visit or a booking as numbers, so that the scheduler handles only integers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from backend.clock import parse_minutes
from backend.planner.days.hours import find_dusk, find_evening, is_for_evenings, read_hours
from backend.planner.days.meals import (
    MEALS,
    SHORT_MEAL_MIN,
    Meal,
    is_food_place,
    list_meal_starts,
)
from backend.planner.days.travel_time import Ways
from backend.planner.days.trip import DAY_MIN, FixedSlot, Part, by_way_of_hotel
from backend.pool.candidate import PoiCandidate
from backend.pool.plan_request import Pace
from backend.pool.snapshot import Snapshot
from backend.pool.wished import serves
from backend.pool.wishes import AtWish, EatWish, list_ids

Starts = tuple[tuple[int, int], ...]
"""First and last minutes of starts, in order, apart from each other."""

NOWHERE = -1
"""The node of a booking without a position."""


class Stop(NamedTuple):
    """A visit or a booking on one day.

    `is_meal` is a restaurant that is open at meal times: between them it makes no sense.
    `starts` are those that all wishes allow (opening, last entry, day hours, `at`, meals, evening);
    `open_starts` only those of opening and `at`; neither: the traveller stands before the door.
    """

    key: str
    node: int
    duration: int
    starts: Starts
    open_starts: Starts
    at: int
    is_food: bool
    is_meal: bool = False
    fixed: int = -1

    def start_from(self, ready: int) -> int:
        """The earliest start for somebody who is there at `ready`, whatever is broken by it."""
        if self.fixed >= 0:
            return self.at
        for starts in (self.starts, self.open_starts):
            for first, last in starts:
                if ready <= last:
                    return ready if ready > first else first
        return max(ready, self.at)

    def is_allowed(self, start: int) -> bool:
        """Whether nothing is broken by starting then."""
        for first, last in self.starts:  # noqa: SIM110 - half the time of `any`, asked so often
            if first <= start <= last:
                return True
        return False

    def latest_by(self, bound: int) -> int | None:
        """The latest allowed start up to `bound`."""
        for first, last in reversed(self.starts):
            if first <= bound:
                return min(last, bound)
        return None


def make_stop(
    snapshot: Snapshot, poi: PoiCandidate, part: Part, node: int, at: int | None = None
) -> Stop:
    """A place as a stop of a part of the trip."""
    hours = read_hours(snapshot, poi, part.date)
    wished = at or 0
    times = [w for w in _list_times(snapshot) if poi.id in list_ids(w.place)]
    duration = max(poi.duration_min, *(w.minutes or 0 for w in times if not w.negated), 0)
    is_late = snapshot.is_too_late(poi, part.date)
    open_starts = () if is_late else clip(hours.list_starts(duration), wished, None)
    starts = clip(open_starts, part.opens, part.until - duration)
    for wish in times:
        starts = _keep_time(starts, wish, part.day, duration)
    at_meals = _intersect(starts, list_meal_starts()) if poi.type == "restaurant" else ()
    at_meals = _keep_meals(snapshot, poi, part.day, at_meals)
    if at_meals and at is None:
        starts = at_meals
    elif at is None and not times and _waits_for_evening(snapshot, poi):
        evening = find_evening(find_dusk(part.city, part.date))
        starts = clip(starts, evening, None) or starts
    return Stop(
        key=poi.id,
        node=node,
        duration=duration,
        starts=starts,
        open_starts=open_starts,
        at=wished,
        is_food=is_food_place(poi),
        is_meal=bool(at_meals),
    )


def _list_times(snapshot: Snapshot) -> tuple[AtWish, ...]:
    return tuple(wish for wish in snapshot.request.wishes if isinstance(wish, AtWish))


def _keep_time(starts: Starts, wish: AtWish, day: int, duration: int) -> Starts:
    """The starts that keep a wish for a day or a time; of a `rather` all, where none does."""
    first = parse_minutes(wish.start) if wish.start else 0
    last = (parse_minutes(wish.end) if wish.end else DAY_MIN * 2) - duration
    if wish.negated:
        is_meant = wish.day in {None, day} and (wish.day or wish.start or wish.end)
        kept = (*clip(starts, 0, first - 1), *clip(starts, last + 1, None)) if is_meant else starts
    else:
        kept = clip(starts, first, last) if wish.day in {None, day} else ()
    return kept if wish.weight == "must" else kept or starts


def _keep_meals(snapshot: Snapshot, poi: PoiCandidate, day: int, starts: Starts) -> Starts:
    """The starts of the meal for which a wish names the place or its cuisine."""
    for wish in snapshot.request.wishes:
        is_meant = isinstance(wish, EatWish) and wish.day in {None, day} and serves(poi, wish)
        if isinstance(wish, EatWish) and is_meant and wish.meal and not wish.negated:
            meals = [m for m in MEALS if m.name == wish.meal]
            kept = [
                span for m in meals for span in clip(starts, m.opens, m.closes - SHORT_MEAL_MIN)
            ]
            starts = tuple(kept) or starts
    return starts


def _waits_for_evening(snapshot: Snapshot, poi: PoiCandidate) -> bool:
    """A must-see may be seen by day, rather than not at all."""
    request = snapshot.request
    return poi.id not in request.must_see and is_for_evenings(poi, request.interests)


def make_fixed_stop(slot: FixedSlot, node: int) -> Stop:
    """A booking as a stop that starts when it starts."""
    starts = ((slot.start, slot.start),)
    return Stop(
        key=slot.title,
        node=node,
        duration=slot.end - slot.start,
        starts=starts,
        open_starts=starts,
        at=slot.start,
        is_food=False,
        fixed=slot.number,
    )


def clip(starts: Starts, first: int, last: int | None) -> Starts:
    """Only starts from `first` to `last`."""
    clipped = ((max(low, first), high if last is None else min(high, last)) for low, high in starts)
    return tuple((low, high) for low, high in clipped if low <= high)


def _intersect(starts: Starts, others: Starts) -> Starts:
    return tuple(
        (low, high)
        for first, last in starts
        for other_first, other_last in others
        if (low := max(first, other_first)) <= (high := min(last, other_last))
    )


REST_MIN: dict[Pace, int] = {"relaxed": 20, "standard": 10, "packed": 0}
"""Minutes of rest between two visits, in addition to the way; without them days would be exhausting."""


@dataclass(frozen=True)
class Frame:
    """`start` and `end` are node numbers of `ways`; `end` None: the part ends anywhere.

    `dusk`: from this minute on it is dark.
    """

    part: Part
    ways: Ways
    start: int
    end: int | None
    fixed: tuple[Stop, ...]
    meals: tuple[Meal, ...]
    rest: int
    dusk: int

    @property
    def latest_end(self) -> int:
        """When the traveller must be at the end: `leave_by` at a station, the end of the day at a hotel."""
        return self.part.closes if self.part.leave_by is None else self.part.leave_by

    def way_home(self, node: int) -> int:
        """Minutes from `node` to the end of the part."""
        return 0 if self.end is None else self.ways.minutes(node, self.end)

    def gap(self, node: int, stop: Stop, *, is_after_visit: bool) -> int:
        """Minutes from leaving `node` to entering `stop`, with the rest between two visits."""
        if stop.node == NOWHERE:
            return 0
        rest = self.rest if is_after_visit and stop.fixed < 0 else 0
        return self.ways.minutes(node, stop.node) + rest


def make_frame(part: Part, ways: Ways, meals: Sequence[Meal], pace: Pace) -> Frame:
    """A frame over shared `ways`, so that no distance is measured twice; bags are left at the hotel."""
    if part.end is not None:
        start, end = ways.add(part.start.position), ways.add(part.end.position)
        part = by_way_of_hotel(part, ways.minutes(start, end))
    fixed = tuple(
        make_fixed_stop(slot, NOWHERE if slot.position is None else ways.add(slot.position))
        for slot in part.fixed
    )
    return Frame(
        part=part,
        ways=ways,
        start=ways.add(part.start.position),
        end=None if part.end is None else ways.add(part.end.position),
        fixed=fixed,
        meals=() if part.is_void else tuple(meals),
        rest=REST_MIN[pace],
        dusk=find_dusk(part.city, part.date),
    )

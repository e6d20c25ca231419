"""What an order of visits in one room is worth, in minutes; less is better.

Getting about counts as it is. A meal lost, a meal place visited between meals, too many hours for
the pace and days of unequal fullness are priced as if they were minutes of travel.

Finds where a stop can be put into a route without breaking anything, by a few sums a position.

A full schedule takes about a hundred times as long, so it is made only for positions that pass here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import NamedTuple

from backend.money import add_up
from backend.planner.days.frame import Frame, Stop
from backend.planner.days.hours import (
    DARK,
    NIGHT_TAGS,
    is_at_best,
    is_for_daylight,
    is_for_evenings,
    is_lit,
    read_best_times,
)
from backend.planner.days.meals import MAX_BUSY_MIN, MEAL_MIN, is_self_catered
from backend.planner.days.schedule import PartPlan, Route, Slot, schedule
from backend.planner.search.problem import Problem, Room
from backend.pool.candidate import PoiCandidate
from backend.pool.plan_request import Pace


class Insertion(NamedTuple):
    """A position among the visits of an order, and the minutes of travel that it adds."""

    detour: int
    position: int


def list_insertions(frame: Frame, route: Route, stop: Stop) -> Iterator[Insertion]:
    """All positions that keep every stop within its allowed starts, meals aside."""
    node, ready, is_visit, index = frame.start, frame.part.ready, False, 0
    last_start = stop.starts[-1][1]
    for number in range(len(route.stops) + 1):
        gap = frame.gap(node, stop, is_after_visit=is_visit)
        if ready + gap > last_start:
            return
        start = stop.start_from(ready + gap)
        onward = _reach_next(frame, route, number, stop, start + stop.duration)
        if onward is not None and stop.is_allowed(start):
            yield Insertion(gap + onward - route.gaps[number], index)
        if number < len(route.stops):
            following = route.stops[number]
            is_visit = following.fixed < 0
            index += is_visit
            node = route.nodes[number]
            ready = max(ready, route.starts[number] + following.duration)


def _reach_next(frame: Frame, route: Route, number: int, stop: Stop, leave: int) -> int | None:
    """Minutes from `stop` to what follows, None where that would be too late."""
    if number == len(route.stops):
        gap = frame.way_home(stop.node)
        return gap if leave + gap <= route.latest[number] else None
    following = route.stops[number]
    gap = frame.gap(stop.node, following, is_after_visit=True)
    start = following.start_from(leave + gap)
    return gap if leave + gap <= start <= route.latest[number] else None


LOST_MEAL = 150
SNACK_MEAL = 40
ODD_MEAL_PLACE = 90
LIT_PLACE_BY_DAY = 20
NIGHT_PLACE_BY_DAY = 60
LIGHTS_SHARE, NIGHT_SHARE, EVENING_SHARE, DUSK_SHARE = 0.95, 0.7, 0.5, 0.1
"""By day a place at its best in the evening loses those minutes and a share of its weight: most of
it where there is nothing by day (a show, a bar) or the traveller comes for the lights, less where
dusk suits as well, little where the best is only the light at dusk."""

OFF_TIME = 45
"""A temple in the late afternoon, a sunset place at noon."""

OVER_PACE_VISIT = 200
OVER_PACE_MINUTE = 2
EMPTY_DAY = 200
FULLNESS = 200
"""The price of a full day. It grows with the square of fullness, so visits spread over the days."""

WHOLE_DAY_MIN = 6 * 60
"""A day with less usable time than this counts as a day of arrival or departure."""

DARK_MINUTE = 0.75
"""A minute of a park or a mountain in the dark."""

ROUNDING = 1e-6
"""More than sums of the same prices in another order differ by."""

Order = tuple[int, ...]
"""Candidate numbers of one room, in visiting order."""


class Excess(NamedTuple):
    """What an order takes beyond meals and pace; `odd` are restaurants between meals."""

    odd: int
    meals: int
    visits: int
    minutes: int

    def is_within(self, other: "Excess") -> bool:
        """Whether nothing of it is more than in another."""
        return all(mine <= its for mine, its in zip(self, other, strict=True))

    def price(self) -> float:
        """In minutes of travel."""
        return (
            LOST_MEAL * self.meals + OVER_PACE_VISIT * self.visits + OVER_PACE_MINUTE * self.minutes
        )


NO_EXCESS = Excess(0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Rating:
    """An order's schedule with its price; what is not allowed would be an error or break the rules."""

    plan: PartPlan
    excess: Excess
    is_allowed: bool
    cost: float
    busy: int
    money: Decimal


class Rater:
    """Rates orders and remembers them: improving asks for the same ones again and again."""

    def __init__(self, problem: Problem, pace: Pace) -> None:
        self.problem = problem
        self.pace = pace
        pois = [candidate.poi for candidate in problem.candidates]
        self._is_evening = [is_for_evenings(poi, problem.interests) for poi in pois]
        self._is_daylight = [is_for_daylight(poi) for poi in pois]
        self._best_times = [read_best_times(poi) for poi in pois]
        self._is_lit = [is_lit(poi) for poi in pois]
        self._known: list[dict[Order, Rating]] = [{} for _ in problem.rooms]
        self._estimates: list[dict[tuple[Order, int], list[tuple[float, Order]]]] = [
            {} for _ in problem.rooms
        ]
        self._bare = [_pay_ways(room, schedule(room.frame, [])) for room in problem.rooms]

    def rate(self, room: int, order: Order) -> Rating:
        """The rating of an order in a room."""
        known = self._known[room].get(order)
        if known is None:
            known = self._known[room][order] = self._rate(room, order)
        return known

    def estimate(self, room: int, order: Order, candidate: int) -> list[tuple[float, Order]]:
        """The two best positions for a candidate: detour and fullness, and the longer order."""
        known = self._estimates[room].get((order, candidate))
        if known is None:
            known = self._estimates[room][order, candidate] = self._estimate(room, order, candidate)
        return known

    def price_at_least(self, room: int, order: Order) -> float | None:
        """What an order costs at the least: its ways, if no meal delays it; None: it breaks times.

        A few sums instead of a schedule, for the many orders that nobody would take anyway.
        """
        known = self._known[room].get(order)
        if known is not None:
            return None if known.plan.faults else known.cost
        frame, stops = self.problem.rooms[room].frame, self.list_stops(room, order)
        if frame.fixed or not stops:
            return 0.0
        node, clock, ways, fares, spent = frame.start, frame.part.ready, 0, 0.0, 0
        for number, stop in enumerate(stops):
            start = stop.start_from(clock + frame.gap(node, stop, is_after_visit=number > 0))
            if not stop.is_allowed(start):
                return None
            ways += frame.ways.minutes(node, stop.node)
            fares += frame.ways.fare(node, stop.node)
            spent += 0 if stop.is_food else stop.duration
            node, clock = stop.node, start + stop.duration
        if clock + frame.way_home(node) > frame.latest_end:
            return None
        if frame.end is not None:
            ways += frame.way_home(node)
            fares += frame.ways.fare(node, frame.end)
        full = self.price_fullness(room, max(1, ways + spent))
        return ways + self.problem.fare_worth * fares + full - ROUNDING

    def price_fullness(self, room: int, busy: int) -> float:
        """The part of the price that depends only on how many minutes are used."""
        place = self.problem.rooms[room]
        if busy == 0 and place.minutes >= WHOLE_DAY_MIN and not place.frame.fixed:
            return EMPTY_DAY
        return FULLNESS * (busy / place.minutes) ** 2 * min(1.0, place.minutes / WHOLE_DAY_MIN)

    def _estimate(self, room: int, order: Order, candidate: int) -> list[tuple[float, Order]]:
        stop = self.problem.stops[candidate][room]
        assert stop is not None
        rating = self.rate(room, order)
        base = self.price_fullness(room, rating.busy)
        found = []
        spots = sorted(list_insertions(self.problem.rooms[room].frame, rating.plan.route, stop))
        for detour, position in spots[:2]:
            spent = 0 if stop.is_meal else stop.duration
            full = self.price_fullness(room, rating.busy + spent + detour)
            found.append((detour + full - base, (*order[:position], candidate, *order[position:])))
        return found

    def _rate(self, number: int, order: Order) -> Rating:
        room = self.problem.rooms[number]
        plan = schedule(room.frame, self.list_stops(number, order))
        slots = [slot for slot in plan.slots if slot.stop is not None and slot.stop.fixed < 0]
        pairs = list(pairwise(_list_nodes(room, plan)))
        minutes, fare = room.frame.ways.minutes, room.frame.ways.fare
        ways = sum([minutes(a, b) for a, b in pairs])
        spent = sum([slot.end - slot.start for slot in slots if slot.meal is None])
        busy = ways + spent if order else 0
        excess = self._find_excess(room, plan, slots, busy)
        return Rating(
            plan=plan,
            excess=excess,
            is_allowed=plan.faults == 0
            and self._is_excused(number, order, excess)
            and self._is_in_sequence(order),
            cost=ways
            + excess.price()
            + SNACK_MEAL * (len(plan.missed) - excess.meals)
            + sum([MEAL_MIN - (s.end - s.start) for s in plan.slots if s.stop is None])
            + ODD_MEAL_PLACE * sum([s.meal is None for s in slots if s.stop and s.stop.is_food])
            + self._price_times(room, order, slots)
            + self.problem.fare_worth * add_up([fare(a, b) for a, b in pairs])
            + self.price_fullness(number, busy),
            busy=busy,
            money=self._pay(number, order, plan),
        )

    def _is_in_sequence(self, order: Order) -> bool:
        """Whether nothing comes before what it is to come after."""
        for first, then in self.problem.sequences:
            early = [n for n, c in enumerate(order) if c in first]
            late = [n for n, c in enumerate(order) if c in then]
            if early and late and min(early) > max(late):
                return False
        return True

    def pay_ways(self, room: int, order: Order) -> Decimal:
        """What the ways of an order cost."""
        return _pay_ways(self.problem.rooms[room], self.rate(room, order).plan)

    def _price_times(self, room: Room, order: Order, slots: list[Slot]) -> float:
        """Visits outside of their best time of day, and what is seen by daylight in the dark."""
        price = 0.0
        for number, slot in zip(order, slots, strict=True):
            if self._is_daylight[number]:
                price += DARK_MINUTE * max(0, slot.end - max(slot.start, room.frame.dusk))
            if self.problem.candidates[number].at is None and slot.meal is None:
                price += self._price_time(number, slot, room.frame.dusk)
        return price

    def _price_time(self, number: int, slot: Slot, dusk: int) -> float:
        candidate = self.problem.candidates[number]
        if self._is_evening[number]:
            if is_at_best(DARK, slot.start, slot.end, dusk):
                return 0.0
            lost = _share_lost(candidate.poi, self.problem.interests)
            return NIGHT_PLACE_BY_DAY + lost * candidate.weight * (not candidate.is_bound)
        if not is_at_best(self._best_times[number], slot.start, slot.end, dusk):
            return OFF_TIME
        return LIT_PLACE_BY_DAY * (slot.end <= dusk and self._is_lit[number])

    def _is_excused(self, number: int, order: Order, excess: Excess) -> bool:
        """Only must-sees and kept visits may exceed meals and pace, and only as far as they need."""
        bound = tuple(c for c in order if self.problem.candidates[c].is_bound)
        if excess == NO_EXCESS or bound == order:
            return True
        if len(order) == 1 and not (excess.odd or excess.visits):
            return True  # better a late meal than an empty day
        return bool(bound) and excess.is_within(self.rate(number, bound).excess)

    def _find_excess(self, room: Room, plan: PartPlan, slots: list[Slot], busy: int) -> Excess:
        apart = [slot.stop for slot in slots if slot.meal is None]
        visits = len(apart)
        return Excess(
            odd=sum([stop.is_meal for stop in apart if stop]),
            meals=max(0, _count_lost_meals(plan, slots) - room.missed),
            visits=max(0, visits - room.most_visits),
            minutes=max(0, busy - MAX_BUSY_MIN[self.pace]) if visits > 1 else 0,
        )

    def list_stops(self, room: int, order: Order) -> list[Stop]:
        """The stops of an order."""
        return [stop for c in order if (stop := self.problem.stops[c][room]) is not None]

    def _pay(self, number: int, order: Order, plan: PartPlan) -> Decimal:
        """Tickets and ways beyond those of the empty room; nothing is added up without a budget."""
        if self.problem.money is None:
            return Decimal(0)
        tickets = sum((self.problem.candidates[c].money for c in order), Decimal(0))
        return tickets + _pay_ways(self.problem.rooms[number], plan) - self._bare[number]


def _share_lost(poi: PoiCandidate, interests: frozenset[str]) -> float:
    times = read_best_times(poi)
    if is_lit(poi) and not NIGHT_TAGS.isdisjoint(interests):
        return LIGHTS_SHARE
    if "dusk" not in times:
        return NIGHT_SHARE
    return EVENING_SHARE if "night" in times else DUSK_SHARE


def _list_nodes(room: Room, plan: PartPlan) -> list[int]:
    nodes = [room.frame.start, *plan.route.nodes]
    return nodes if room.frame.end is None else [*nodes, room.frame.end]


def _pay_ways(room: Room, plan: PartPlan) -> Decimal:
    between = room.frame.ways.between
    ways = (between(a, b).cost for a, b in pairwise(_list_nodes(room, plan)) if a != b)
    return sum(ways, Decimal(0))


def _count_lost_meals(plan: PartPlan, slots: list[Slot]) -> int:
    """Meals without time; those that fall into a long visit, where one eats, are not counted."""
    if not plan.missed:
        return 0
    spans = [(slot.start, slot.end) for slot in slots]
    return sum(not is_self_catered(spans, meal) for meal in plan.missed)

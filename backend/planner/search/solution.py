"""An assignment under construction: an order in each room, with its price kept up to date.

Start solutions: kept visits as they stood, then must-sees, then the rest in four different orders.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from backend.money import add_up
from backend.planner.search.rating import Order, Rater


@dataclass(frozen=True)
class Move:
    """A candidate into a room: the room's new order, and what it adds to the price."""

    candidate: int
    room: int
    order: Order
    added: float


class Solution:
    """Orders by room; `cost` is what they are worth plus the weights of what is left out."""

    def __init__(self, rater: Rater) -> None:
        self.rater = rater
        self.orders: list[Order] = [() for _ in rater.problem.rooms]
        self.left: set[int] = set(range(len(rater.problem.candidates)))
        self.cost = add_up(rater.rate(r, ()).cost for r in range(len(self.orders)))
        self.cost += add_up(candidate.weight for candidate in rater.problem.candidates)
        self.money = Decimal(0)
        self._days: dict[int, int] = {}

    def copy(self) -> "Solution":
        """Another one with the same orders."""
        twin = object.__new__(Solution)
        twin.rater, twin.cost, twin.money = self.rater, self.cost, self.money
        twin.orders, twin.left = list(self.orders), set(self.left)
        twin._days = dict(self._days)
        return twin

    def set_order(self, room: int, order: Order) -> None:
        """Give a room another order; candidates that it loses are left."""
        before, after = self.rater.rate(room, self.orders[room]), self.rater.rate(room, order)
        gone, come = set(self.orders[room]) - set(order), set(order) - set(self.orders[room])
        self.left = (self.left | gone) - come
        candidates = self.rater.problem.candidates
        self.cost += add_up(candidates[c].weight for c in gone)
        self.cost += after.cost - before.cost - add_up(candidates[c].weight for c in come)
        self.money += after.money - before.money
        self.orders[room] = order
        for candidate in sorted(gone):
            self.cost -= self._price_ties(candidate, self._days.pop(candidate))
        for candidate in sorted(come):
            self.cost += self._price_ties(candidate, self._find_day(room))
            self._days[candidate] = self._find_day(room)

    def try_change(self, orders: Mapping[int, Order], below: float = math.inf) -> float | None:
        """The cost with other orders of the same visits, None where that is not allowed.

        None too where the cost could not be less than `below`: that is often clear at a glance.
        """
        parting = self._price_parting(orders)
        before = [self.rater.rate(room, self.orders[room]) for room in orders]
        least = [self.rater.price_at_least(room, order) for room, order in orders.items()]
        if None in least:
            return None
        gained = add_up(rating.cost for rating in before)
        low = self.cost + parting + add_up(price for price in least if price is not None) - gained
        if low >= below:
            return None
        after = [self.rater.rate(room, order) for room, order in orders.items()]
        changes = list(zip(before, after, strict=True))
        money = sum((new.money - old.money for old, new in changes), Decimal(0))
        limit = self.rater.problem.money
        is_dear = limit is not None and money > 0 and self.money + money > limit
        if is_dear or not all(rating.is_allowed for rating in after):
            return None
        return self.cost + add_up(new.cost - old.cost for old, new in changes) + parting

    def change(self, orders: Mapping[int, Order]) -> None:
        """Give rooms other orders; what they exchange is out for a moment."""
        for room, order in orders.items():
            kept = set(self.orders[room])
            self.set_order(room, tuple(c for c in order if c in kept))
        for room, order in orders.items():
            self.set_order(room, order)

    def _price_parting(self, orders: Mapping[int, Order]) -> float:
        """What ties cost more when visits change their days."""
        moved = {
            c: self._find_day(room)
            for room, order in sorted(orders.items())
            for c in order
            if self._days[c] != self._find_day(room)
        }
        if not moved:
            return 0.0
        days = {**self._days, **moved}
        added = 0.0
        for candidate in sorted(moved):
            for tie in self.rater.problem.list_ties(candidate):
                if tie.other in days and not (tie.other in moved and tie.other < candidate):
                    was_parted = self._days[candidate] != self._days[tie.other]
                    is_parted = days[candidate] != days[tie.other]
                    added += tie.parted * (is_parted - was_parted)
        return added

    def _find_day(self, room: int) -> int:
        return self.rater.problem.rooms[room].frame.part.day

    def _price_ties(self, candidate: int, day: int) -> float:
        """What a candidate on that day costs beside the others that are in."""
        price = 0.0
        for tie in self.rater.problem.list_ties(candidate):
            there = self._days.get(tie.other)
            if there is not None:
                price += tie.both + tie.parted * (there != day)
        return price

    def append(self, room: int, candidate: int) -> None:
        """Put a candidate at the end of a room's order, if that is allowed and can be paid."""
        order = (*self.orders[room], candidate)
        if candidate in self.left and self._try(candidate, room, order, math.inf) is not None:
            self.set_order(room, order)

    def insert_all(self, candidates: Iterable[int]) -> None:
        """Put in each of them, in this order, where it adds least; what fits nowhere stays left."""
        for candidate in candidates:
            move = self.find_move(candidate)
            if move is not None:
                self.set_order(move.room, move.order)

    def find_move(self, candidate: int) -> Move | None:
        """The cheapest allowed insertion, by full schedule only as far as the estimate demands."""
        best: Move | None = None
        for estimate, room, order in self._estimate(candidate):
            if best is not None and estimate >= best.added:
                break
            move = self._try(candidate, room, order, math.inf if best is None else best.added)
            if move is not None and (best is None or move.added < best.added):
                best = move
        return best

    def _estimate(self, candidate: int) -> list[tuple[float, int, Order]]:
        """Positions that break nothing, over all rooms, by estimate."""
        found = [
            (added + self._price_ties(candidate, self._find_day(room)), room, order)
            for room, stop in enumerate(self.rater.problem.stops[candidate])
            if stop is not None
            for added, order in self.rater.estimate(room, self.orders[room], candidate)
        ]
        found.sort()
        return found

    def _try(self, candidate: int, room: int, order: Order, below: float) -> Move | None:
        """The insertion, if it is allowed and adds less than the weight and than `below`."""
        before = self.rater.rate(room, self.orders[room])
        ties = self._price_ties(candidate, self._find_day(room))
        most = min(below, self.rater.problem.candidates[candidate].weight)
        least = self.rater.price_at_least(room, order)
        if least is None or least - before.cost + ties >= most:
            return None
        rating = self.rater.rate(room, order)
        if not rating.is_allowed or not self._can_pay(candidate, rating.money - before.money):
            return None
        if self.rater.problem.asked.is_wished and not self._is_within(candidate, room, order):
            return None
        added = rating.cost - before.cost + ties
        return Move(candidate, room, order, added) if added < most else None

    def _is_within(self, number: int, room: int, order: Order) -> bool:
        """Whether a candidate that nobody must have stays within the limits of the wishes."""
        problem = self.rater.problem
        candidate, day = problem.candidates[number], self._find_day(room)
        if candidate.is_bound:
            return True
        for cap, members in problem.caps:
            if number not in members or not cap.is_about(day):
                continue
            there = [
                problem.candidates[c]
                for c, on in self._days.items()
                if c in members and cap.is_about(on) and (on == day or not cap.is_daily)
            ]
            used = sum((c.money if cap.is_money else 1 for c in there), Decimal(0))
            if used + (candidate.money if cap.is_money else 1) > cap.most:
                return False
        return problem.asked.ways is None or self._pay_ways(room, order) <= problem.asked.ways

    def _pay_ways(self, room: int, order: Order) -> Decimal:
        """What all ways cost with this order in a room."""
        orders = (order if n == room else known for n, known in enumerate(self.orders))
        return sum((self.rater.pay_ways(n, o) for n, o in enumerate(orders)), Decimal(0))

    def _can_pay(self, number: int, money: Decimal) -> bool:
        """Must-sees are put in whatever they cost; OVER_BUDGET then says that the budget is too small."""
        problem = self.rater.problem
        candidate = problem.candidates[number]
        if problem.is_too_dear(candidate):
            return False
        if candidate.is_bound or money <= 0 or problem.money is None:
            return True
        return self.money + money <= problem.money


def construct_all(rater: Rater) -> list[Solution]:
    """One solution for each start order; kept and must-see places are put in first in all."""
    return [_construct(rater, key) for key in START_KEYS]


def construct_kept(rater: Rater) -> Solution:
    """Only the kept visits."""
    solution = Solution(rater)
    _keep_orders(solution)
    candidates = rater.problem.candidates
    solution.insert_all(c for c in sorted(solution.left) if candidates[c].day is not None)
    return solution


def _construct(rater: Rater, key: Callable[[Rater, int], float]) -> Solution:
    solution = Solution(rater)
    _keep_orders(solution)
    candidates = rater.problem.candidates

    def rank(number: int) -> tuple[int, float, str]:
        candidate = candidates[number]
        group = 2 - candidate.is_bound - (candidate.day is not None)
        return group, key(rater, number), candidate.poi.id

    solution.insert_all(sorted(solution.left, key=rank))
    return solution


def _keep_orders(solution: Solution) -> None:
    """Kept visits as they stood, where that is allowed."""
    problem = solution.rater.problem
    for number, room in enumerate(problem.rooms):
        order = tuple(
            c
            for c, candidate in enumerate(problem.candidates)
            if candidate.day == room.frame.part.day and problem.stops[c][number] is not None
        )
        if order and solution.rater.rate(number, order).is_allowed:
            solution.set_order(number, order)


def _by_weight(rater: Rater, candidate: int) -> float:
    return -rater.problem.candidates[candidate].weight


def _by_choice(rater: Rater, candidate: int) -> float:
    """The fewest minutes of possible starts first: what is hard to place later."""
    stops = rater.problem.stops[candidate]
    return sum(last - first + 1 for stop in stops if stop for first, last in stop.starts)


def _by_length(rater: Rater, candidate: int) -> float:
    return -rater.problem.candidates[candidate].poi.duration_min


def _by_distance(rater: Rater, candidate: int) -> float:
    """The farthest first: days form around what is far out."""
    ways = [
        room.frame.ways.minutes(room.frame.start, stop.node)
        for room, stop in zip(rater.problem.rooms, rater.problem.stops[candidate], strict=True)
        if stop
    ]
    return -min(ways, default=0)


START_KEYS = (_by_weight, _by_choice, _by_length, _by_distance)

"""The end of a search: single moves and exchanges of two visits, within and between days.

Each one is tried until none saves what anybody would notice.
"""

from collections.abc import Iterator
from itertools import combinations

from backend.planner.search.rating import Order
from backend.planner.search.solution import Solution
from backend.planner.search.tours import Guard

LEAST_GAIN = 1.0
"""Minutes; what saves less is no change for the better."""

MOST_PASSES = 30

Change = dict[int, Order]
"""New orders by room."""


def exchange_visits(solution: Solution, guard: Guard) -> Solution:
    """The solution after the changes that make it better, the best one first, until there is none."""
    better = solution.copy()
    for _ in range(MOST_PASSES):
        best, best_cost = None, better.cost - LEAST_GAIN
        for change in list_changes(better):
            if guard.is_over():
                return better
            cost = better.try_change(change)
            if cost is not None and cost < best_cost:
                best, best_cost = change, cost
        if best is None:
            break
        better.change(best)
    return better


def list_changes(solution: Solution) -> Iterator[Change]:
    """Every visit at every other position, and every two visits in each other's place."""
    placed = [(room, at) for room, order in enumerate(solution.orders) for at in range(len(order))]
    for room, at in placed:
        yield from _list_moves(solution, room, at)
    for (room, at), (other, there) in combinations(placed, 2):
        change = _swap(solution, (room, at), (other, there))
        if change is not None:
            yield change


def _list_moves(solution: Solution, room: int, at: int) -> Iterator[Change]:
    order = solution.orders[room]
    visit, rest = order[at], order[:at] + order[at + 1 :]
    for other, stop in enumerate(solution.rater.problem.stops[visit]):
        if stop is None:
            continue
        if other == room:
            for n in range(len(order)):
                if n != at:
                    yield {room: (*rest[:n], visit, *rest[n:])}
            continue
        for _, longer in solution.rater.estimate(other, solution.orders[other], visit):
            yield {room: rest, other: longer}


def _swap(solution: Solution, one: tuple[int, int], two: tuple[int, int]) -> Change | None:
    (room, at), (other, there) = one, two
    stops = solution.rater.problem.stops
    first, second = solution.orders[room][at], solution.orders[other][there]
    if room == other:
        changed = list(solution.orders[room])
        changed[at], changed[there] = second, first
        return {room: tuple(changed)}
    if stops[first][other] is None or stops[second][room] is None:
        return None
    mine, its = solution.orders[room], solution.orders[other]
    return {
        room: (*mine[:at], second, *mine[at + 1 :]),
        other: (*its[:there], first, *its[there + 1 :]),
    }

"""Start solutions: kept visits as they stood, then must-sees, then the rest in four different orders."""

from collections.abc import Callable

from backend.planner.rating import Rater
from backend.planner.solution import Solution


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

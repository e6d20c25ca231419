"""Search by taking out and putting in again: a fixed number of rounds, no clock, always the same.

The generator is seeded, so chance only spreads the attempts; two runs of one problem are equal.
"""

from collections.abc import Callable
from random import Random

from backend.planner.rating import Rater
from backend.planner.solution import Solution

SEED = 20_261_013
EFFORT = 80_000
"""Candidates × rooms × rounds, about: the search of a large trip takes no longer than a small one's."""

MOST_ROUNDS = 300
LEAST_ROUNDS = 12
MOST_TAKEN = 6
"""Visits taken out in a round; with few the greedy refill finds its way back to something better."""

ROOMS_SHARE = 0.15
"""Share of rounds that clear two whole rooms instead of one neighbourhood."""

SHUFFLE_SHARE = 0.7
"""Share of rounds that refill in a random order instead of the most wanted first."""


def solve(rater: Rater) -> Solution:
    """The best assignment found: several start orders, then rounds of improvement."""
    best = min(construct_all(rater), key=lambda solution: solution.cost)
    random = Random(SEED)  # noqa: S311 - a search, not a secret
    for _ in range(count_rounds(rater)):
        trial = best.copy()
        _take_out(trial, random)
        _put_in(trial, random)
        if trial.cost <= best.cost:
            best = trial
    return polish(_force_bound(best))


def construct_all(rater: Rater) -> list[Solution]:
    """One solution for each start order; kept and must-see places are put in first in all."""
    return [_construct(rater, key) for key in _START_KEYS]


def count_rounds(rater: Rater) -> int:
    """Rounds by the problem's size."""
    size = max(1, len(rater.problem.candidates) * len(rater.problem.rooms))
    return max(LEAST_ROUNDS, min(MOST_ROUNDS, EFFORT // size))


def polish(solution: Solution) -> Solution:
    """Each room's order with single visits moved, until none is better."""
    better = solution.copy()
    for room, order in enumerate(better.orders):
        for _ in order:
            rated = better.rater.rate(room, better.orders[room])
            options = [(rated.cost, better.orders[room])]
            for shifted in _list_shifts(better.orders[room]):
                rating = better.rater.rate(room, shifted)
                if rating.is_allowed and rating.money <= rated.money:
                    options.append((rating.cost, shifted))
            cost, best = min(options)
            if cost >= rated.cost:
                break
            better.set_order(room, best)
    return better


def _list_shifts(order: tuple[int, ...]) -> list[tuple[int, ...]]:
    shifts = []
    for taken in range(len(order)):
        rest = order[:taken] + order[taken + 1 :]
        shifts += [(*rest[:n], order[taken], *rest[n:]) for n in range(len(order)) if n != taken]
    return shifts


def _construct(rater: Rater, key: Callable[[Rater, int], float]) -> Solution:
    solution = Solution(rater)
    _keep_orders(solution)
    candidates = rater.problem.candidates

    def rank(number: int) -> tuple[int, float, str]:
        candidate = candidates[number]
        return -candidate.weight if candidate.is_bound else 0, key(rater, number), candidate.poi.id

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


def _force_bound(solution: Solution) -> Solution:
    """Make room for must-sees that are left: others of a room go out, and in again where they fit."""
    best = solution
    candidates = solution.rater.problem.candidates
    for wanted in sorted(c for c in solution.left if candidates[c].is_bound):
        for room, order in enumerate(best.orders):
            if wanted not in best.left or solution.rater.problem.stops[wanted][room] is None:
                continue
            trial = best.copy()
            trial.set_order(room, tuple(c for c in order if candidates[c].is_bound))
            trial.insert_all([wanted, *sorted(trial.left - {wanted})])
            if trial.cost < best.cost:
                best = trial
    return best


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


_START_KEYS = (_by_weight, _by_choice, _by_length, _by_distance)


def _take_out(solution: Solution, random: Random) -> None:
    """Some visits that have to do with one another: near one place, or of one or two rooms."""
    placed = sorted(c for order in solution.orders for c in order)
    if not placed:
        return
    gone = (
        _pick_rooms(solution, random)
        if random.random() < 0.3
        else _pick_near(solution, placed, random)
    )
    for room, order in enumerate(solution.orders):
        if gone.intersection(order):
            solution.set_order(room, tuple(c for c in order if c not in gone))


def _pick_rooms(solution: Solution, random: Random) -> set[int]:
    used = [room for room, order in enumerate(solution.orders) if order]
    chosen = random.sample(used, min(2, len(used)))
    return {c for room in chosen for c in solution.orders[room]}


def _pick_near(solution: Solution, placed: list[int], random: Random) -> set[int]:
    candidates = solution.rater.problem.candidates
    lat, lon = candidates[random.choice(placed)].poi.position
    near = sorted(
        placed,
        key=lambda c: abs(candidates[c].poi.lat - lat) + abs(candidates[c].poi.lon - lon),
    )
    return set(near[: random.randint(1, min(MOST_TAKEN, max(2, len(placed) // 3)))])


def _put_in(solution: Solution, random: Random) -> None:
    """What is left, most wanted first or in a shuffled order; bound ones always first."""
    candidates = solution.rater.problem.candidates
    left = sorted(solution.left, key=lambda c: (-candidates[c].weight, c))
    if random.random() < SHUFFLE_SHARE:
        random.shuffle(left)
        left.sort(key=lambda c: -candidates[c].weight if candidates[c].is_bound else 0)
    solution.insert_all(left)

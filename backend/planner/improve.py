"""Improves an arrangement by taking visits out and putting them in again, round after round.

The number of rounds follows from the size of the problem, and the random generator has a fixed
seed, so two runs of one problem give the same result unless the time limit ends one of them.
"""

from random import Random

from backend.planner.construct import construct_all
from backend.planner.guard import Guard
from backend.planner.rating import Rater
from backend.planner.rounds import play_round
from backend.planner.solution import Solution
from backend.planner.tour_start import start_from_tours

SEED = 20_261_013
EFFORT = 45_000
"""Candidates × rooms × rounds, about: the search of a large trip takes no longer than a small one's."""

MOST_ROUNDS = 300
LEAST_ROUNDS = 12


def solve(rater: Rater, guard: Guard) -> Solution:
    """The best assignment found: several start orders, then rounds of improvement."""
    starts = construct_all(rater)
    best = min(starts, key=lambda solution: solution.cost)
    if not all(_is_whole(solution) for solution in starts):
        best = min(best, start_from_tours(rater, guard), key=lambda solution: solution.cost)
    random = Random(SEED)  # noqa: S311 - a search, not a secret
    for _ in range(count_rounds(rater)):
        if guard.is_over():
            break
        trial = best.copy()
        play_round(trial, random)
        if trial.cost <= best.cost:
            best = trial
    return polish(_force_bound(best))


def count_rounds(rater: Rater) -> int:
    """Rounds by the problem's size."""
    size = max(1, len(rater.problem.candidates) * len(rater.problem.rooms))
    return max(LEAST_ROUNDS, min(MOST_ROUNDS, EFFORT // size))


def _is_whole(solution: Solution) -> bool:
    """Whether every candidate is in that fits into any room at all."""
    return not any(any(solution.rater.problem.stops[c]) for c in solution.left)


def _force_bound(solution: Solution) -> Solution:
    """Make room for must-sees that are left: others of a room go out, and in again where they fit."""
    best = solution
    candidates = solution.rater.problem.candidates
    for wanted in sorted(c for c in solution.left if candidates[c].is_bound):
        for room, order in enumerate(best.orders):
            if wanted not in best.left or solution.rater.problem.stops[wanted][room] is None:
                continue
            trial = best.copy()
            trial.set_order(
                room, tuple(c for c in order if candidates[c].outweighs(candidates[wanted]))
            )
            trial.insert_all([wanted, *sorted(trial.left - {wanted})])
            if trial.cost < best.cost:
                best = trial
    return best


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

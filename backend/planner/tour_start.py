"""A start order from the orienteering solver: where days are full it beats every greedy order.

Measured on recorded arrangements of the seed catalogue: with it the search leaves out a twentieth
less of what was wanted, in places a fifth; three times as many rounds without it bring a hundredth.
"""

from backend.planner.guard import Guard
from backend.planner.rating import Rater
from backend.planner.solution import Solution
from backend.planner.tours import Orders, state_tours

ROUNDS = 1


def start_from_tours(rater: Rater, guard: Guard) -> Solution:
    """The solver's orders as far as they are allowed; the rest goes where it fits, most wanted first.

    The solver is imported here: it costs a quarter of a second, and few processes arrange.
    """
    from backend.planner.solver import Budget, solve  # noqa: PLC0415

    tours = state_tours(rater.problem)
    budget = Budget(rounds=ROUNDS, seconds=guard.left, fills_whole=False)
    solved = solve(tours.problem, budget)
    guard.was_hit = guard.was_hit or solved.deadline_hit
    return _adopt(rater, tours.read_orders(solved.visits))


def _adopt(rater: Rater, orders: Orders) -> Solution:
    solution = Solution(rater)
    for room, order in enumerate(orders):
        for candidate in order:
            solution.append(room, candidate)
    candidates = rater.problem.candidates
    solution.insert_all(sorted(solution.left, key=lambda c: (-candidates[c].weight, c)))
    return solution

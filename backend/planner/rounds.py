"""One round of the search: take some visits out, put in what is left; chance chooses which."""

from random import Random

from backend.planner.solution import Solution

BRING_IN_SHARE = 0.4
"""Share of rounds that begin with one place that is left out, and make room for it."""

MOST_TAKEN = 6
"""Visits taken out in a round; with few the greedy refill finds its way back to something better."""

ROOMS_SHARE = 0.15
"""Share of the other rounds that clear two whole rooms instead of one neighbourhood."""

SHUFFLE_SHARE = 0.7
"""Share of refills in a random order instead of the most wanted first."""

BOUND_CHANCE = 20_000
"""A must-see that is left out is tried far more often than anything else."""


def play_round(solution: Solution, random: Random) -> None:
    """Change the solution; whether that was for the better is the caller's to judge."""
    if random.random() < BRING_IN_SHARE and _bring_in(solution, random):
        return
    _take_out(solution, random)
    solution.insert_all(_order_left(solution, random))


def _bring_in(solution: Solution, random: Random) -> bool:
    """Put in one place that is left, in a room that gives up some of its least wanted visits."""
    problem = solution.rater.problem
    left = [c for c in sorted(solution.left) if any(problem.stops[c])]
    if not left:
        return False
    chances = [min(problem.candidates[c].weight, BOUND_CHANCE) for c in left]
    wanted = random.choices(left, chances)[0]
    room = random.choice([r for r, stop in enumerate(problem.stops[wanted]) if stop is not None])
    gone = _pick_least(solution, room, wanted, random)
    solution.set_order(room, tuple(c for c in solution.orders[room] if c not in gone))
    others = [c for c in _order_left(solution, random) if c != wanted]
    solution.insert_all([wanted, *others])
    return True


def _pick_least(solution: Solution, room: int, wanted: int, random: Random) -> set[int]:
    """Some that may go; a must-see only for one that weighs more."""
    candidates = solution.rater.problem.candidates
    order = solution.orders[room]
    free = [c for c in order if not candidates[c].outweighs(candidates[wanted])]
    free.sort(key=lambda c: candidates[c].weight * random.uniform(0.5, 1.5))
    return set(free[: random.randint(1, 3)])


def _take_out(solution: Solution, random: Random) -> None:
    """Some visits that have to do with one another: near one place, or of two rooms."""
    placed = sorted(c for order in solution.orders for c in order)
    if not placed:
        return
    is_wide = random.random() < ROOMS_SHARE
    gone = _pick_rooms(solution, random) if is_wide else _pick_near(solution, placed, random)
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


def _order_left(solution: Solution, random: Random) -> list[int]:
    """What is left, most wanted first or shuffled; bound ones always first."""
    candidates = solution.rater.problem.candidates
    left = sorted(solution.left, key=lambda c: (-candidates[c].weight, c))
    if random.random() < SHUFFLE_SHARE:
        random.shuffle(left)
        left.sort(key=lambda c: -candidates[c].weight if candidates[c].is_bound else 0)
    return left

"""Improves an arrangement by taking visits out and putting them in again, round after round.

The number of rounds follows from the size of the problem, and the random generator has a fixed
seed, so two runs of one problem give the same result unless the time limit ends one of them.

One round of the search: take some visits out, put in what is left; chance chooses which.

The end of a search: single moves and exchanges of two visits, within and between days.

Each one is tried until none saves what anybody would notice.
"""

from collections.abc import Iterator
from itertools import combinations
from random import Random

from backend.planner.search.rating import Order, Rater
from backend.planner.search.solution import Solution, construct_all
from backend.planner.search.tours import Guard, start_from_tours

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
            cost = better.try_change(change, best_cost)
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
    return exchange_visits(polish(_force_bound(best)), guard)


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
                if better.rater.price_at_least(room, shifted) is None:
                    continue
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

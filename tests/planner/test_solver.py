"""The solver against trying everything, and what callers rely on: determinism, budget, required nodes."""

from itertools import count

from hypothesis import Phase, given, settings

from backend.planner.orienteering.problem import (
    Node,
    Orienteering,
    Tour,
    Window,
    evaluate,
    list_starts,
)
from backend.planner.orienteering.solver import Budget, solve
from tests.planner.orienteering_cases import find_optimum, make_week, problems, rank
from tests.random_inputs import count_examples

checked = settings(
    max_examples=count_examples(40), phases=(Phase.explicit, Phase.reuse, Phase.generate)
)
ONE_ROUND = Budget(rounds=1)


@checked
@given(problems())
def test_it_finds_the_optimum_of_tiny_problems(problem: Orienteering) -> None:
    solved = solve(problem)
    assert evaluate(problem, solved.visits) == solved.value
    assert rank(solved.value) == find_optimum(problem)


@checked
@given(problems(most_nodes=9, most_tours=4))
def test_whatever_it_returns_can_be_walked(problem: Orienteering) -> None:
    assert evaluate(problem, solve(problem, ONE_ROUND).visits).profit >= 0


def test_the_same_problem_and_seed_give_the_same_visits() -> None:
    problem = make_week(40, 3)
    first, second = (solve(problem, Budget(rounds=2), seed=4) for _ in range(2))
    assert first == second
    assert first.rounds == 2
    assert not first.deadline_hit


def test_the_clock_is_only_a_guard_of_rounds() -> None:
    problem = make_week(40, 3)
    ticks = count()
    late = solve(problem, Budget(rounds=3, seconds=5.0), clock=lambda: float(next(ticks)))
    assert late.deadline_hit
    assert late.rounds < 3
    assert evaluate(problem, late.visits) == late.value


def test_seconds_end_the_search_without_a_mark() -> None:
    ticks = count()
    problem = make_week(40, 3)
    solved = solve(problem, Budget(rounds=None, seconds=400.0), clock=lambda: float(next(ticks)))
    assert not solved.deadline_hit
    assert solved.value.profit > 0


def test_it_stops_as_soon_as_everything_is_visited() -> None:
    problem = make_week(6, 3)
    solved = solve(problem, Budget(rounds=1_000))
    assert solved.value.profit == sum(node.profit for node in problem.nodes)
    assert solved.rounds == 0


def test_required_nodes_go_before_any_profit() -> None:
    always = (Window(0, 100),)
    rich = Node(profit=1_000, service=50, windows=(always,))
    poor = Node(profit=1, service=50, windows=(always,), is_required=True)
    problem = Orienteering((rich, rich, poor), (Tour(3, 3, 0, 60),), ((0,) * 4,) * 4)
    assert solve(problem, ONE_ROUND).visits == ((2,),)


def test_a_required_node_that_fits_nowhere_is_named() -> None:
    never = Node(profit=1, service=50, windows=((Window(0, 5),),), is_required=True)
    problem = Orienteering((never,), (Tour(1, 1, 10, 60),), ((0, 0), (0, 0)))
    assert solve(problem).value.missing == (0,)


def test_windows_of_each_tour_are_kept() -> None:
    problem = make_week(40, 7)
    visits = solve(problem, ONE_ROUND).visits
    assert sum(map(len, visits)) > 20
    for day, tour in enumerate(visits):
        for node, start in zip(tour, list_starts(problem, day, tour), strict=True):
            assert (node + day) % 7 != 0
            assert 540 <= start <= 660 or 780 <= start <= 960


def test_without_tours_or_nodes_there_is_nothing_to_do() -> None:
    assert solve(Orienteering((), (Tour(0, 0, 0, 9),), ((0,),))).visits == ((),)
    assert solve(Orienteering((), (), ())).visits == ()

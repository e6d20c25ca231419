"""The judge of tours: whatever nobody could walk is refused, with the node and the time."""

from dataclasses import replace

import pytest

from backend.planner.orienteering.problem import (
    BrokenTourError,
    Node,
    Orienteering,
    Tour,
    Value,
    Visits,
    Window,
    evaluate,
    list_starts,
)

MORNING, AFTERNOON = Window(10, 20), Window(40, 50)
PROBLEM = Orienteering(
    nodes=(
        Node(profit=5, service=10, windows=((MORNING, AFTERNOON), (AFTERNOON,)), group=1),
        Node(profit=7, service=10, windows=((MORNING,), ()), group=1),
        Node(profit=9, service=30, windows=((Window(0, 99),), (Window(0, 99),)), is_required=True),
    ),
    tours=(Tour(3, 3, 5, 80), Tour(3, 4, 0, 60)),
    travel=(
        (0, 5, 5, 5, 9),
        (5, 0, 5, 5, 9),
        (5, 5, 0, 5, 9),
        (5, 5, 5, 0, 9),
        (9, 9, 9, 9, 0),
    ),
)


def test_visits_are_worth_their_profit_and_name_required_nodes_that_are_missing() -> None:
    assert evaluate(PROBLEM, ((2, 0), ())) == Value((), 14)
    assert evaluate(PROBLEM, ((), (0,))) == Value((2,), 5)
    assert evaluate(PROBLEM, ((), ())) == Value((2,), 0)


def test_a_visit_begins_in_the_first_window_that_is_left() -> None:
    assert list_starts(PROBLEM, 0, (0,)) == (10,)
    assert list_starts(PROBLEM, 0, (2, 0)) == (10, 45)


@pytest.mark.parametrize(
    ("visits", "fault"),
    [
        (((2, 1), ()), "node 1 cannot be begun at 45"),
        (((), (1,)), "tour 1: node 1 cannot be begun"),
        (((), (2, 0)), "tour 1 ends at 59"),
        (((0,), (0,)), "node 0 or one that excludes it"),
        (((0, 1), ()), "node 1 or one that excludes it"),
        (((3,), ()), "no node 3"),
        (((2,),), "1 tours instead of 2"),
    ],
)
def test_what_nobody_could_do_is_refused(visits: Visits, fault: str) -> None:
    late = replace(PROBLEM, tours=(PROBLEM.tours[0], Tour(3, 4, 0, 58)))
    with pytest.raises(BrokenTourError, match=fault):
        evaluate(late, visits)


def test_a_tour_carries_no_more_than_it_can() -> None:
    nodes = tuple(replace(node, load=2) for node in PROBLEM.nodes)
    tours = (replace(PROBLEM.tours[0], capacity=3), PROBLEM.tours[1])
    problem = replace(PROBLEM, nodes=nodes, tours=tours)
    assert evaluate(problem, ((2,), ())).profit == 9
    with pytest.raises(BrokenTourError, match="tour 0 carries 4, not up to 3"):
        evaluate(problem, ((2, 0), ()))


def test_of_a_group_one_required_node_is_enough() -> None:
    nodes = tuple(replace(node, is_required=True) for node in PROBLEM.nodes)
    problem = replace(PROBLEM, nodes=nodes)
    assert evaluate(problem, ((1,), ())).missing == (2,)
    assert evaluate(problem, ((2,), ())).missing == (0,)

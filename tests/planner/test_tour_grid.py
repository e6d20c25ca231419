"""A tour as arrays: latest begins over any windows, and what is impossible has no row."""

from backend.planner.orienteering.problem import (
    Node,
    Orienteering,
    Span,
    Tour,
    Window,
    cut,
    find_classes,
    make_grids,
    measure,
)


def test_windows_may_lie_within_each_other() -> None:
    nodes = (
        Node(1, 5, ((Window(0, 80), Window(10, 20)),)),
        Node(1, 5, ((Window(60, 90),),)),
    )
    problem = Orienteering(nodes, (Tour(2, 2, 0, 100),), ((0, 5, 5), (5, 0, 5), (5, 5, 0)))
    grid = make_grids(problem)[0]
    assert measure(grid, (1, 0)) == Span([60, 70], [70, 80])
    assert cut(grid, (1, 0), 0, 1) == (2, 0, 0, 80, None)


def test_visits_that_no_tour_has_time_for_have_no_row() -> None:
    windows = ((Window(0, 40),), (Window(50, 99),))
    nodes = (Node(3, 10, windows), Node(3, 10, ((), ())), Node(3, 95, windows))
    problem = Orienteering(nodes, (Tour(3, 3, 0, 60),) * 2, ((5,) * 4,) * 4)
    grids = make_grids(problem)
    assert [list(grid.node) for grid in grids] == [[0], []]
    assert (int(grids[0].opens[0]), int(grids[0].closes[0])) == (5, 40)
    assert find_classes(grids) == [(0,), (1,)]

"""Set packing of tours: what single visits hold apart comes together."""

from backend.planner.orienteering.problem import Node, Orienteering, Tour, Window, make_grids
from backend.planner.orienteering.refill import RoutePool

ALWAYS = (Window(0, 100),)


def make_pool(days: int, closed: frozenset[tuple[int, int]] = frozenset()) -> RoutePool:
    nodes = tuple(
        Node(1 + k, 10, tuple(() if (k, day) in closed else ALWAYS for day in range(days)))
        for k in range(6)
    )
    tours = (Tour(6, 6, 0, 200),) * days
    return RoutePool(make_grids(Orienteering(nodes, tours, ((1,) * 7,) * 7)))


def test_tours_of_different_visits_are_combined() -> None:
    pool = make_pool(2)
    pool.add(((0, 1), (2,)))
    pool.add(((2, 0), (5, 4)))
    pool.add(((3, 2), (0, 4)))
    assert set(pool.pack(((0, 1), (2,)))) == {(5, 4), (3, 2)}


def test_a_tour_stays_on_a_day_on_which_it_is_possible() -> None:
    pool = make_pool(2, closed=frozenset({(5, 0)}))
    pool.add(((0,), (5, 4)))
    pool.add(((3, 2), (1,)))
    assert pool.pack(((), ())) == ((3, 2), (5, 4))


def test_a_day_without_tours_stays_empty() -> None:
    pool = make_pool(2, closed=frozenset((k, 0) for k in range(6)))
    pool.add(((), (5, 4)))
    assert pool.pack(((), (3,))) == ((), (5, 4))


def test_nothing_better_leaves_the_best_as_it_is() -> None:
    pool = make_pool(3)
    best = ((0, 1), (2, 3), (4, 5))
    pool.add(best)
    assert pool.pack(best) is best

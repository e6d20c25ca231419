"""Small orienteering problems and their optimum by trying everything."""

from itertools import permutations, product

from hypothesis import strategies as st

from backend.planner.orienteering.problem import (
    BrokenTourError,
    Node,
    Orienteering,
    Tour,
    Value,
    Window,
    evaluate,
)

HORIZON = 100

windows = st.builds(
    lambda opens, length: Window(opens, opens + length),
    st.integers(0, HORIZON),
    st.integers(0, HORIZON),
)


@st.composite
def problems(draw: st.DrawFn, most_nodes: int = 5, most_tours: int = 2) -> Orienteering:
    """Up to a handful of nodes, windows by tour, now and then required or exclusive ones."""
    tours = draw(st.integers(1, most_tours))
    count = draw(st.integers(1, most_nodes))
    nodes = tuple(
        Node(
            profit=draw(st.integers(1, 30)),
            service=draw(st.integers(0, 30)),
            windows=tuple(tuple(sorted(draw(st.lists(windows, max_size=2)))) for _ in range(tours)),
            is_required=draw(st.integers(0, 4)) == 0,
            group=draw(st.sampled_from([None, None, None, 0])),
            load=draw(st.integers(0, 2)),
        )
        for _ in range(count)
    )
    capacity = draw(st.sampled_from([None, None, 1, 3]))
    places = [(draw(st.integers(0, 30)), draw(st.integers(0, 30))) for _ in range(count + 2)]
    return Orienteering(
        nodes=nodes,
        tours=tuple(
            Tour(count, draw(st.sampled_from([count, count + 1])), opens, opens + HORIZON, capacity)
            for opens in (draw(st.integers(0, 30)) for _ in range(tours))
        ),
        travel=tuple(
            tuple(1 + abs(a - c) + abs(b - d) if (a, b) != (c, d) else 0 for c, d in places)
            for a, b in places
        ),
    )


def rank(value: Value) -> tuple[int, int]:
    """Better is greater."""
    return (-len(value.missing), value.profit)


def find_optimum(problem: Orienteering) -> tuple[int, int]:
    """The rank of the best visits: every assignment, every order."""
    best = (-len(problem.nodes), 0)
    for assignment in product(range(len(problem.tours) + 1), repeat=len(problem.nodes)):
        chosen = [
            [node for node, tour in enumerate(assignment) if tour == number]
            for number in range(len(problem.tours))
        ]
        for visits in product(*map(permutations, chosen)):
            try:
                best = max(best, rank(evaluate(problem, visits)))
            except BrokenTourError:
                continue
    return best


def make_week(places: int, days: int) -> Orienteering:
    """A trip over some days: places closed on one weekday and at noon, spread over a city."""
    spots = [((37 * k) % 61, (53 * k) % 67) for k in range(places + 1)]
    hours = (Window(540, 660), Window(780, 960))
    return Orienteering(
        nodes=tuple(
            Node(
                profit=10 + (k * 7) % 23,
                service=40 + (k * 13) % 80,
                windows=tuple(() if (k + day) % 7 == 0 else hours for day in range(days)),
            )
            for k in range(places)
        ),
        tours=tuple(Tour(places, places, 540, 1260) for _ in range(days)),
        travel=tuple(tuple(abs(a - c) + abs(b - d) for c, d in spots) for a, b in spots),
    )

"""The trip as orienteering: its answer comes back as orders, and as good as a plan's start or better."""

from decimal import Decimal
from itertools import count

from hypothesis import given
from hypothesis import strategies as st

from backend.planner.days.trip import plan_trip
from backend.planner.edits import find_poi
from backend.planner.orienteering.problem import list_starts
from backend.planner.orienteering.solver import Budget, solve
from backend.planner.search.arrange import arrange
from backend.planner.search.problem import Problem, state_problem
from backend.planner.search.rating import Rater
from backend.planner.search.tours import Guard, start_from_tours, state_tours
from backend.pool.snapshot import Snapshot
from tests.factories import make_snapshot
from tests.planner.plans import make_draft
from tests.planner.strategies import checked, snapshots
from tests.row_makers import make_poi

SETTLED = make_draft(hotels={"beijing": "bj-h-dongdan"}, trains={0: ["g2"], 1: ["g21"]})


def state(snapshot: Snapshot) -> Problem:
    """All places of the snapshot into a trip without hotels and trains."""
    pois = [find_poi(snapshot, poi_id) for poi_id in sorted(snapshot.rows.pois)]
    return state_problem(plan_trip(snapshot, make_draft()), make_draft(), pois, [])


def crowd(places: int = 24) -> Snapshot:
    """More than three days can take, all over the town."""
    pois = [
        make_poi(
            f"p{n:02}",
            duration_min=60 + n * 37 % 120,
            lat=39.9 + n * 31 % 17 / 100,
            lon=116.4 + n * 41 % 19 / 100,
            price=Decimal(n * 13 % 50),
        )
        for n in range(places)
    ]
    return make_snapshot(pois=pois)


@checked
@given(st.data())
def test_the_answer_is_an_order_of_candidates_where_they_can_be(data: st.DataObject) -> None:
    problem = state(data.draw(snapshots()))
    tours = state_tours(problem)
    visits = solve(tours.problem, Budget(rounds=1)).visits
    orders = tours.read_orders(visits)
    placed = [candidate for order in orders for candidate in order]
    assert len(placed) == len(set(placed))
    for room, order in enumerate(orders):
        assert all(problem.stops[candidate][room] is not None for candidate in order)


def test_a_meal_goes_with_a_visit_before_it() -> None:
    pois = [make_poi("long", duration_min=180, opening_hours="09:00-17:00")]
    problem = state(make_snapshot(pois=pois, days=1, origin=None))
    rows = state_tours(problem).rows
    assert [row.node.service for row in rows] == [180, 240, 240]
    lunch = rows[1].node
    assert lunch.windows[0][0] == (9 * 60, 11 * 60)  # over between 12:00 and 14:00
    assert lunch.group == rows[0].node.group


def test_a_booking_keeps_its_time() -> None:
    booking = {"title": "show", "start": "2026-10-13T15:00:00", "end": "2026-10-13T16:00:00"}
    problem = state(make_snapshot(days=3, origin=None, fixed=[booking]))
    tours = state_tours(problem)
    solved = solve(tours.problem, Budget(rounds=1))
    bookings = {k for k, row in enumerate(tours.rows) if row.candidate is None}
    (number,) = [n for n, tour in enumerate(solved.visits) if bookings & set(tour)]
    starts = list_starts(tours.problem, number, solved.visits[number])
    (at,) = [s for k, s in zip(solved.visits[number], starts, strict=True) if k in bookings]
    assert at == 15 * 60


def test_a_day_holds_no_more_than_the_pace_allows() -> None:
    problem = state(crowd())
    orders = start_from_tours(Rater(problem, "standard"), Guard()).orders
    assert sum(map(len, orders)) > 6
    for order, room in zip(orders, problem.rooms, strict=True):
        assert len(order) <= room.most_visits


def test_the_clock_is_only_a_guard_and_leaves_a_mark() -> None:
    snapshot = crowd()
    ids = sorted(snapshot.rows.pois)
    assert not arrange(snapshot, SETTLED, ids).deadline_hit
    ticks = count()
    late = arrange(snapshot, SETTLED, ids, guard=Guard(0.0, lambda: float(next(ticks))))
    assert late.deadline_hit
    assert late.draft.poi_ids

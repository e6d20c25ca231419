"""The end of a search: neighbours on one day, lights after dark, no exchange left that would help."""

import datetime as dt
from itertools import permutations

from backend.planner.days.hours import find_evening, is_at_best, is_for_evenings, read_best_times
from backend.planner.plan.itinerary import VisitItem
from backend.planner.search.arrange import arrange
from backend.planner.search.improve import list_changes
from backend.planner.search.rating import Rater
from tests.factories import make_snapshot
from tests.planner.plans import make_draft
from tests.row_makers import make_poi

SETTLED = make_draft(hotels={"beijing": "bj-h-dongdan"}, trains={0: ["g2"], 1: ["g21"]})


def test_neighbours_share_a_day() -> None:
    pairs = [
        make_poi(f"p{n}{side}", lat=39.9 + n / 50, lon=116.4 + side / 400, duration_min=150)
        for n in range(3)
        for side in range(2)
    ]
    arrangement = arrange(make_snapshot(pois=pairs), SETTLED, sorted(poi.id for poi in pairs))
    days = {v.poi_id: day for day, visits in arrangement.draft.visits.items() for v in visits}
    together = [
        days[f"p{n}0"] == days[f"p{n}1"] for n in range(3) if {f"p{n}0", f"p{n}1"} <= set(days)
    ]
    assert len(together) >= 2
    assert all(together)


def test_a_food_street_is_on_the_day_of_the_sight_beside_it() -> None:
    places = [
        make_poi("tower", lat=39.90, duration_min=120),
        make_poi("street", lat=39.903, type="food_street", duration_min=120),
        *(make_poi(f"far{n}", lat=39.94, lon=116.3 + n / 10, duration_min=150) for n in range(3)),
    ]
    snapshot = make_snapshot(pois=places, must_see=["tower", "street"])
    arrangement = arrange(snapshot, SETTLED, [poi.id for poi in places])
    days = {v.poi_id: day for day, visits in arrangement.draft.visits.items() for v in visits}
    assert days["tower"] == days["street"]
    problem = arrangement.solution.rater.problem
    numbers = {candidate.poi.id: n for n, candidate in enumerate(problem.candidates)}
    tied = {tie.other for tie in problem.list_ties(numbers["tower"]) if tie.parted}
    assert tied == {numbers["street"]}


def test_a_famous_place_at_its_best_at_dusk_is_seen_by_day_rather_than_not_at_all() -> None:
    hours = make_poi("p", opening_hours="09:00-16:00", duration_min=330)
    tower = {"id": "tower", "popularity": 95.0, "best_time": ("dusk",)}
    others = [{"id": f"p{n}", "popularity": 88.0} for n in range(4)]
    places = [hours.model_copy(update=fields) for fields in (*others, tower)]
    arrangement = arrange(make_snapshot(pois=places), SETTLED, [poi.id for poi in places])
    assert "tower" in arrangement.draft.poi_ids
    assert arrangement.left_out


def test_no_exchange_of_the_end_saves_anything() -> None:
    pois = [
        make_poi(f"p{n}", lat=39.85 + n * 37 % 11 / 60, lon=116.3 + n * 53 % 13 / 60)
        for n in range(9)
    ]
    arrangement = arrange(make_snapshot(pois=pois), SETTLED, [poi.id for poi in pois])
    solution = arrangement.solution
    costs = [solution.try_change(change) for change in list_changes(solution)]
    assert costs
    assert all(cost is None or cost > solution.cost - 5 for cost in costs)


def test_what_a_change_is_said_to_cost_is_what_it_costs() -> None:
    pois = [make_poi(f"p{n}", lat=39.9 + n / 400, duration_min=90) for n in range(7)]
    solution = arrange(make_snapshot(pois=pois), SETTLED, [poi.id for poi in pois]).solution
    tried = 0
    for change in list_changes(solution):
        cost = solution.try_change(change)
        if cost is not None:
            twin = solution.copy()
            twin.change(change)
            assert abs(twin.cost - cost) < 1e-6
            tried += 1
    assert tried > 5


def test_the_least_that_an_order_costs_is_no_more_than_its_price() -> None:
    places = [
        make_poi(f"p{n}", lat=39.85 + n * 37 % 11 / 60, lon=116.3 + n / 20, duration_min=120)
        for n in range(5)
    ]
    places += [
        make_poi("early", type="temple", opening_hours="09:00-11:00", duration_min=60),
        make_poi("table", type="restaurant", opening_hours="11:00-21:00", duration_min=60),
    ]
    found = arrange(make_snapshot(pois=places), SETTLED, [poi.id for poi in places]).solution
    rater = Rater(found.rater.problem, "standard")
    rooms = range(len(rater.problem.rooms))
    orders = [(r, o) for r in rooms for n in (1, 2, 3) for o in permutations(range(7), n)
              if all(rater.problem.stops[c][r] for c in o)]  # fmt: skip
    least = [rater.price_at_least(room, order) for room, order in orders]
    rated = [rater.rate(room, order) for room, order in orders]
    assert any(price is None for price in least)
    for price, rating in zip(least, rated, strict=True):
        assert rating.plan.faults if price is None else price <= rating.cost


def test_a_whole_and_its_part_are_not_both_visited() -> None:
    lake = make_poi("lake", type="lake", popularity=95.0, duration_min=180)
    bridge = make_poi("bridge", part_of="lake", popularity=85.0, lat=39.93)
    arrangement = arrange(make_snapshot(pois=[lake, bridge]), SETTLED, ["lake", "bridge"])
    assert arrangement.draft.poi_ids == ("lake",)
    both = make_snapshot(pois=[lake, bridge], must_see=["lake", "bridge"])
    assert len(arrange(both, SETTLED, ["lake", "bridge"]).draft.poi_ids) == 2


def test_a_night_cruise_is_no_morning_trip() -> None:
    cruise = make_poi("cruise", name="江上夜游", opening_hours="09:00-22:00", duration_min=60)
    plain = make_poi("plain", opening_hours="09:00-17:00")
    draft = make_draft({2: ["cruise"]}, hotels={"beijing": "bj-h-dongdan"}, trains={0: ["g2"]})
    snapshot = make_snapshot(pois=[cruise, plain])
    arrangement = arrange(snapshot, draft, ["cruise", "plain"])
    items = [i for day in arrangement.itinerary.days for i in day.items if isinstance(i, VisitItem)]
    arrive = next(item.arrive for item in items if item.poi_id == "cruise")
    assert arrive.time() >= dt.time(17)


def test_lights_are_for_the_evening_of_who_comes_for_them() -> None:
    wall = make_poi("wall", type="historic_site", tags=("night_view",))
    assert is_for_evenings(wall, {"nightlife"})
    assert not is_for_evenings(wall, {"history"})
    assert is_for_evenings(make_poi("bar", type="nightlife"), ())
    noted = make_poi("noted", tags=("night_view",), best_time=("morning",))
    assert not is_for_evenings(noted, {"night_view"})


def test_the_time_of_day_follows_the_sun() -> None:
    winter, summer = 17 * 60 + 15, 19 * 60 + 45
    assert find_evening(winter) == 17 * 60
    assert find_evening(summer) == 18 * 60
    night = read_best_times(make_poi("bar", best_time=("night",)))
    assert is_at_best(night, 17 * 60, 18 * 60, winter)
    assert not is_at_best(night, 18 * 60, 19 * 60, summer)
    assert is_at_best(read_best_times(make_poi("t", type="temple")), 9 * 60, 10 * 60, summer)
    assert not is_at_best(read_best_times(make_poi("t", type="temple")), 14 * 60, 15 * 60, summer)

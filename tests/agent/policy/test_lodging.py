"""Choosing a bed: the ways that it brings about count, to places or to stations."""

from collections.abc import Sequence
from typing import Any

from backend.agent.policy.brief import Ride, parse_brief
from backend.agent.policy.call_log import CallLog, Step
from backend.agent.policy.rides import pick_best
from backend.agent.policy.situation import list_beds
from backend.agent.prompt import describe_trip
from backend.planner.plan.draft import Draft
from tests.factories import make_snapshot

CENTRE = {"lat": 39.9, "lon": 116.4}
OUTSKIRTS = {"lat": 39.5, "lon": 116.4}


def row(hotel_id: str, price: str, area: str) -> dict[str, Any]:
    return {"id": hotel_id, "price_per_night": price, "rating": 4.5, "area": area, "stars": 3}


ROWS = [row("near", "400.00", "A"), row("far", "330.00", "B")]


def list_all(steps: Sequence[Step], rides: Sequence[Ride] = (), **request: Any) -> str:
    """The hotel that suits best."""
    brief = parse_brief(describe_trip(make_snapshot(**request), Draft()))
    listed = Step("list_hotels", {"city": "beijing"}, {"rows": ROWS})
    log = CallLog(brief, (listed, *steps), frozenset())
    (city,) = brief.cities
    (choice,) = pick_best([list_beds(log, city, ["p0", "p1"], rides)]).values()
    return choice.ids[0]


def opened(tool: str, key: str, row_id: str, **content: Any) -> Step:
    return Step(tool, {key: row_id}, {"id": row_id, **content})


PLACES = [opened("get_poi", "poi_id", f"p{n}", area="A", **CENTRE) for n in range(2)]
HOTELS = [
    opened("get_hotel", "hotel_id", "near", **CENTRE),
    opened("get_hotel", "hotel_id", "far", **OUTSKIRTS),
]


def test_no_hotel_far_out_whose_ways_cost_more_than_it_saves() -> None:
    assert list_all([*PLACES, *HOTELS]) == "near"
    assert list_all([*PLACES, *HOTELS], budget_tier="economy") == "near"


def test_what_was_not_opened_stands_where_its_district_is() -> None:
    assert list_all(PLACES) == "near"
    away = opened("get_hotel", "hotel_id", "far", **CENTRE)
    assert list_all([*PLACES, away]) == "far"


def test_one_night_between_two_trains_is_spent_near_the_station() -> None:
    station = opened("get_train", "train_id", "in", to_position=OUTSKIRTS)
    home = opened("get_train", "train_id", "out", from_position=OUTSKIRTS)
    rides = [Ride(0, ("in",), 900, 1230, 100.0), Ride(1, ("out",), 420, 700, 100.0)]
    assert list_all([*PLACES, *HOTELS, station, home], rides, days=2) == "far"

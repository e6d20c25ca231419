"""Edits put choices where they belong, and refuse with a code and what would be allowed."""

import pytest

from backend.errors import ToolError
from backend.planner.days.timeline import build_itinerary
from backend.planner.edits import choose_hotel, choose_train, put_visit, remove_item
from backend.planner.plan.draft import Draft
from backend.pool.snapshot import Snapshot
from tests.factories import make_snapshot
from tests.sample_rows import TRAINS

SNAPSHOT = make_snapshot()
TWO_CITIES = make_snapshot(("beijing", "xian"), days=5)


def settle(snapshot: Snapshot) -> Draft:
    """Hotels and morning trains chosen, nothing visited."""
    draft = choose_hotel(snapshot, Draft(), "beijing", "bj-h-dongdan")
    return choose_train(snapshot, draft, 0, ["g2"])


def test_a_visit_goes_where_its_hours_allow_whatever_was_there_first() -> None:
    draft = put_visit(SNAPSHOT, settle(SNAPSHOT), 2, "bj-yeshi")  # opens at 17:00
    draft = put_visit(SNAPSHOT, draft, 2, "bj-guobo")  # closes at 17:00
    draft = put_visit(SNAPSHOT, draft, 2, "bj-jingshan")
    order = [visit.poi_id for visit in draft.visits_on(2)]
    assert order[-1] == "bj-yeshi"
    assert set(order) == {"bj-guobo", "bj-jingshan", "bj-yeshi"}


def test_a_wish_for_a_time_decides_the_order() -> None:
    draft = put_visit(SNAPSHOT, settle(SNAPSHOT), 2, "bj-jingshan", at=15 * 60)
    draft = put_visit(SNAPSHOT, draft, 2, "bj-shichahai", at=10 * 60)
    assert [visit.poi_id for visit in draft.visits_on(2)] == ["bj-shichahai", "bj-jingshan"]
    visits = [i for i in build_itinerary(SNAPSHOT, draft).days[1].items if i.kind == "visit"]
    assert [f"{visit.arrive:%H:%M}" for visit in visits] == ["10:00", "15:00"]


def test_the_same_place_on_the_same_day_is_moved_not_doubled() -> None:
    draft = put_visit(SNAPSHOT, Draft(), 2, "bj-jingshan")
    draft = put_visit(SNAPSHOT, draft, 2, "bj-jingshan", at=16 * 60)
    assert [(v.poi_id, v.at) for v in draft.visits_on(2)] == [("bj-jingshan", 960)]


def test_on_the_day_of_a_move_visits_stand_in_the_order_of_the_cities() -> None:
    draft = put_visit(TWO_CITIES, Draft(), 3, "xa-chengqiang")
    draft = put_visit(TWO_CITIES, draft, 3, "bj-jingshan")
    assert [visit.poi_id for visit in draft.visits_on(3)] == ["bj-jingshan", "xa-chengqiang"]


def refusal_of(edit: object, *args: object) -> ToolError:
    assert callable(edit)
    with pytest.raises(ToolError) as caught:
        edit(*args)
    return caught.value


def test_an_unknown_place_comes_with_ids_of_near_names() -> None:
    error = refusal_of(put_visit, SNAPSHOT, Draft(), 1, "故宫")
    assert error.code == "NOT_IN_POOL"
    assert error.allowed[0] == "bj-gugong"
    assert len(error.allowed) <= 3


@pytest.mark.parametrize(
    ("day", "poi_id", "at", "code"),
    [
        (0, "bj-gugong", None, "NO_SUCH_DAY"),
        (6, "bj-gugong", None, "NO_SUCH_DAY"),
        (1, "xa-dayanta", None, "WRONG_CITY"),
        (2, "bj-gugong", 1561, "BAD_ARGUMENTS"),
        (2, "bj-gugong", -1, "BAD_ARGUMENTS"),
    ],
)
def test_a_visit_that_cannot_be_meant_is_refused(
    day: int, poi_id: str, at: int | None, code: str
) -> None:
    assert refusal_of(put_visit, TWO_CITIES, Draft(), day, poi_id, at).code == code


def test_a_place_planned_on_another_day_is_refused_with_that_day() -> None:
    draft = put_visit(SNAPSHOT, Draft(), 2, "bj-gugong")
    error = refusal_of(put_visit, SNAPSHOT, draft, 3, "bj-gugong")
    assert error.code == "ALREADY_PLANNED"
    assert "2" in error.message


def test_hotels_are_of_the_city_and_trains_of_the_leg() -> None:
    draft = choose_hotel(TWO_CITIES, Draft(), "Xi'an", "xa-h-zhonglou")
    assert draft.hotels == {"xian": "xa-h-zhonglou"}
    error = refusal_of(choose_hotel, TWO_CITIES, draft, "beijing", "xa-h-zhonglou")
    assert (error.code, error.allowed[0]) == ("WRONG_CITY", "bj-h-dongdan")
    assert refusal_of(choose_hotel, TWO_CITIES, draft, "paris", "x").code == "NO_SUCH_CITY"
    error = refusal_of(choose_hotel, TWO_CITIES, draft, "beijing", "东单")
    assert (error.code, error.allowed[0]) == ("NOT_IN_POOL", "bj-h-dongdan")

    assert choose_train(TWO_CITIES, draft, 1, ["g651"]).trains == {1: ("g651",)}
    assert refusal_of(choose_train, TWO_CITIES, draft, 3, ["g2"]).code == "NO_SUCH_LEG"
    assert refusal_of(choose_train, TWO_CITIES, draft, 0, ["g651"]).code == "WRONG_LEG"
    assert refusal_of(choose_train, TWO_CITIES, draft, 0, []).code == "WRONG_LEG"
    assert refusal_of(choose_train, TWO_CITIES, draft, 0, ["G2"]).allowed[0] == "g2"


def test_a_connection_is_chosen_whole() -> None:
    trains = [train for train in TRAINS if train.id != "g1936"]
    snapshot = make_snapshot(
        ("beijing", "xian"), days=5, trains=trains, connections=[("g2204", "g1811")]
    )
    draft = choose_train(snapshot, Draft(), 2, ["g2204", "g1811"])
    legs = [item for item in build_itinerary(snapshot, draft).days[4].items if item.kind == "leg"]
    assert [(leg.number, f"{leg.depart:%H:%M}") for leg in legs] == [
        ("G2204", "09:00"),
        ("G1811", "12:10"),
    ]
    assert refusal_of(choose_train, snapshot, draft, 2, ["g2204"]).allowed == ("g2204+g1811",)


def test_items_are_removed_by_what_the_timeline_shows() -> None:
    draft = put_visit(SNAPSHOT, settle(SNAPSHOT), 1, "bj-kaoya", at=17 * 60)
    kinds = [item.kind for item in build_itinerary(SNAPSHOT, draft).days[0].items]
    assert kinds.count("meal") == 2
    leg = kinds.index("leg")
    dinner = len(kinds) - 1 - kinds[::-1].index("meal")
    stay = kinds.index("stay")
    transfer = kinds.index("transfer")
    assert remove_item(SNAPSHOT, draft, 1, leg).trains == {}
    assert remove_item(SNAPSHOT, draft, 1, dinner).visits == {}
    assert remove_item(SNAPSHOT, draft, 1, stay).hotels == {}
    assert refusal_of(remove_item, SNAPSHOT, draft, 1, transfer).code == "NOT_REMOVABLE"
    assert refusal_of(remove_item, SNAPSHOT, draft, 1, len(kinds)).code == "NO_SUCH_ITEM"
    assert refusal_of(remove_item, SNAPSHOT, draft, 9, 0).code == "NO_SUCH_DAY"


def test_refusals_speak_the_language_of_the_request() -> None:
    snapshot = make_snapshot(locale="zh-CN")
    assert "没有第 9 天" in refusal_of(put_visit, snapshot, Draft(), 9, "bj-gugong").message

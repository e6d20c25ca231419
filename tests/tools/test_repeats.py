"""A read call that would answer what an earlier one answered gets a short answer instead."""

from typing import Any

import pytest

from backend.agent.loop import hand_over
from backend.tools.context import ToolLimit
from tests.factories import make_snapshot
from tests.tools.desk import Desk


def repeats(desk: Desk, name: str, **arguments: Any) -> int | None:
    number = desk(name, **arguments).get("repeat_of")
    assert number is None or isinstance(number, int)
    return number


def test_a_repeat_has_the_same_keys_no_rows_and_the_first_calls_number() -> None:
    desk = Desk(make_snapshot(), list_pois=4)
    desk("list_hotels", city="beijing")
    first = desk("list_pois", city="beijing")
    desk.send("list_pois", "{")
    again = desk("list_pois", city="beijing")
    third = desk("list_pois", city="beijing")
    assert list(again) == [*first, "repeat_of"]
    assert (again["total"], again["returned"], again["rows"]) == (first["total"], 0, [])
    assert again["hasMore"] is True
    assert again["repeat_of"] == third["repeat_of"] == 2
    assert "unseen_only=true (6)" in again["hint"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"city": "beijing"}, {"city": " 北京 "}),
        ({"city": "beijing"}, {"city": "beijing", "limit": 25, "unseen_only": False}),
        ({"city": "beijing"}, {"city": "beijing", "limit": 100, "area": None}),
        (
            {"city": "beijing", "tags": ["art", "food"], "max_price": 200},
            {"max_price": 200.0, "tags": ["美食", "Art", "art"], "city": "Beijing"},
        ),
        ({"city": "beijing", "type": "museum"}, {"type": "博物馆", "city": "beijing"}),
        ({"city": "beijing", "q": "798  Art"}, {"city": "beijing", "q": " 798 art "}),
    ],
)
def test_spelling_and_defaults_do_not_matter(first: dict[str, Any], second: dict[str, Any]) -> None:
    desk = Desk(make_snapshot())
    assert repeats(desk, "list_pois", **first) is None
    assert repeats(desk, "list_pois", **second) == 1


def test_a_changed_limit_makes_a_new_call() -> None:
    desk = Desk(make_snapshot())
    assert repeats(desk, "list_pois", city="beijing") is None
    desk.limits["list_pois"] = ToolLimit(max_return_rows=24)
    assert repeats(desk, "list_pois", city="beijing") is None
    assert repeats(desk, "list_pois", city="beijing", limit=3) is None
    desk.limits = {}
    assert repeats(desk, "list_pois", city="beijing") == 1


def test_unseen_only_goes_on_while_something_is_unseen() -> None:
    desk = Desk(make_snapshot(), list_pois=4)
    assert [desk("list_pois", city="beijing", unseen_only=True)["returned"] for _ in range(4)] == [
        4, 4, 2, 0,
    ]  # fmt: skip
    assert repeats(desk, "list_pois", city="beijing", unseen_only=True) == 4


def test_details_and_views_repeat_too() -> None:
    desk = Desk(make_snapshot())
    assert repeats(desk, "get_poi", poi_id="bj-gugong") is None
    assert repeats(desk, "get_poi", poi_id="bj-jingshan") is None
    again = desk("get_poi", poi_id="bj-gugong")
    assert again["repeat_of"] == 1
    assert (again["returned"], again["rows"]) == (0, [])
    assert repeats(desk, "view_itinerary") is None
    assert repeats(desk, "view_itinerary") == 4


def test_an_edited_draft_makes_every_read_new_and_writes_never_repeat() -> None:
    desk = Desk(make_snapshot())
    reads: list[tuple[str, dict[str, Any]]] = [
        ("list_pois", {"city": "beijing"}),
        ("get_poi", {"poi_id": "bj-gugong"}),
        ("view_itinerary", {}),
    ]
    for name, arguments in reads:
        assert repeats(desk, name, **arguments) is None
    for _ in range(2):
        assert repeats(desk, "put_visit", day=2, poi_id="bj-jingshan") is None
    for name, arguments in reads:
        assert repeats(desk, name, **arguments) is None
        assert repeats(desk, name, **arguments) is not None


def test_a_write_that_changes_nothing_is_no_edit() -> None:
    desk = Desk(make_snapshot())
    desk("choose_hotel", city="beijing", hotel_id="bj-h-dongdan")
    desk("list_pois", city="beijing")
    desk("choose_hotel", city="beijing", hotel_id="bj-h-dongdan")
    assert repeats(desk, "list_pois", city="beijing") == 2


def test_a_refused_write_is_no_edit() -> None:
    desk = Desk(make_snapshot())
    desk("list_pois", city="beijing")
    assert "error" in desk("put_visit", day=9, poi_id="bj-gugong")
    assert repeats(desk, "list_pois", city="beijing") == 1


def test_a_repeat_shows_nothing_and_so_marks_nothing() -> None:
    desk = Desk(make_snapshot(), list_pois=2)
    desk("list_pois", city="beijing")
    seen = desk.state.listed_ids("poi")
    desk("list_pois", city="beijing")
    assert desk.state.listed_ids("poi") == seen
    assert len(seen) == 2


def test_what_another_planner_saw_is_still_unseen() -> None:
    desk = Desk(make_snapshot(), list_pois=4)
    before = [row["id"] for row in desk("list_pois", city="beijing")["rows"]]
    desk.state = hand_over(desk.state)
    unseen = desk("list_pois", city="beijing", unseen_only=True)
    assert [row["id"] for row in unseen["rows"]] == before
    rest = desk("list_pois", city="beijing", unseen_only=True)["rows"]
    assert {row["id"] for row in rest}.isdisjoint(before)
    assert desk.state.listed_ids("poi") == {row["id"] for row in rest} | set(before)

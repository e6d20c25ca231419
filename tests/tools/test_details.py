"""Detail tools open one thing of the pool, whole; a place with its hours on each date of the stay."""

from decimal import Decimal
from typing import Any

import pytest

from backend.tools.registry import TOOLS
from tests.factories import make_poi, make_snapshot
from tests.sample_rows import BEIJING_POIS
from tests.tools.desk import Desk, error_of


def test_a_place_comes_with_hours_and_last_entry_on_each_date() -> None:
    content = Desk(make_snapshot())("get_poi", poi_id="bj-gugong")  # closed on Mondays
    assert content["dates"] == [
        {"date": f"2026-10-{day}", "open": [["08:30", "17:00"]], "last_entry": "16:00"}
        for day in (13, 14, 15)
    ]
    assert (content["lat"], content["lon"]) == (39.9159, 116.3908)
    assert (content["booking"], content["book_days_ahead"]) == ("required", 7)
    assert content["hours_known"] is True


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"opening_hours": "We 09:00-12:00,14:00-18:00"}, [[], [["09:00", "12:00"], ["14:00", "18:00"]], []]),
        ({"opening_hours": "17:00-02:00", "last_entry": "01:00"}, [[["17:00", "26:00"]]] * 3),
        ({"closed_season": "10-14/10-14"}, [[["05:00", "29:00"]], [], [["05:00", "29:00"]]]),
        ({"opening_hours": ""}, [[["09:00", "17:00"]]] * 3),  # planned so, with a warning
    ],
)  # fmt: skip
def test_hours_are_those_that_a_plan_counts_with(
    changes: dict[str, Any], expected: list[list[list[str]]]
) -> None:
    content = Desk(make_snapshot(pois=[make_poi("p", **changes)]))("get_poi", poi_id="p")
    assert [date["open"] for date in content["dates"]] == expected
    assert content["hours_known"] is bool(content["opening_hours"])
    past_midnight = "25:00" if changes.get("last_entry") else None
    assert {date["last_entry"] for date in content["dates"]} == {past_midnight}


def test_what_is_known_of_a_place_beyond_the_usual_is_shown() -> None:
    known: dict[str, Any] = {
        "part_of": "lake",
        "best_time": ("dusk", "night"),
        "reach_mode": "ferry",
        "reach_minutes": 15,
        "reach_fare": Decimal("17.5"),
    }
    pois = [make_poi("p", **known), make_poi("lake")]
    desk = Desk(make_snapshot(pois=pois))
    content = desk("get_poi", poi_id="p")
    expected = known | {"best_time": ["dusk", "night"], "reach_fare": "17.50"}
    assert {key: content[key] for key in expected} == expected
    assert set(desk("get_poi", poi_id="lake")) == set(content) - set(known)


def test_dates_are_those_of_the_stay_in_the_places_own_city() -> None:
    desk = Desk(make_snapshot(("beijing", "xian"), days=5))
    dates = [d["date"] for d in desk("get_poi", poi_id="xa-dayanta")["dates"]]
    assert dates == ["2026-10-15", "2026-10-16", "2026-10-17"]


def test_hotels_and_trains_show_everything_that_is_known() -> None:
    desk = Desk(make_snapshot())
    hotel = desk("get_hotel", hotel_id="bj-h-xidan")
    assert (hotel["check_in"], hotel["check_out"], hotel["price_per_night"]) == (
        "14:00", "12:00", "520.00",
    )  # fmt: skip
    train = desk("get_train", train_id="d702")
    assert (train["from_city"], train["day_offset"], train["price"]) == ("shanghai", 1, None)
    assert train["to_position"].keys() == {"lat", "lon"}
    assert train["from_position"] == {"lat": 31.194, "lon": 121.3204}


@pytest.mark.parametrize(
    ("tool", "arguments", "near"),
    [
        ("get_poi", {"poi_id": "故宫"}, "bj-gugong"),
        ("get_poi", {"poi_id": "bj-gugon"}, "bj-gugong"),
        ("get_hotel", {"hotel_id": "东单"}, "bj-h-dongdan"),
        ("get_train", {"train_id": "G2"}, "g2"),
    ],
)
def test_what_is_not_in_the_pool_gets_ids_of_near_names(
    tool: str, arguments: dict[str, Any], near: str
) -> None:
    desk = Desk(make_snapshot())
    error = error_of(desk(tool, **arguments))
    assert error["code"] == "NOT_IN_POOL"
    assert near in error["allowed"]
    assert len(error["allowed"]) <= 3
    assert desk.outcomes[-1].opened == ()


def test_the_reserve_and_other_kinds_are_not_in_reach() -> None:
    snapshot = make_snapshot()
    city = snapshot.cities["beijing"]
    kept = city.model_copy(update={"pois": city.pois[:3], "reserve": city.pois[3:]})
    desk = Desk(snapshot.model_copy(update={"cities": {"beijing": kept}}))
    hidden = BEIJING_POIS[5].id
    error = error_of(desk("get_poi", poi_id=hidden))
    assert hidden not in error.get("allowed", ())
    assert error_of(desk("get_poi", poi_id="g2"))["code"] == "NOT_IN_POOL"
    assert error_of(desk("get_hotel", hotel_id="bj-gugong"))["code"] == "NOT_IN_POOL"


def test_what_is_opened_counts_and_is_not_listed() -> None:
    desk = Desk(make_snapshot())
    desk("get_poi", poi_id="bj-gugong")
    assert desk.state.opened_ids("poi") == {"bj-gugong"}
    assert desk.state.listed_ids("poi") == frozenset()


def test_the_descriptions_keep_detail_tools_from_being_used_to_search() -> None:
    for tool in (tool for tool in TOOLS if tool.effect == "detail"):
        assert "Only before writing, one at a time; not for searching." in tool.description

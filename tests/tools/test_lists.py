"""List tools answer with honest pages: pool order, the pool's count, the limit that applied."""

from decimal import Decimal
from typing import Any

import pytest

from tests.factories import make_hotel, make_poi, make_snapshot, make_train
from tests.sample_rows import BEIJING_POIS
from tests.tools.desk import Desk, error_of

PAGE = ["total", "returned", "hasMore", "limit", "hint", "rows"]


def ids(page: dict[str, Any]) -> list[str]:
    return [row["id"] for row in page["rows"]]


def test_a_page_has_exactly_these_keys_and_decision_fields() -> None:
    desk = Desk(make_snapshot())
    pois = desk("list_pois", city="beijing")
    hotels = desk("list_hotels", city="beijing")
    trains = desk("list_trains", leg=0)
    assert list(pois) == list(hotels) == list(trains) == PAGE
    assert list(pois["rows"][0]) == [
        "id", "name", "type", "area", "price", "duration_min", "popularity", "tags",
    ]  # fmt: skip
    assert list(hotels["rows"][0]) == ["id", "name", "stars", "price_per_night", "area", "rating"]
    assert list(trains["rows"][0]) == [
        "id", "number", "from_station", "to_station", "depart", "arrive", "day_offset", "price",
    ]  # fmt: skip
    assert (pois["limit"], hotels["limit"], trains["limit"]) == (25, 10, 8)


def test_rows_come_in_pool_order_and_total_is_the_pools_count() -> None:
    page = Desk(make_snapshot(), list_pois=4)("list_pois", city="北京")
    assert ids(page) == [poi.id for poi in BEIJING_POIS[:4]]
    assert (page["total"], page["returned"], page["hasMore"]) == (len(BEIJING_POIS), 4, True)


@pytest.mark.parametrize(("locale", "name"), [("zh-CN", "故宫博物院"), ("en", "bj-gugong")])
def test_names_are_in_the_travellers_language(locale: str, name: str) -> None:
    desk = Desk(make_snapshot(locale=locale))
    assert desk("list_pois", city="beijing")["rows"][0]["name"] == name


def test_the_reserve_is_not_listed() -> None:
    snapshot = make_snapshot()
    city = snapshot.cities["beijing"]
    cut = city.model_copy(update={"pois": city.pois[:3], "reserve": city.pois[3:]})
    page = Desk(snapshot.model_copy(update={"cities": {"beijing": cut}}))(
        "list_pois", city="beijing"
    )
    assert page["total"] == 3


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"area": "海淀区"}, ["bj-yiheyuan"]),
        ({"type": "museum"}, ["bj-guobo"]),
        ({"type": "博物馆"}, ["bj-guobo"]),
        ({"type": "Old Street"}, ["bj-shichahai", "bj-hutong"]),
        ({"tags": ["art", "market"]}, ["bj-798", "bj-yeshi"]),  # any of them
        ({"tags": "艺术"}, ["bj-798"]),
        ({"tags": ["Art", "艺术", "art"]}, ["bj-798"]),
        ({"max_price": 0, "tags": ["museum"]}, ["bj-guobo"]),
        ({"max_price": 1, "type": "old_street"}, ["bj-shichahai", "bj-hutong"]),  # unknown stays
        ({"q": "798"}, ["bj-798"]),
        ({"q": "BJ-JINGSHAN"}, ["bj-jingshan"]),
        ({"q": "", "area": None, "tags": [], "type": "gallery"}, ["bj-798"]),
    ],
)
def test_filters_of_places(arguments: dict[str, Any], expected: list[str]) -> None:
    page = Desk(make_snapshot())("list_pois", city="Beijing", **arguments)
    assert ids(page) == expected
    assert page["total"] == len(expected)


def test_the_introduction_is_searched_whatever_the_case() -> None:
    poi = make_poi("p1", "某地", intro="Where  the Emperor\nslept")
    page = Desk(make_snapshot(pois=[poi]))("list_pois", city="beijing", q="emperor SLEPT")
    assert ids(page) == ["p1"]


def test_open_on_knows_weekdays_and_seasons() -> None:
    pois = (
        make_poi("always"),
        make_poi("weekend", opening_hours="Sa,Su 09:00-17:00"),
        make_poi("winter", closed_season="10-14/03-31"),
        make_poi("unknown", opening_hours=""),
    )
    desk = Desk(make_snapshot(pois=pois, days=5))  # Tuesday 13 to Saturday 17 October
    assert ids(desk("list_pois", city="beijing", open_on="2026-10-13")) == [
        "always", "winter", "unknown",
    ]  # fmt: skip
    assert ids(desk("list_pois", city="beijing", open_on="2026-10-17")) == [
        "always", "weekend", "unknown",
    ]  # fmt: skip
    refused = error_of(desk("list_pois", city="beijing", open_on="2026-10-18"))
    assert sorted(refused["allowed"]) == [f"2026-10-{n}" for n in range(13, 18)]


def test_filters_of_hotels() -> None:
    hotels = (
        make_hotel("h2", stars=2, price_per_night=Decimal(200)),
        make_hotel("h3", stars=3, price_per_night=Decimal(400), area="东城区"),
        make_hotel("h?", stars=None, price_per_night=None),
    )
    desk = Desk(make_snapshot(hotels=hotels))
    assert ids(desk("list_hotels", city="beijing", stars=2)) == ["h2"]
    assert ids(desk("list_hotels", city="beijing", stars=[3, 2])) == ["h2", "h3"]
    assert ids(desk("list_hotels", city="beijing", max_price=250.5)) == ["h2", "h?"]
    assert ids(desk("list_hotels", city="beijing", area=" 东城区 ")) == ["h3"]


def test_filters_of_trains_count_from_the_day_of_departure() -> None:
    desk = Desk(make_snapshot())
    assert ids(desk("list_trains", leg=0, depart_after="13:00")) == ["g14", "d702"]
    assert ids(desk("list_trains", leg=0, arrive_before="17:33")) == ["g2", "g14"]
    assert ids(desk("list_trains", leg=0, arrive_before="32:50")) == ["g2", "g14", "d702"]
    assert ids(desk("list_trains", leg=0, depart_after="9:00", max_price=100)) == ["d702"]


def test_a_leg_without_direct_trains_offers_connections_that_work() -> None:
    trains = (
        make_train("A1", ("shanghai", "上海虹桥站", "09:00"), ("zhengzhou", "郑州东站", "12:00")),
        make_train(
            "B2", ("zhengzhou", "郑州东站", "13:00"), ("beijing", "北京西站", "16:00"), price=None
        ),
    )
    desk = Desk(make_snapshot(trains=trains, connections=[("a1", "b2")]))
    page = desk("list_trains", leg=0)
    assert (page["total"], page["rows"], page["hasMore"]) == (0, [], False)
    assert "train_ids=[a1, b2] via Zhengzhou" in page["hint"]
    assert "10-13 09:00" in page["hint"]
    assert "10-13 16:00" in page["hint"]
    assert "price unknown" in page["hint"]
    assert desk.outcomes[-1].listed == ("a1", "b2")
    assert "error" not in desk("choose_train", leg=0, train_ids=["a1", "b2"])


def test_a_leg_without_any_train_is_the_travellers_own() -> None:
    page = Desk(make_snapshot(trains=()))("list_trains", leg=0)
    assert "Leg 0 (Shanghai → Beijing 2026-10-13)" in page["hint"]
    assert "the traveller's own way" in page["hint"]


def test_a_city_without_a_night_needs_no_hotel() -> None:
    snapshot = make_snapshot(("xian", "beijing"), days=3, nights=[0, 2])
    assert "No night is spent in Xi'an" in Desk(snapshot)("list_hotels", city="xian")["hint"]


def test_empty_pools_say_so() -> None:
    desk = Desk(make_snapshot(pois=(), hotels=()))
    assert "no places in Beijing" in desk("list_pois", city="beijing")["hint"]
    assert "no hotels in Beijing" in desk("list_hotels", city="beijing")["hint"]


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "named", "first"),
    [
        ("list_pois", {"city": "shanghai"}, "BAD_ARGUMENTS", "city", "beijing"),
        ("list_pois", {"city": "beijing", "area": "海定区"}, "BAD_ARGUMENTS", "area", "海淀区"),
        ("list_pois", {"city": "beijing", "type": "musuem"}, "BAD_ARGUMENTS", "type", "museum"),
        ("list_pois", {"city": "beijing", "tags": ["musem"]}, "BAD_ARGUMENTS", "tags", "museum"),
        ("list_hotels", {"city": "Bejing"}, "BAD_ARGUMENTS", "city", "beijing"),
        ("list_trains", {"leg": 5}, "NO_SUCH_LEG", "leg 5", "1"),
    ],
)
def test_a_wrong_value_names_what_is_allowed_nearest_first(
    tool: str, arguments: dict[str, Any], code: str, named: str, first: str
) -> None:
    error = error_of(Desk(make_snapshot())(tool, **arguments))
    assert error["code"] == code
    assert named in error["message"]
    assert error["allowed"][0] == first


def test_all_wrong_values_are_named_at_once() -> None:
    error = error_of(Desk(make_snapshot())("list_pois", city="rome", type="forum", tags=["x", "y"]))
    assert all(part in error["message"] for part in ("city", "type", '"x"', '"y"'))


def test_a_trip_by_own_means_has_no_legs() -> None:
    error = error_of(Desk(make_snapshot(origin=None))("list_trains", leg=0))
    assert error["code"] == "NO_SUCH_LEG"
    assert "own means" in error["message"]
    assert "allowed" not in error


def test_a_type_of_another_city_is_no_error_here() -> None:
    pois = (make_poi("a", type="zoo"), make_poi("b", city="xian", type="cave"))
    page = Desk(make_snapshot(("beijing", "xian"), days=5, pois=pois))(
        "list_pois", city="beijing", type="cave"
    )
    assert page["total"] == 0
    assert "without type 1" in page["hint"]

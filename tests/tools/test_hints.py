"""Hints tell the truth: counts are totals of the call they propose, and lead to every candidate."""

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.pool.snapshot import Snapshot
from backend.tools.context import ToolLimit
from tests.factories import make_hotel, make_poi, make_snapshot, make_train
from tests.tools.desk import Desk

OPTION = re.compile(r"(\w+)=([^;；()]+?) \((\d+)\)")

AREAS = ("东城区", "海淀区", "Old  Town", "old town", "")
TAGS = ("history", "museum", "park", "food")
PRICES = st.sampled_from([None, Decimal(0), Decimal(60), Decimal("150.50")])


def read_options(hint: str) -> list[tuple[str, str, int]]:
    return [(key, value, int(count)) for key, value, count in OPTION.findall(hint)]


def read_value(key: str, value: str) -> Any:
    if key == "unseen_only":
        return value == "true"
    return int(value) if key == "stars" else value


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    pois = [
        make_poi(
            f"p{n}",
            area=draw(st.sampled_from(AREAS)),
            type=draw(st.sampled_from(["museum", "park", "cave"])),
            tags=tuple(draw(st.sets(st.sampled_from(TAGS)))),
            price=draw(PRICES),
        )
        for n in range(draw(st.integers(0, 30)))
    ]
    hotels = [
        make_hotel(
            f"p{n}",  # a hotel may have the id of a place
            area=draw(st.sampled_from(AREAS)),
            stars=draw(st.sampled_from([None, 2, 3, 4])),
            price_per_night=draw(PRICES),
        )
        for n in range(draw(st.integers(0, 12)))
    ]
    trains = [
        make_train(
            f"T{n}",
            ("shanghai", "上海虹桥站", f"{draw(st.integers(0, 23)):02d}:00"),
            ("beijing", "北京南站", "12:00"),
            day_offset=1,
            price=draw(PRICES),
        )
        for n in range(draw(st.integers(0, 12)))
    ]
    locale = draw(st.sampled_from(["zh-CN", "en"]))
    return make_snapshot(pois=pois, hotels=hotels, trains=trains, locale=locale)


calls = st.sampled_from(
    [
        ("list_pois", {"city": "beijing"}),
        ("list_hotels", {"city": "beijing"}),
        ("list_trains", {"leg": 0}),
    ]
)


@given(snapshots(), calls, st.integers(1, 30), st.data())
def test_counts_are_the_totals_that_the_proposed_calls_answer(
    snapshot: Snapshot, call: tuple[str, dict[str, Any]], rows: int, data: st.DataObject
) -> None:
    name, arguments = call
    desk = Desk(snapshot, **{name: rows})
    for _ in range(4):
        page = desk(name, **arguments)
        assert page["hasMore"] == (page["returned"] < page["total"])
        options = read_options(page["hint"])
        assert page["hasMore"] == bool(options) or "unseen_only" in arguments
        for key, value, count in options:
            assert key not in arguments
            fork = Desk(snapshot, **{name: rows})
            fork.state = desk.state
            proposed = fork(name, **arguments, **{key: read_value(key, value)})
            assert proposed["total"] == count > 0
        if not options:
            break
        key, value, _ = data.draw(st.sampled_from(options))
        arguments = {**arguments, key: read_value(key, value)}


def follow_hints(
    desk: Desk, name: str, arguments: dict[str, Any], change: Callable[[], None]
) -> None:
    """An agent without any idea of its own: the first proposal, else the same call if told so."""
    for _ in range(200):
        page = desk(name, **arguments)
        assert "repeat_of" not in page
        change()
        if not page["hasMore"]:
            return
        options = read_options(page["hint"])
        if "unseen_only" not in arguments:
            key, value, _ = options[0]
            arguments = {**arguments, key: read_value(key, value)}
        else:
            assert "unseen_only=true" in page["hint"]
    raise AssertionError("never came to an end")


@given(snapshots(), st.lists(st.integers(1, 8), min_size=1, max_size=5))
def test_who_only_follows_hints_sees_the_whole_pool(snapshot: Snapshot, rows: list[int]) -> None:
    desk = Desk(snapshot)
    turn = 0

    def change() -> None:
        nonlocal turn
        limit = ToolLimit(max_return_rows=rows[turn % len(rows)])
        desk.limits = dict.fromkeys(("list_pois", "list_hotels", "list_trains"), limit)
        turn += 1

    change()
    follow_hints(desk, "list_pois", {"city": "beijing"}, change)
    follow_hints(desk, "list_hotels", {"city": "beijing"}, change)
    follow_hints(desk, "list_trains", {"leg": 0}, change)
    city = snapshot.cities["beijing"]
    assert desk.state.listed_ids("poi") == frozenset(city.pois)
    assert desk.state.listed_ids("hotel") == frozenset(city.hotels)
    assert desk.state.listed_ids("train") == frozenset(snapshot.legs[0].trains)


def many(count: int = 12) -> Snapshot:
    pois = [
        make_poi(f"p{n}", area="海淀区" if n % 3 == 0 else "东城区", tags=("museum",) * (n % 2))
        for n in range(count)
    ]
    return make_snapshot(pois=pois, locale="zh-CN")


def test_more_left_says_how_many_and_which_arguments_work() -> None:
    hint = Desk(many(), list_pois=5)("list_pois", city="beijing")["hint"]
    assert "还有 7 条符合条件但未返回，不要用同样的参数重复调用" in hint
    assert read_options(hint) == [
        ("unseen_only", "true", 7),
        ("area", "东城区", 8),
        ("area", "海淀区", 4),
        ("tags", "museum", 6),
    ]


def test_keys_in_use_are_not_proposed_again() -> None:
    desk = Desk(many(), list_pois=2)
    hint = desk("list_pois", city="beijing", area="海淀区", unseen_only=True)["hint"]
    assert read_options(hint) == [("tags", "museum", 1)]
    assert "还有 2 条符合条件且未展示过" in hint
    assert hint.endswith("用同样的参数再次调用会给出后面的，因为已有 unseen_only=true。")


def test_all_returned_says_to_go_on_and_what_filters_have_hidden() -> None:
    desk = Desk(many())
    hint = desk("list_pois", city="beijing", area="海淀区")["hint"]
    assert "符合条件的 4 条已全部返回" in hint
    assert "unseen_only=true，还有 8 条未展示过" in hint
    assert "get_poi" in hint
    assert read_options(hint) == []
    assert "未展示过" not in desk("list_pois", city="beijing")["hint"]


@pytest.mark.parametrize(
    ("locale", "expected"),
    [
        (
            "zh-CN",
            "没有符合条件的结果。请去掉其中一个条件（去掉 area 有 1 条；去掉 max_price 有 2 条）",
        ),
        ("en", "Nothing matches. Drop one of the filters (without area 1; without max_price 2)"),
    ],
)
def test_nothing_matched_names_the_filter_to_drop(locale: str, expected: str) -> None:
    pois = [
        make_poi("a", area="海淀区", price=Decimal(60)),
        make_poi("b", area="海淀区", price=Decimal(70)),
        make_poi("c", area="东城区", price=Decimal(5)),
    ]
    desk = Desk(make_snapshot(pois=pois, locale=locale))
    page = desk("list_pois", city="beijing", area="海淀区", max_price=10)
    assert (page["total"], page["hasMore"]) == (0, False)
    assert expected in page["hint"]


def test_where_no_single_filter_is_to_blame_all_are_to_be_dropped() -> None:
    pois = [make_poi("a", area="海淀区", tags=("park",)), make_poi("b", tags=("museum",))]
    desk = Desk(make_snapshot(pois=pois))
    hint = desk("list_pois", city="beijing", area="海淀区", tags=["museum"], q="nothing")["hint"]
    assert "without area; tags; q there are 2" in hint


def test_nothing_unseen_left_is_not_a_wrong_filter() -> None:
    desk = Desk(many(3))
    desk("list_pois", city="beijing")
    page = desk("list_pois", city="beijing", unseen_only=True)
    assert page["total"] == 0
    assert "符合条件的 3 条都已展示过" in page["hint"]
    assert "put_visit" in page["hint"]


def test_a_limit_that_was_cut_is_told_and_a_smaller_one_is_kept() -> None:
    desk = Desk(many(), list_pois=5)
    cut = desk("list_pois", city="beijing", limit=100)
    assert (cut["limit"], cut["returned"]) == (5, 5)
    assert "要求的 limit 已降为 5" in cut["hint"]
    fewer = desk("list_pois", city="beijing", limit=3)
    assert (fewer["limit"], fewer["returned"]) == (3, 3)
    assert "降为" not in fewer["hint"]


def test_a_page_of_the_list_that_was_shown_before_still_tells_how_to_narrow() -> None:
    desk = Desk(many(), list_pois=12)
    desk("list_pois", city="beijing")
    desk.limits["list_pois"] = ToolLimit(max_return_rows=5)
    hint = desk("list_pois", city="beijing")["hint"]
    assert "都展示过" in hint
    assert ("area", "东城区", 8) in read_options(hint)
    assert "unseen_only" not in hint

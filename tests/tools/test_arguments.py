"""Whatever a model writes as arguments, it gets one answer that it can mend, never a crash."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.tools.registry import TOOLS
from tests.factories import make_snapshot
from tests.tools.desk import Desk, error_of

SNAPSHOT = make_snapshot()


@pytest.mark.parametrize(
    ("raw", "named"),
    [
        ("{", "not valid JSON"),
        ('{"city": "beijing"', "not valid JSON"),
        ("[]", "JSON object"),
        ("null", "JSON object"),
        ('"beijing"', "JSON object"),
        ("NaN", "NaN is not JSON"),
        ('{"city": "beijing", "max_price": Infinity}', "Infinity is not JSON"),
        ("[" * 60_000, "nested too deeply"),
        ('{"city": ' + "9" * 5000 + "}", "not valid JSON"),
        ('{"city": "\\ud800"}', "no text may have"),
        ('{"city": "beijing\\u0000"}', "no text may have"),
        (json.dumps({"city": "x" * 70_000}), "64 KB"),
        (json.dumps({"city": "京" * 30_000}, ensure_ascii=False), "64 KB"),
        ("", "city: is missing"),
        ("  ", "city: is missing"),
        ("{}", "city: is missing"),
        ('{"city": 5}', "city: must be text, not 5"),
        ('{"city": ""}', "city: must not be empty"),
        ('{"city": "' + "x" * 300 + '"}', "city: must not be longer than 200"),
        ('{"city": "beijing", "limit": "ten"}', 'limit: must be a whole number, not "ten"'),
        ('{"city": "beijing", "limit": 0}', "limit: must be at least 1"),
        ('{"city": "beijing", "limit": true}', "limit: must be a whole number, not true"),
        ('{"city": "beijing", "limit": 2.5}', "limit: must be a whole number"),
        ('{"city": "beijing", "max_price": "cheap"}', "max_price: must be a number"),
        ('{"city": "beijing", "max_price": -1}', "max_price: must be at least 0"),
        ('{"city": "beijing", "max_price": 1e999}', "max_price: must be a finite number"),
        ('{"city": "beijing", "unseen_only": "yes"}', "unseen_only: must be true or false"),
        ('{"city": "beijing", "tags": {"a": 1}}', "tags: must be a list"),
        ('{"city": "beijing", "tags": [1]}', "tags.0: must be text"),
    ],
)
def test_bad_arguments_are_named(raw: str, named: str) -> None:
    error = error_of(Desk(SNAPSHOT).send("list_pois", raw))
    assert error["code"] == "BAD_ARGUMENTS"
    assert named in error["message"]
    assert len(error["message"]) < 1000


def test_each_fault_is_named_and_an_unknown_argument_gets_near_names() -> None:
    desk = Desk(SNAPSHOT)
    error = error_of(desk("list_pois", citty="beijing", limit="x"))
    assert "city: is missing" in error["message"]
    assert "limit: must be a whole number" in error["message"]
    assert "citty: is no argument of this tool" in error["message"]
    assert error["allowed"][0] == "city"


def test_many_faults_stay_short() -> None:
    error = error_of(Desk(SNAPSHOT)("list_pois", **{f"x{n}": n for n in range(500)}))
    assert "491 more faults" in error["message"]
    assert len(error["message"]) < 1000


def test_messages_are_in_the_travellers_language() -> None:
    error = error_of(Desk(make_snapshot(locale="zh-CN"))("list_pois", limit="x"))
    assert error["message"] == 'city: 缺少这个参数; limit: 必须是整数，而不是 "x"'


@pytest.mark.parametrize("at", ["26:01", "9", "25:60", "morning", "-1:00"])
def test_times_are_checked(at: str) -> None:
    error = error_of(Desk(SNAPSHOT)("put_visit", day=1, poi_id="bj-jingshan", at=at))
    assert "at: must be HH:MM from 00:00 to 26:00" in error["message"]


def test_null_and_blank_mean_not_given() -> None:
    desk = Desk(SNAPSHOT)
    first = desk("list_trains", leg=0, depart_after=None, arrive_before="", max_price=None)
    assert first["returned"] == 3
    assert desk("list_trains", leg=0)["repeat_of"] == 1


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.data())
def test_no_arguments_break_a_tool(data: st.DataObject) -> None:
    tool = data.draw(st.sampled_from([tool for tool in TOOLS if not tool.is_slow]))
    known = st.sampled_from([*tool.args.model_fields, "other"])
    arguments: Any = data.draw(json_values | st.dictionaries(known, json_values))
    raw = data.draw(st.sampled_from([json.dumps(arguments), str(arguments)]))
    desk = Desk(SNAPSHOT)
    content = desk.send(tool.name, raw)
    json.dumps(content, ensure_ascii=False).encode()  # storable
    assert desk.state.calls == 1

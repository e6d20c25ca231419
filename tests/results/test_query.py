"""Structured queries: exact figures, JSON types, the order of groups and rows, faults by name."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import ToolError
from backend.results.document import Document
from backend.results.query import run_query
from backend.results.values import parse_json, write_json
from tests.results.oracle import group, sort_key

ROWS = parse_json(
    """[{"k": "b", "n": 0.1, "at": {"city": "北京"}, "tags": ["x"], "a.b": 1},
        {"k": "a", "n": 0.20, "at": {"city": "上海"}, "tags": ["x", "y"]},
        {"k": null, "n": 1e2, "at": null},
        {"k": 2, "n": null, "t": "long 北京 text"},
        {"n": 9007199254740993, "k": 1.0},
        {"k": 1, "n": -0.3, "t": 5}]"""
)


def ask(query: dict[str, Any], value: Any = ROWS) -> dict[str, Any]:
    page = run_query(Document.of(value), query)
    return {**page, "rows": list(page["rows"])}


def test_groups_stand_by_value_and_sums_are_exact() -> None:
    aggregates = [{"op": op, "field": "n"} for op in ("sum", "avg", "min", "max", "count")]
    page = ask({"group_by": ["k"], "aggregate": [{"op": "count"}, *aggregates]})
    assert [row["k"] for row in page["rows"]] == [1, 2, "a", "b", None]
    first = page["rows"][0]
    assert write_json(first) == (
        '{"k":1.0,"count":2,"sum_n":9007199254740992.7,"avg_n":4503599627370496.35,'
        '"min_n":-0.3,"max_n":9007199254740993,"count_n":2}'
    )
    nothing = page["rows"][1]
    assert (nothing["sum_n"], nothing["avg_n"], nothing["min_n"]) == (0, None, None)
    assert write_json(page["rows"][2]["sum_n"]) == "0.20"


def test_one_row_over_all() -> None:
    assert ask({"aggregate": [{"op": "count"}, {"op": "max", "field": "k"}]})["rows"] == [
        {"count": 6, "max_k": "b"}
    ]
    none = ask(
        {
            "where": [{"field": "k", "op": "==", "value": "z"}],
            "aggregate": [{"op": "sum", "field": "n"}],
        }
    )
    assert none["rows"] == [{"sum_n": 0}]


@pytest.mark.parametrize(
    ("op", "value", "found"),
    [
        ("in", ["a", 1], ["a", 1, 1]),
        ("==", 1, [1, 1]),
        ("!=", "a", ["b", None, 2, 1, 1]),
        (">", "a", ["b"]),
        ("<", 2, [1, 1]),
        ("in", [None], [None]),
    ],
)
def test_where_compares_like_with_like(op: str, value: Any, found: list[Any]) -> None:
    page = ask({"where": [{"field": "k", "op": op, "value": value}], "select": ["k"]})
    assert [row["k"] for row in page["rows"]] == found


def test_contains_looks_into_texts_and_lists() -> None:
    for field, value in (("t", "北京"), ("tags", "y")):
        where = [{"field": field, "op": "contains", "value": value}]
        assert ask({"where": where, "aggregate": [{"op": "count"}]})["rows"] == [{"count": 1}]


def test_fields_are_paths_and_keep_their_spelling() -> None:
    page = ask({"select": ["at.city", "tags[0]", '["a.b"]'], "limit": 3})
    assert page["rows"] == [
        {"at.city": "北京", "tags[0]": "x", '["a.b"]': 1},
        {"at.city": "上海", "tags[0]": "x", '["a.b"]': None},
        {"at.city": None, "tags[0]": None, '["a.b"]': None},
    ]


def test_orders_pages_and_cursors() -> None:
    query = {"select": ["n"], "order_by": ["-n"], "limit": 4}
    page = ask(query)
    assert [row["n"] for row in page["rows"]] == [
        9007199254740993,
        100,
        Decimal("0.20"),
        Decimal("0.1"),
    ]
    assert (page["total"], page["returned"], page["cursor"]) == (6, 4, "4")
    rest = ask({**query, "cursor": page["cursor"]})
    assert [row["n"] for row in rest["rows"]] == [Decimal("-0.3"), None]
    assert rest["cursor"] is None
    by_kind = ask({"select": ["k"], "order_by": ["k", "-n"]})
    assert [row["k"] for row in by_kind["rows"]] == [1, 1, 2, "a", "b", None]
    groups = ask({"group_by": ["k"], "aggregate": [{"op": "count"}], "order_by": ["-count", "-k"]})
    assert [row["k"] for row in groups["rows"]] == [1, "b", "a", 2, None]


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ([], "BAD_QUERY"),
        ({"wher": []}, "BAD_QUERY"),
        ({"where": {}}, "BAD_QUERY"),
        ({"where": [{"field": "k", "op": "like", "value": 1}]}, "BAD_QUERY"),
        ({"where": [{"field": "k", "op": "in", "value": 1}]}, "BAD_QUERY"),
        ({"aggregate": [{"op": "sum"}]}, "BAD_QUERY"),
        ({"aggregate": [{"op": "median", "field": "n"}]}, "BAD_QUERY"),
        ({"limit": True}, "BAD_QUERY"),
        ({"limit": 0}, "BAD_QUERY"),
        ({"cursor": "-1"}, "BAD_QUERY"),
        ({"select": ["k"], "group_by": ["k"]}, "BAD_QUERY"),
        ({"select": ["k["]}, "BAD_PATH"),
        ({"select": ["nope"]}, "NO_SUCH_FIELD"),
        ({"select": ["at.nope"]}, "NO_SUCH_FIELD"),
        ({"where": [{"field": "nope", "op": "!=", "value": 1}]}, "NO_SUCH_FIELD"),
        ({"group_by": ["k"], "order_by": ["-sum_n"]}, "NO_SUCH_FIELD"),
        ({"aggregate": [{"op": "sum", "field": "k"}]}, "NOT_A_NUMBER"),
        ({"aggregate": [{"op": "avg", "field": "tags"}]}, "NOT_A_NUMBER"),
    ],
)
def test_faults_are_named(query: Any, code: str) -> None:
    with pytest.raises(ToolError) as caught:
        ask(query)
    assert caught.value.code == code


def test_a_sum_over_text_names_the_column() -> None:
    with pytest.raises(ToolError, match="'t'"):
        ask({"aggregate": [{"op": "sum", "field": "t"}]})


def test_an_empty_list_has_no_rows_and_no_faults() -> None:
    assert ask({"select": ["a"], "order_by": ["a"]}, [])["rows"] == []


numbers = st.none() | st.integers(-(10**20), 10**20) | st.decimals(-99, 99, places=2)
small = st.none() | st.integers(-2, 2) | st.sampled_from(["a", "b", "京"]) | st.booleans()
rows = st.lists(
    st.fixed_dictionaries({}, optional={"k": small, "n": numbers}), min_size=1, max_size=40
)


@given(rows)
def test_groups_say_what_a_plain_loop_says(values: Any) -> None:
    values = [*values, {"k": "a", "n": 1}]
    ops = ("count", "sum", "avg", "min", "max")
    query = {
        "group_by": ["k"],
        "aggregate": [{"op": "count"}, *({"op": op, "field": "n"} for op in ops)],
    }
    expected = group(values, "k", "n")
    assert ask(query, values)["rows"] == expected


@given(rows)
def test_orders_say_what_a_plain_sort_says(values: Any) -> None:
    values = [*values, {"k": "a", "n": 1}]
    found = ask({"select": ["k", "n"], "order_by": ["k"]}, values)["rows"]
    plain = sorted(values, key=lambda row: sort_key(row.get("k")))
    assert found == [{"k": row.get("k"), "n": row.get("n")} for row in plain]

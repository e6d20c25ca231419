"""Pages of an answer: every row is on exactly one of them, as short texts."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import ToolError
from backend.results.asking import MAX_COLUMNS, Leaf, Question, leaf_through, leaf_value
from backend.results.document import Document

ROWS = [{"n": n, "city": "北京" if n % 2 else "上海"} for n in range(10)]


def leaf(value: Any, path: str | None, query: str | None = None, start: int = 0) -> Leaf:
    return leaf_through(Document.of(value), Question(path, query, start, 4))


def test_a_list_of_objects_is_a_table() -> None:
    found = leaf(ROWS, "rows[?n>=3]", start=4)
    assert (found.columns, found.start, found.total) == (("n", "city"), 4, 7)
    assert found.rows == (("7", "北京"), ("8", "上海"), ("9", "北京"))


def test_a_query_is_leafed_through_within_its_own_limit() -> None:
    found = leaf(ROWS, None, '{"select": ["n"], "order_by": ["-n"], "limit": 6}', 4)
    assert (found.rows, found.total) == ((("5",), ("4",)), 6)
    groups = leaf(ROWS, None, '{"group_by": ["city"], "aggregate": [{"op": "count"}]}')
    assert sorted(groups.rows) == [("上海", "5"), ("北京", "5")]


@pytest.mark.parametrize(
    ("value", "path", "columns", "rows"),
    [
        ({"a": {"x": 1, "y": [2]}}, "a", ("key", "value"), (("x", "1"), ("y", "[2]"))),
        ({"a": "text"}, "a", ("value",), (("text",),)),
        ({"a": 1.50}, "a", ("value",), (("1.5",),)),
        ({"a": None}, "a", ("value",), (("null",),)),
        ([1, "b", None], "rows", ("value",), (("1",), ("b",), ("null",))),
        ([{"a": 1}, {"b": 2}], "rows", ("a", "b"), (("1", ""), ("", "2"))),
        ([], "rows", ("value",), ()),
        ([{"a": 1}], "rows.length", ("value",), (("1",),)),
    ],
)
def test_any_value_is_shown(value: Any, path: str, columns: Any, rows: Any) -> None:
    found = leaf(value, path)
    assert (found.columns, found.rows) == (columns, rows) or not rows


def test_what_is_long_is_cut_and_what_is_wide_is_counted() -> None:
    wide = leaf_value([{f"k{n}": "x" * 5000 for n in range(50)}], 0, 1)
    assert (len(wide.columns), wide.omitted) == (MAX_COLUMNS, 10)
    assert max(map(len, wide.rows[0])) == 200
    assert wide.size < 60 * 200


def test_refusals_are_those_of_the_tool() -> None:
    with pytest.raises(ToolError, match="no field 'm'"):
        leaf(ROWS, "rows[*].m")
    with pytest.raises(ToolError) as refused:
        leaf(ROWS, None, "{")
    assert refused.value.code == "BAD_QUERY"


@given(st.lists(st.integers() | st.text(max_size=3) | st.none()), st.integers(1, 7))
def test_pages_put_together_are_the_whole(values: list[Any], size: int) -> None:
    whole = leaf_value(values, 0, len(values) + 1).rows
    pages = [leaf_value(values, start, size).rows for start in range(0, len(values), size)]
    assert tuple(row for page in pages for row in page) == whole
    assert leaf_value(values, len(values), size).rows == ()

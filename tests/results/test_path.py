"""Paths: what the grammar knows, what it refuses and where, what steps lead to."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import ToolError
from backend.results.asking import MAX_TOKENS, pack_value
from backend.results.document import Document, read_path
from backend.results.handle import ResultError
from backend.results.rows import Rows
from backend.results.values import fits, parse_json, write_json
from tests.results.oracle import compare

NESTED = parse_json(
    """{"meta": {"来源": "海关", "a.b": {"c]": 1.50}, "length": 7, "empty": []},
        "grid": [[1, 2], [3, 4, 5], []],
        "items": [
          {"id": 1, "tags": ["x", "y"], "at": {"city": "北京"}, "n": 1},
          {"id": 2, "tags": [], "at": null, "n": 1.0},
          {"id": 3, "at": {"city": "上海", "zip": "2"}, "n": "1"},
          "stray", {"id": 4, "n": true}, {"id": 5, "n": null}]}"""
)


def ask(path: str, value: Any = NESTED) -> Any:
    found = read_path(Document.of(value), path)
    return list(found) if isinstance(found, Rows) else found


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("meta.来源", "海关"),
        ('meta["a.b"]["c]"]', parse_json("1.50")),
        ('["meta"] . 来源', "海关"),
        ("meta.length", 4),
        ('meta["length"]', 7),
        ("meta.来源.length", 2),
        ("meta.来源[0:1]", "海"),
        ("meta.empty[*].x", []),
        ("grid[1][-1]", 5),
        ("grid[-1]", []),
        ("grid[0:99]", [[1, 2], [3, 4, 5], []]),
        ("grid[2:1]", []),
        ("grid[1:][0]", [3, 4, 5]),
        ("grid[*].length", 3),
        ("items.length", 6),
        ("items[*].id", [1, 2, 3, 4, 5]),
        ("items[*].at.city", ["北京", "上海"]),
        ("items[*].at.city[0]", "北京"),
        ("items[1:3].tags", [[]]),
        ("items[0].tags[ - 1 ]", "y"),
        ("items[?n==1].id", [1, 2]),
        ('items[?n=="1"].id', [3]),
        ("items[?n==true].id", [4]),
        ("items[?n==null].id", [5]),
        ("items[?n!=1].id", [3, 4, 5]),
        ("items[?n>=0].id", [1, 2]),
        ('items[?n<"2"].id', [3]),
        ('items[ ? at . city == "北京" || ( id > 4 ) ] . id', [1, 5]),
        ("items[?!(id<4)].id", [4, 5]),
        ("items[?!id<4 && id!=5].id", [4]),
        ("items[?tags.length==2].id", [1]),
        ('items[?tags[0]=="x"].id', [1]),
        ("items[?tags==[]].id", [2]),
        ('items[?at["city"]=="上海"][0].at.zip', "2"),
        ("items[?id>99].id", []),
        ("items[?nothing==1]", []),
    ],
)
def test_what_paths_lead_to(path: str, value: Any) -> None:
    assert ask(path) == value


@pytest.mark.parametrize(
    ("path", "position"),
    [
        ("", 0),
        (".meta", 0),
        ("meta.", 5),
        ("meta..x", 5),
        ("meta x", 5),
        ("grid[", 5),
        ("grid[]", 5),
        ("grid[1", 6),
        ("grid[1.5]", 6),
        ("grid[1:2:3]", 8),
        ("grid[a]", 5),
        ("meta['a']", 5),
        ('meta["a]', 5),
        ("items[?]", 7),
        ("items[?id]", 9),
        ("items[?id=1]", 9),
        ("items[?id==]", 11),
        ("items[?id==x]", 11),
        ("items[?id==NaN]", 11),
        ("items[?(id==1]", 13),
        ("items[?id==1 && ]", 16),
        ("items[?1==id]", 8),
        ("items[?at[*]==1]", 10),
        ("meta" + ".a" * 65, 4 + 2 * 64),
        ("a" * 4097, 4096),
        ("items[?" + "(" * 2000, 7 + 65),
        ("items[?" + "!" * 2000, 7 + 65),
        ("items[?id==" + "[" * 4000, 11),
    ],
)
def test_what_the_grammar_refuses(path: str, position: int) -> None:
    with pytest.raises(ResultError) as caught:
        ask(path)
    assert caught.value.code == "BAD_PATH"
    if path != "items[?1==id]":
        assert caught.value.as_json()["error"]["position"] == position


def test_the_longest_paths_that_may_be() -> None:
    value: Any = 1
    for _ in range(64):
        value = {"a": value}
    assert ask("a" + ".a" * 63, value) == 1
    assert ask("rows" + "[0:]" * 64, [1]) == [1]


@pytest.mark.parametrize(
    ("path", "code", "allowed"),
    [
        ("itens", "NO_SUCH_FIELD", "items"),
        ("items[0].idd", "NO_SUCH_FIELD", "id"),
        ("items[*].tagz", "NO_SUCH_FIELD", "tags"),
        ("items.id", "NO_SUCH_FIELD", None),
        ("items[0].id.x", "NO_SUCH_FIELD", None),
        ("items[0].id.length", "NO_SUCH_FIELD", None),
        ("items[6]", "INDEX_OUT_OF_RANGE", None),
        ("items[-7]", "INDEX_OUT_OF_RANGE", None),
        ("meta.empty[0]", "INDEX_OUT_OF_RANGE", None),
        ("meta.来源[2]", "INDEX_OUT_OF_RANGE", None),
        ("meta[*]", "NOT_A_LIST", None),
        ("items[0].id[?a==1]", "NOT_A_LIST", None),
    ],
)
def test_what_is_not_there(path: str, code: str, allowed: str | None) -> None:
    with pytest.raises(ToolError) as caught:
        ask(path)
    assert caught.value.code == code
    assert len(caught.value.allowed) <= 10
    if allowed is not None:
        assert caught.value.allowed[0] == allowed


def test_refusals_speak_both_languages() -> None:
    with pytest.raises(ResultError) as caught:
        ask("items[0].idd")
    assert "idd" in caught.value.message
    assert "字段" in caught.value.say("zh-CN").message


def test_names_that_are_told_are_short() -> None:
    with pytest.raises(ToolError) as caught:
        ask("x", {"k" * 1_000_000: 1, "键": 2})
    assert all(len(name) <= 60 for name in caught.value.allowed)


def test_bare_values_have_a_name_of_their_own() -> None:
    assert ask("rows[1]", [1, 2]) == 2
    assert ask("value[0:2]", "北京市") == "北京"
    assert ask("rows", {"rows": 5}) == 5


numbers = st.integers(-5, 5) | st.decimals(-3, 3, places=1, allow_nan=False)
scalars = st.none() | st.booleans() | numbers | st.sampled_from(["", "a", "b", "é", "北京"])
rows = st.lists(
    st.dictionaries(st.sampled_from(["a", "b", "键"]), scalars) | st.just("stray"), max_size=30
)


@given(rows, st.sampled_from(["a", "键"]), st.sampled_from(["==", "!=", "<", ">="]), scalars)
def test_filters_say_what_a_plain_loop_says(values: Any, key: str, op: str, literal: Any) -> None:
    if type(literal) in {bool, type(None)}:
        op = "=="
    found = ask(f"rows[? {key} {op} {write_json(literal)} ]", values)
    assert found == [row for row in values if compare(row, key, op, literal)]


def test_filters_in_a_row_are_one() -> None:
    assert ask("items[?id>1][?id<4][?n==1].id") == [2]
    assert ask("rows" + "[?a!=1]" * 64, [{"a": 1}, {"a": 2}]) == [{"a": 2}]


PIECES = [
    "items",
    "id",
    "n",
    "at",
    "length",
    ".",
    "[",
    "]",
    "[*]",
    "[?",
    "(",
    ")",
    "!",
    "&&",
    "||",
    "==",
    "<=",
    "0",
    "-1",
    ":",
    "1e999",
    '"',
    '"a.b"',
    "null",
    "[]",
    "{}",
    "来源",
]
pieces = st.sampled_from([*PIECES, " ", "\ud800"])


@given(st.lists(pieces, max_size=25).map("".join))
def test_pieces_of_paths_in_any_order_are_a_path_or_a_refusal(text: str) -> None:
    for path in (text, f"items[?{text}]", f"items[?id>1{text}"):
        try:
            packed = pack_value(read_path(Document.of(NESTED), path), "en")
        except ToolError as error:
            assert error.as_json()["error"]["message"]  # noqa: PT017 - most are refused
        else:
            assert fits(packed, MAX_TOKENS)


@given(st.text(max_size=40))
def test_any_text_is_a_path_or_a_refusal(text: str) -> None:
    for path in (text, f"items[?{text}]", f"items[*]{text}"):
        try:
            ask(path)
        except ToolError as error:
            assert error.code in {  # noqa: PT017 - most texts are refused
                "BAD_PATH",
                "NO_SUCH_FIELD",
                "INDEX_OUT_OF_RANGE",
                "NOT_A_LIST",
            }

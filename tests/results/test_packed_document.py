"""The stored form answers as values at hand do: the cases, awkward rows, wide rows, long texts."""

from typing import Any

import pytest

from backend.errors import ToolError
from backend.results.asking import answer, write_whole
from backend.results.document import Document
from backend.results.packed_document import DocumentWriter, open_document
from backend.results.summary import summarize
from backend.results.values import parse_json, write_json
from tests.results.cases import NAMES, assert_packed, assert_within, read_case, read_rows

AWKWARD = parse_json(
    """[{"a.b": 1, "c]d": {"x": [1, [2, 3]]}, "键": "京", "n": 1.50, "m": 1, "t": true},
        {"a.b": null, "键": "京", "n": 2, "m": "1", "t": false},
        [1, 2], null, "text", 5,
        {"n": -0.0, "m": {"deep": {"deeper": 1}}, "extra": 1e30},
        {"c]d": {"x": []}, "n": 123456789012345678901234567890, "m": null}]"""
)
QUESTIONS: list[tuple[str | None, Any]] = [
    ('rows[*]["a.b"]', None),
    ('rows[*]["c]d"].x', None),
    ('rows[*]["c]d"].x[0][1][0]', None),
    ('rows[?键=="京"].n', None),
    ("rows[?m==1].n", None),
    ('rows[?m!="1"]', None),
    ("rows[?m==null].n", None),
    ("rows[?n>1]", None),
    ("rows[?n>1.5 || t==true].n", None),
    ("rows[*].m.deep.deeper", None),
    ("rows[?m.deep.deeper==1].extra", None),
    ("rows[2][1]", None),
    ("rows[-1].n", None),
    ("rows[1:4]", None),
    ("rows[*].nope", None),
    ("rows[?nope==1].n", None),
    (None, {"group_by": ["键", "t"], "aggregate": [{"op": "count"}, {"op": "sum", "field": "n"}]}),
    (None, {"group_by": ["m"], "aggregate": [{"op": "min", "field": "n"}]}),
    (None, {"select": ["m.deep.deeper", "n"], "order_by": ["-n"]}),
    (None, {"order_by": ["m", "-键"]}),
    (None, {"aggregate": [{"op": "sum", "field": "m"}]}),
    (None, {"where": [{"field": '["a.b"]', "op": "==", "value": None}], "select": ["n"]}),
]


def store(text: str, **sizes: int) -> Document:
    writer = DocumentWriter([text.encode()], **sizes)
    return open_document(dict(writer.write()).__getitem__)


def ask(document: Document, path: str | None, query: Any) -> str:
    try:
        return write_whole(document, path, query)[0]
    except ToolError as error:
        return write_json(error.as_json())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rows", [70, 32_768])
def test_the_cases_from_the_stored_form(name: str, rows: int) -> None:
    document, case = store(read_rows(name), block_rows=rows, inline_bytes=0), read_case(name)
    assert_within(case["summary"], summarize(document))
    for asked in case["paths"]:
        found = parse_json(ask(document, asked["path"], None))
        if "error" in asked:
            assert found["error"]["code"] == asked["error"]
        else:
            assert found == {"value": asked["value"]}
    for asked in case["structured"]:
        assert parse_json(ask(document, None, asked["query"]))["rows"] == asked["rows"]
    assert_packed(answer(document, case["packed"]["path"], None, "en")[0], case["packed"])


@pytest.mark.parametrize("rows", [1, 2, 3, 100])
@pytest.mark.parametrize(("path", "query"), QUESTIONS)
def test_awkward_rows_answer_alike(rows: int, path: str | None, query: Any) -> None:
    stored = store(write_json(AWKWARD), block_rows=rows, inline_bytes=0)
    assert ask(stored, path, query) == ask(Document.of(AWKWARD), path, query)


def test_lists_within_an_object_are_stored_in_blocks_too() -> None:
    value = {"meta": {"n": 2}, "result": {"records": [{"k": n} for n in range(50)], "ok": True}}
    document = store(write_json(value), block_rows=7, inline_bytes=0)
    assert document.place == ("result", "records")
    assert ask(document, "result.records[?k>=48].k", None) == '{"value":[48,49]}'
    assert ask(document, "result", None) == ask(Document.of(value), "result", None)
    assert answer(document, "result", None, "en")[0]["first"][1] == {"ok": True}
    assert ask(document, "result.ok", None) == '{"value":true}'
    assert ask(document, "result.records", None) == ask(Document.of(value), "result.records", None)
    assert parse_json(ask(document, None, {"aggregate": [{"op": "max", "field": "k"}]}))[
        "rows"
    ] == [{"max_k": 49}]


def test_long_lists_of_no_objects_leave_the_root_as_the_row() -> None:
    value = {"name": "京", "numbers": list(range(1000)), "grid": [[n, n] for n in range(500)]}
    document = store(write_json(value), inline_bytes=0)
    assert summarize(document) == summarize(Document.of(value))
    for path, query in (
        ("numbers[-1]", None),
        ("grid[499][0]", None),
        (None, {"select": ["name"]}),
    ):
        assert ask(document, path, query) == ask(Document.of(value), path, query)
    query = {"select": ["numbers"]}
    assert ask(document, None, query) == ask(Document.of(value), None, query)


def test_ten_thousand_columns() -> None:
    rows = [{f"列{n}": n * row for n in range(10_000)} for row in range(1, 4)]
    document = store(write_json(rows))
    assert ask(document, "rows[*].列9999", None) == '{"value":[9999,19998,29997]}'
    assert ask(document, "rows[?列9999>10000].列1", None) == '{"value":[2,3]}'
    assert parse_json(ask(document, None, {"aggregate": [{"op": "sum", "field": "列300"}]}))[
        "rows"
    ] == [{"sum_列300": 1800}]
    error = parse_json(ask(document, "rows[0].列10000", None))["error"]
    assert error["code"] == "NO_SUCH_FIELD"
    assert len(error["allowed"]) == 10
    assert summarize(document) == summarize(Document.of(rows))


def test_texts_of_a_megabyte() -> None:
    rows = [{"id": n, "text": "京" * 1_000_000} for n in range(4)]
    document = store(write_json(rows))
    assert ask(document, "rows[?text.length==1000000].id", None) == '{"value":[0,1,2,3]}'
    packed, _ = answer(document, "rows[2].text", None, "zh-CN")
    assert packed["total"] == 1_000_000
    assert summarize(document)["columns"]["text"]["type"] == "enum"

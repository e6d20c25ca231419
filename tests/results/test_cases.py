"""The acceptance cases, right to the last digit, on values at hand."""

from typing import Any

import pytest

from backend.errors import ToolError
from backend.results.asking import MAX_TOKENS, pack_page, pack_value
from backend.results.document import Document, read_path
from backend.results.query import run_query
from backend.results.rows import Rows
from backend.results.summary import summarize
from backend.results.values import count_tokens, parse_json, write_json
from tests.results.cases import NAMES, assert_packed, assert_within, read_case, read_rows


@pytest.fixture(scope="module", params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def document(name: str) -> Document:
    return Document.of(parse_json(read_rows(name)))


@pytest.fixture(scope="module")
def case(name: str) -> dict[str, Any]:
    return read_case(name)


def test_the_summary(document: Document, case: dict[str, Any]) -> None:
    summary = summarize(document, {"city": "北京"})
    assert_within(case["summary"], summary)
    assert summary["filters"] == {"city": "北京"}
    assert summary["range"] == {"created_at": case["summary"]["columns"]["created_at"]}
    assert count_tokens(write_json(summary)) <= 400


def test_paths(document: Document, case: dict[str, Any]) -> None:
    for asked in case["paths"]:
        if "error" in asked:
            with pytest.raises(ToolError) as caught:
                read_path(document, asked["path"])
            assert caught.value.code == asked["error"]
            continue
        value = read_path(document, asked["path"])
        assert (list(value) if isinstance(value, Rows) else value) == asked["value"]


def test_structured_queries(document: Document, case: dict[str, Any]) -> None:
    for asked in case["structured"]:
        page = run_query(document, asked["query"])
        rows = list(page["rows"])
        assert rows == asked["rows"]
        assert [list(row) for row in rows] == [list(row) for row in asked["rows"]]
        assert page["returned"] == len(rows)
        whole = {**page, "rows": rows}
        assert pack_page(page, "en") == whole


def test_a_long_answer_is_cut(document: Document, case: dict[str, Any]) -> None:
    packed = case["packed"]
    answer = pack_value(read_path(document, packed["path"]), "zh-CN")
    assert_packed(answer, packed)
    assert count_tokens(write_json(answer)) <= MAX_TOKENS

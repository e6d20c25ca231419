"""`waypool results`: the acceptance cases through the command line, exit statuses, one line a fault."""

from pathlib import Path

import pytest

from backend.results.values import parse_json, write_json
from tests.cli.conftest import Waypool
from tests.results.cases import FOLDER, NAMES, assert_packed, assert_within, read_case

pytestmark = pytest.mark.sql


def put(waypool: Waypool, source: Path) -> str:
    finished = waypool("results", "put", source, "--json")
    assert finished.status == 0, finished.err
    return str(finished.json["handle"])


@pytest.mark.parametrize("name", NAMES)
def test_the_cases(waypool: Waypool, name: str) -> None:
    case = read_case(name)
    stored = waypool("results", "put", FOLDER / name / "rows.json", "--json")
    document = parse_json(stored.out)
    assert set(document) == {"handle", "state", "summary", "hint"}
    assert_within(case["summary"], document["summary"])
    handle = document["handle"]
    for asked in case["paths"]:
        finished = waypool("results", "query", handle, asked["path"], "--full", "--json")
        if "error" in asked:
            assert finished.status == 1
            assert finished.json["error"]["code"] == asked["error"]
            assert finished.err.count("\n") == 1
        else:
            assert finished.status == 0
            assert parse_json(finished.out) == {"value": asked["value"]}
    for asked in case["structured"]:
        query = write_json(asked["query"])
        finished = waypool("results", "query", handle, "--query", query, "--json")
        assert parse_json(finished.out)["rows"] == asked["rows"]
    packed = waypool("results", "query", handle, case["packed"]["path"], "--json")
    assert_packed(parse_json(packed.out), case["packed"])


def test_a_small_result_is_stored_as_well(waypool: Waypool, tmp_path: Path) -> None:
    file = tmp_path / "small.json"
    file.write_text('[{"价格": 1.10}]', encoding="utf-8")
    handle = put(waypool, file)
    assert waypool("results", "query", handle, "rows[0].价格").out == '{"value":1.10}\n'
    finished = waypool("results", "put", file)
    assert "1 rows" in finished.out
    assert "价格" in finished.out


def test_what_is_refused(waypool: Waypool, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text("[1, 2", encoding="utf-8")
    finished = waypool("results", "put", file, "--json")
    assert finished.status == 1
    assert finished.json["error"]["code"] == "BAD_JSON"
    assert waypool("results", "put", tmp_path / "none.json").status == 1
    file.write_text("[1, 2]", encoding="utf-8")
    handle = put(waypool, file)
    assert waypool("results", "query", handle).status == 2
    assert waypool("results", "query", handle, "rows", "--query", "{}").status == 2
    bad = waypool("results", "query", handle, "--query", "{", "--json")
    assert (bad.status, bad.json["error"]["code"]) == (1, "BAD_QUERY")


def test_a_foreign_handle_is_an_unknown_one(waypool: Waypool, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text("[1, 2]", encoding="utf-8")
    handle = put(waypool, file)
    unknown = waypool("results", "query", "res_unknown", "rows", "--json")
    foreign = waypool("results", "query", handle, "rows", "--tenant", "two", "--json")
    assert unknown.status == foreign.status == 1
    assert (unknown.out, unknown.err) == (foreign.out, foreign.err)
    assert unknown.json["error"]["code"] == "NO_SUCH_HANDLE"


def test_listing_pinning_deleting(waypool: Waypool, tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text("[1, 2]", encoding="utf-8")
    first, second = put(waypool, file), put(waypool, file)
    page = waypool("results", "list", "--limit", 1, "--json").json
    assert [item["id"] for item in page["items"]] == [second]
    rest = waypool("results", "list", "--cursor", page["next_cursor"], "--json").json
    assert [item["id"] for item in rest["items"]] == [first]
    assert waypool("results", "pin", first).status == 0
    assert waypool("results", "delete", first).status == 0
    assert waypool("results", "delete", first).status == 1
    assert waypool("results", "expire", "--json").json == {"expired": 0}

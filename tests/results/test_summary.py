"""Summaries: types of columns, exact figures, at most 400 tokens whatever the data."""

from decimal import Decimal
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.results.document import Document
from backend.results.summary import summarize
from backend.results.values import count_tokens, parse_json, write_json
from tests.random_inputs import count_examples


def describe(text: str) -> dict[str, Any]:
    summary = summarize(Document.of(parse_json(text)))
    columns = summary["columns"]
    assert isinstance(columns, dict)
    return columns


def test_types_of_columns() -> None:
    columns = describe(
        """[{"n": 1, "f": 2.50, "e": "b", "b": true, "d": "2026-05-01", "m": 1, "o": {"x": 1}, "z": null},
            {"n": null, "f": -1.345, "e": "a", "b": true, "d": "2026-04-30T23:00:00+08:00", "m": "x", "o": [1]},
            {"f": 1, "e": "a", "b": false, "d": "2026-05-02"}]"""
    )
    assert write_json(columns["n"]) == (
        '{"type":"number","min":1,"max":1,"sum":1,"avg":1.00,"empty":2}'
    )
    assert write_json(columns["f"]) == (
        '{"type":"number","min":-1.345,"max":2.50,"sum":2.155,"avg":0.72}'
    )
    assert columns["e"] == {"type": "enum", "distinct": 2, "top": [["a", 2], ["b", 1]]}
    assert columns["b"] == {"type": "enum", "distinct": 2, "top": [[True, 2], [False, 1]]}
    assert columns["d"] == {
        "type": "date",
        "first": "2026-04-30T23:00:00+08:00",
        "last": "2026-05-02",
    }
    assert columns["m"] == {"type": "mixed", "types": {"number": 1, "text": 1}, "empty": 1}
    assert columns["o"] == {"type": "object", "empty": 1}
    assert columns["z"] == {"type": "mixed", "empty": 3}


def test_half_up_and_the_most_precise_value() -> None:
    column = describe('[{"n": -0.005}, {"n": -0.005}, {"n": 10}, {"n": -10}]')["n"]
    assert write_json(column) == '{"type":"number","min":-10,"max":10,"sum":-0.010,"avg":0.00}'
    assert write_json(describe('[{"n": 0.01}, {"n": 0.02}]')["n"]["avg"]) == "0.02"
    assert write_json(describe('[{"n": -0.01}, {"n": -0.02}]')["n"]["avg"]) == "-0.02"


def test_more_than_eight_texts_are_text_and_lengths_are_code_points() -> None:
    rows = [{"t": "京" * n + "😀"} for n in range(9)]
    assert describe(write_json(rows))["t"] == {"type": "text", "min_length": 1, "max_length": 9}
    assert describe(write_json(rows[:8]))["t"]["type"] == "enum"


def test_no_real_date_is_no_date() -> None:
    assert describe('[{"d": "2026-02-30"}]')["d"]["type"] == "enum"
    assert describe('[{"d": "20260101"}]')["d"]["type"] == "enum"


def test_numbers_beyond_all_bounds_are_no_trap() -> None:
    column = describe('[{"n": 1e999999999}, {"n": 1}, {"n": -1e-999999999}]')["n"]
    assert column["sum"] is None
    assert column["avg"] is None
    assert write_json(column["max"]) == "1E+999999999"


def test_the_table_is_the_longest_list_of_objects() -> None:
    summary = summarize(Document.of({"ok": True, "result": {"records": [{"a": 1}, {"a": 2}]}}))
    assert summary["rows"] == 2
    assert list(summary["columns"]) == ["a"]


def test_other_roots() -> None:
    assert summarize(Document.of([[1, 2], [3]]))["rows"] == 2
    assert summarize(Document.of({"a": 1, "b": "x"}))["columns"].keys() == {"a", "b"}
    assert summarize(Document.of("text"))["rows"] == 1
    assert summarize(Document.of([]))["rows"] == 0


def test_400_tokens_whatever_the_data() -> None:
    wide = [{f"column {n} 列": n for n in range(10_000)}]
    long = [{"k" * 1_000_000: "v" * 1_000_000, "b": 1}]
    texts = [{f"t{n}": "京" * 100 for n in range(10)} for _ in range(3)]
    for value in (wide, long, texts, [{"键": {"a": {"b": ["c" * 1000] * 1000}}}] * 3):
        summary = summarize(Document.of(value), {"q": "x" * 10_000})
        assert count_tokens(write_json(summary)) <= 400
    summary = summarize(Document.of(wide))
    assert summary["columns_omitted"] == 10_000 - len(summary["columns"])
    assert summary["columns"]
    assert summary["sample"] == []


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@settings(max_examples=count_examples(40), suppress_health_check=[HealthCheck.too_slow])
@given(values)
def test_any_value_has_a_summary_that_is_json(value: Any) -> None:
    text = write_json(summarize(Document.of(value)))
    parse_json(text)
    assert count_tokens(text) <= 400


def test_a_monstrous_column_leaves_room_for_the_others() -> None:
    rows = [{"k" * 1_000_000: n, "b": n, "c": Decimal("1e400")} for n in range(3)]
    summary = summarize(Document.of(rows))
    assert list(summary["columns"]) == ["b"]
    assert summary["columns_omitted"] == 2

"""What a source may say is checked when it is written, each fault with its place."""

from typing import Any

import pytest

from backend.sources.binding import compile_pattern
from backend.sources.choosing import SourceError
from backend.sources.projection import project
from backend.sources.queries import BadSourceError, parse_source
from tests.sources.specs import make_source, make_spec

COLUMNS = {"day": {"type": "text"}, "n": {"type": "integer"}}


def with_parts(parts: dict[str, Any], **table: Any) -> dict[str, Any]:
    return make_spec(projection={"tables": {"t": {"columns": COLUMNS, **table}}, "parts": parts})


@pytest.mark.parametrize(
    ("spec", "place"),
    [
        (make_spec("ftp://a.test/"), "the source"),
        (make_spec("http://{host}/", arguments=[{"name": "host", "description": "x"}]), "source"),
        (make_spec("http://u:p@a.test/"), "the source"),
        (make_spec("http://a.test/{day}"), "the source"),
        (make_spec(name="No Name"), "name"),
        (make_spec(format="pdf"), "format"),
        (make_spec(max_bytes=10**12), "max_bytes"),
        (make_spec(code="import os"), "code"),
        (make_spec(timezone="Mars/Base"), "timezone"),
        (make_spec(encoding="klingon"), "encoding"),
        (make_spec(delimiter='"'), "delimiter"),
        (with_parts({"p": {"table": "t"}}, range="day"), "projection.tables.t"),
        (
            with_parts({"p": {"table": "t"}}, covers={"arg": "day", "column": "day"}),
            "projection.tables.t",
        ),
        (with_parts({"p": {"table": "u"}}), "projection"),
        (with_parts({"p": {"table": "t", "query": {"group_by": ["x"]}}}), "projection"),
        (with_parts({"p": {"table": "t", "query": {"eval": "1"}}}), "projection"),
        (with_parts({"p": {"path": "a[?"}}), "projection.parts.p.path"),
        (with_parts({"p": {"table": "t"}}, range="x"), "projection.tables.t"),
        (with_parts({"p": {"table": "t"}}, where=[{"field": "n"}]), "projection.tables.t"),
        (
            with_parts(
                {"p": {"table": "t", "query": {"where": [{"field": "n", "op": "==", "value": {"arg": "x"}}]}}}
            ),
            "the source",
        ),
        (
            with_parts({"p": {"table": "t"}}, extract={"key": "a", "patterns": ["{a}{b}"]}),
            "projection.tables.t.extract",
        ),
    ],
)  # fmt: skip
def test_what_could_not_work_is_refused(spec: dict[str, Any], place: str) -> None:
    with pytest.raises(BadSourceError) as caught:
        parse_source(spec)
    assert any(place in line for line in caught.value.details), caught.value.details


def source_over(query: dict[str, Any], day: dict[str, Any]) -> Any:
    table = {"from": "rows", "columns": {"day": day, "n": {"type": "integer"}}}
    parts = {"rows": {"table": "t", "query": query}}
    return make_source(format="csv", projection={"tables": {"t": table}, "parts": parts})


CSV = b"day,n\n" + b"".join(b"%02d-%02d-2031,1\n" % (d, m) for m in (1, 2) for d in range(1, 29))


@pytest.mark.parametrize(
    "query",
    [
        {"order_by": ["day"]},
        {"order_by": ["-n", "day"]},
        {"aggregate": [{"op": "max", "field": "day"}]},
        {"where": [{"field": "day", "op": ">", "value": "05-01-2031"}]},
        {"group_by": ["day"], "aggregate": [{"op": "count"}], "order_by": ["-day"]},
    ],
)
def test_dates_that_are_only_text_have_no_order(query: dict[str, Any]) -> None:
    with pytest.raises(SourceError) as caught:
        project(source_over(query, {"type": "text"}), CSV, {})
    assert caught.value.code == "UNTYPED_DATE"
    typed = source_over(query, {"type": "date", "format": "%d-%m-%Y"})
    assert project(typed, CSV, {}).answer["rows"]


def test_patterns_are_linear_and_read_what_stands_between() -> None:
    pattern = compile_pattern("{station} - {kind}: {value} at {when}")
    assert pattern.read("A/B - Road: 3 at noon - or so") == {
        "station": "A/B",
        "kind": "Road",
        "value": "3",
        "when": "noon - or so",
    }
    assert pattern.read("A/B - Road 3") is None
    assert compile_pattern("<{a}>").read("<x>>") == {"a": "x>"}
    assert compile_pattern("ab{x}ba").read("aba") is None
    many = compile_pattern("-".join(f"{{f{n}}}" for n in range(20)))
    assert many.read("-" * 1_000_000 + "x") is not None

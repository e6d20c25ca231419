"""The audit finds what a table says twice or not at all, and counts every byte of the file."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.errors import ConfigurationError
from backend.sources.audit.report import audit, describe_audit
from backend.sources.audit.table import read_table

POINTS = ("Airport", "Lo Wu", "Hung Hom")


def make_traffic(days: int = 30) -> bytes:
    """Counts at three points, one of them closed; a total, a copy, a code by name, a scale."""
    lines = ["\ufeffDate,Point,Residents,Visitors,Total,Again,Code,Region,Tenths,"]
    for day in range(1, days + 1):
        for n, point in enumerate(POINTS):
            a, b = (0, 0) if point == "Hung Hom" else (day * 7 + n, day * day % 11)
            cells = [f"{day:02d}-01-2026", point, a, b, a + b, a, f"P{n}", "HK", f"{a / 10}"]
            lines.append(",".join(map(str, [*cells, ""])))
    return ("\r\n".join(lines) + "\r\n").encode()


def find(report: dict[str, Any], column: str) -> list[dict[str, Any]]:
    return [found for found in report["findings"] if found["column"] == column]


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    return audit(make_traffic(), cut=600)


def test_the_columns_take_the_whole_file(report: dict[str, Any]) -> None:
    mark = 3
    assert sum(column["bytes"] for column in report["columns"]) + mark == report["bytes"]
    assert report["rows"] == 90


@pytest.mark.parametrize(
    ("column", "kind", "details"),
    [
        ("(column 10)", "empty", {}),
        ("Region", "constant", {"value": "HK"}),
        ("Again", "copy", {"of": "Residents"}),
        ("Total", "sum", {"of": ["Residents", "Visitors"]}),
        ("Code", "function", {"of": "Point"}),
        ("Tenths", "function", {"of": "Residents", "rule": "× 0.1"}),
    ],
)
def test_what_could_go_is_found(
    report: dict[str, Any], column: str, kind: str, details: dict[str, Any]
) -> None:
    found = find(report, column)[0]
    size = next(c["bytes"] for c in report["columns"] if c["name"] == column)
    assert found == {"column": column, "kind": kind, "bytes": size, **details}


def test_what_is_needed_stays(report: dict[str, Any]) -> None:
    for column in ("Date", "Point"):
        assert find(report, column) == []
    kinds = {found["kind"] for found in find(report, "Residents") + find(report, "Visitors")}
    assert kinds == {"constant_by_group"}


def test_a_closed_point_never_changes(report: dict[str, Any]) -> None:
    (found,) = find(report, "Visitors")
    assert found["by"] == "Point"
    assert found["groups"] == [{"value": "Hung Hom", "rows": 30, "constant": 0}]
    assert 0 < found["bytes"] < 90 * 3


def test_a_blunt_cut_is_told_with_what_it_loses(report: dict[str, Any]) -> None:
    content = make_traffic()
    whole = content[:600].count(b"\n") - 1
    cut = report["cut"]
    assert (cut["rows_kept"], cut["rows_lost"]) == (whole, 90 - whole)
    kept = content.splitlines()[whole].decode().split(",")
    assert (cut["last_row_kept"]["Date"], cut["last_row_kept"]["Point"]) == (kept[0], kept[1])
    assert cut["range"] == {"Date": {"first": "01-01-2026", "last": "30-01-2026"}}
    assert cut["range_kept"]["Date"] == {"first": "01-01-2026", "last": kept[0]}


def test_a_cut_within_the_first_row_keeps_nothing() -> None:
    cut = audit(make_traffic(), cut=70)["cut"]
    assert (cut["rows_kept"], cut["last_row_kept"]) == (0, None)
    assert cut["range_kept"] == {"Date": None}


def test_json_in_an_object_is_read_too() -> None:
    rows = [{"日期": f"2026-01-{n:02d}", "a": n, "b": [], "c": "x"} for n in range(1, 21)]
    text = json.dumps({"note": "[{", "data": {"rows": rows}}, ensure_ascii=False)
    content = text.encode()
    found = audit(content, cut=300)
    kinds = {f["column"]: f["kind"] for f in found["findings"]}
    assert kinds == {"b": "empty", "c": "constant"}
    whole = content[:300].count(b"}")
    assert (found["cut"]["rows_kept"], found["rows"]) == (whole, 20)
    assert found["cut"]["range_kept"]["日期"]["last"] == f"2026-01-{whole:02d}"


def test_a_report_for_people_names_every_column(report: dict[str, Any]) -> None:
    lines = list(describe_audit(report))
    for column in report["columns"]:
        assert any(column["name"] in line for line in lines)
    assert "loses" in lines[-1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty"),
        (b"\xff\xff\xff", "neither UTF-8"),
        (b'a,b\n"1,2\n', "quoted cell"),
        (b"[1, 2]", "no list of objects"),
        (b'{"a": [}', "not JSON"),
    ],
)
def test_what_is_no_table_is_refused_by_name(content: bytes, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        audit(content)


cells = st.text('ab ,;"\n\r客1.-', max_size=4)


@given(st.lists(st.lists(cells, min_size=2, max_size=2), min_size=2, max_size=6))
def test_any_cells_come_back_and_take_the_file(rows: list[list[str]]) -> None:
    rows[0] = ["first", "second"]
    quoted = [[f'"{cell.replace(chr(34), chr(34) * 2)}"' for cell in row] for row in rows]
    content = "\n".join(map(",".join, quoted)).encode()
    table = read_table(content)
    assert sum(column.size for column in table.columns) == len(content)
    assert table.ends[-1] == len(content)
    shown = [[column.values[n] for column in table.columns] for n in range(len(table.ends))]
    assert [[None if c is None else str(c) for c in row] for row in shown] == [
        [cell or None for cell in row] for row in rows[1:]
    ]

"""The context bench: its responses are as large as they should be, and its reader knows only its context."""

import re
from collections.abc import Iterable
from typing import Any

import pytest

from backend.agent.llm import ModelError
from backend.agent.prompt import SYSTEM
from backend.agent.replies import ScriptedLlm, says
from backend.bench.context.line import FOLLOW_UPS, ROWS, draw_line
from backend.bench.context.report import (
    REFERENCE,
    WANTED,
    ask_model,
    compare_strategies,
    describe_context,
    describe_model,
)
from backend.bench.context.responses import SIZES, Question, make_questions
from backend.bench.context.strategies import STRATEGIES, Asked, ask_sources, make_base, read_answer
from backend.bench.context.traffic import ROWS as CROSSINGS
from backend.bench.context.trip import measure_trip
from backend.guide.library import read_topic
from backend.settings import read_settings

GUIDE = read_topic("context-savings", "en")
BASE = make_base(SYSTEM["en"] * 2)


@pytest.fixture(scope="module")
def questions() -> list[Question]:
    return make_questions(3)


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    return compare_strategies(ask_sources(make_questions(7)), counts=(5, 15, 20))


def test_the_responses_have_the_sizes_of_the_measurement(questions: list[Question]) -> None:
    assert {each.source: len(each.raw) for each in questions} == SIZES


def test_the_table_of_crossings_has_the_shape_of_the_real_one(questions: list[Question]) -> None:
    content = questions[-1].raw.decode("utf-8-sig")
    rows = [line.split(",") for line in content.splitlines()[1:]]
    assert len(rows) == CROSSINGS == 61_744
    assert {len(row) for row in rows} == {8}
    assert {row[7] for row in rows} == {""}
    counts = [[int(cell) for cell in row[3:7]] for row in rows]
    assert all(sum(row[:3]) == row[3] for row in counts)
    assert 0.35 < sum(row[3] == 0 for row in counts) / len(rows) < 0.5


def test_only_the_cut_is_wrong_and_it_does_not_say_so(report: dict[str, Any]) -> None:
    found = report["strategies"]
    for name, _, _ in STRATEGIES[:-1]:
        assert found[name]["right"] == [True] * 6, name
    assert found["cut at 8 KB"]["right"] == [True, True, True, False, False, False]


def test_what_is_cut_off_the_reader_cannot_know(questions: list[Question]) -> None:
    for each in questions[3:]:
        cut = each.raw[:8192].decode(errors="ignore")
        assert read_answer(each.source, each.arguments, each.raw.decode()) == each.answer
        assert read_answer(each.source, each.arguments, cut) in (
            None,
            [],
            {"largest": [], "total": 0},
        )


def test_the_ratios_are_at_least_those_that_are_wanted(report: dict[str, Any]) -> None:
    bare, sent = report["ratios"].values()
    for key in REFERENCE:
        assert bare[key] >= REFERENCE[key]
        assert sent[key] >= WANTED[key]


def test_a_context_is_its_base_and_what_came_into_it(report: dict[str, Any]) -> None:
    full = report["strategies"]["full dump"]
    assert full["final_context"]["bytes"] == 2000 + sum(SIZES.values())
    assert full["rounds"] == 8
    sums = [2000 + sum(list(SIZES.values())[:n]) for n in range(7)]
    assert full["throughput"]["bytes"] == sum(sums) + sums[-1]


def test_whole_is_cheaper_below_the_line_and_a_handle_above(report: dict[str, Any]) -> None:
    few, near, many = report["line"]["lines"]
    assert few["rounds"]["6"]["whole"] < few["rounds"]["6"]["handle"]
    assert near["six_questions"]["whole"] < near["six_questions"]["handle"]
    assert many["six_questions"]["handle"] < many["six_questions"]["whole"]
    assert report["line"]["thresholds"]["all_rows_from"] is None
    threshold = report["line"]["thresholds"]["six_questions_from"]
    assert near["whole_tokens"] < 800 < threshold["tokens"]


def test_the_summary_answers_four_of_six() -> None:
    (line,) = draw_line(BASE, (8,))["lines"]
    assert line["summary_answers"] == ["how many", "total", "by status", "largest"]


def read_tables(text: str) -> list[list[list[str]]]:
    """All Markdown tables of a text, as rows of cells without the rule."""
    tables = re.findall(r"(?:^\|.*\|$\n?)+", text, re.M)
    return [
        [[c.strip() for c in line.strip("|").split("|")] for line in table.splitlines()]
        for table in tables
    ]


def heads(tables: Iterable[list[list[str]]]) -> list[tuple[list[str], list[str]]]:
    return [(table[0], [row[0] for row in table[2:]]) for table in tables]


def test_the_guide_shows_the_tables_that_the_command_prints(report: dict[str, Any]) -> None:
    part = GUIDE.split("<!-- context: begin -->")[1].split("<!-- context: end -->")[0]
    shown = heads(read_tables(part))
    printed = heads(read_tables("\n".join(describe_context(report))))
    assert [head for head, _ in shown if head[0] != "one trip"] == [head for head, _ in printed]
    firsts = {head[0]: first for head, first in shown}
    assert firsts["source"] == [f"`{name}`" for name in SIZES]
    assert firsts["strategy"] == [name for name, _, _ in STRATEGIES]
    assert len(firsts["ratio"]) == len(REFERENCE)
    assert firsts["rows"] == [f"{count:,}" for count in ROWS]
    assert firsts["one trip"] == ["pool pages", "rows of its cities", "whole catalogue"]
    for table in read_tables(part):
        assert all(re.search(r"\d", " ".join(row[1:])) for row in table[2:])


def test_six_follow_up_questions() -> None:
    assert len({follow_up.text for follow_up in FOLLOW_UPS}) == 6


@pytest.mark.sql
async def test_a_trip_by_pages_takes_less_than_the_rows_of_its_cities(server_url: str) -> None:
    trip = await measure_trip(server_url, read_settings())
    sizes = [
        trip[name]["final_context"]["tokens"]
        for name in ("pool pages", "rows of its cities", "whole catalogue")
    ]
    assert sizes == sorted(sizes)
    assert trip["whole catalogue"]["rows"] > 5000
    assert trip["pool pages"]["rounds"] > trip["whole catalogue"]["rounds"] > 1


SMALL = Question("hk_public_holidays", "Is it one?", {}, b"x " * 200_000, "National Day")


async def test_a_real_model_is_graded_and_not_asked_where_it_has_no_room() -> None:
    asked = [Asked(SMALL, '{"holidays": []}', "{}")]
    reply = says('Here you are: {"hk_public_holidays": "National Day"}.')
    found = await ask_model(ScriptedLlm([reply]), asked)
    assert found["full dump"] is None
    assert found["cut at 8 KB"]["right"] == [True]
    assert "sub-agent" not in found
    wrong = await ask_model(ScriptedLlm([says("no idea")]), asked)
    assert wrong["projection, as sent"]["right"] == [False]
    failed = await ask_model(ScriptedLlm([ModelError("gone")]), asked)
    assert failed["cut at 8 KB"]["error"] == "MODEL_FAILED"
    for answers in (found, failed):
        assert len(list(describe_model(answers))) == 2 + 4

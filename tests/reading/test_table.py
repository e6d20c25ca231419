"""Sixty sentences in two languages: how many of their fields the rules read right."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

import pytest

from backend.reading.sentence import read_sentence
from tests.reading.sentences import CHINESE, ENGLISH, KNOWN, TODAY

GOAL = 0.85
MARKED = {"start_date": "DATE_ASSUMED"}


def read(text: str) -> dict[str, Any]:
    return read_sentence(text, dt.date.fromisoformat(TODAY), KNOWN)


def _list_fields(request: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """A wish is a field of its own."""
    for name, value in request.items():
        if name == "wishes":
            yield from (("wishes", repr(sorted(wish.items(), key=str))) for wish in value)
        elif name != "locale":
            yield name, repr(value)


def compare(text: str, expected: dict[str, Any]) -> tuple[int, list[str]]:
    """Fields that should be there or are there, and which of them are wrong."""
    wanted, found = set(_list_fields(expected)), set(_list_fields(read(text)["request"]))
    names = {n for n, _ in wanted ^ found if n != "wishes"}
    wishes = [v for n, v in wanted ^ found if n == "wishes"]
    return len(wanted | {(n, "") for n, _ in found - wanted if n not in {w for w, _ in wanted}}), [
        *sorted(names),
        *wishes,
    ]


@pytest.mark.parametrize(
    "table",
    [CHINESE[:20], CHINESE[20:], ENGLISH[:20], ENGLISH[20:]],
    ids=["zh", "zh held out", "en", "en held out"],
)
def test_most_fields_are_read_right(table: list[tuple[str, dict[str, Any], set[str]]]) -> None:
    total = wrong = 0
    for text, expected, _ in table:
        count, faults = compare(text, expected)
        total, wrong = total + count, wrong + len(faults)
    assert 1 - wrong / total >= GOAL, f"{wrong} of {total}"


@pytest.mark.parametrize("sentence", [*CHINESE, *ENGLISH], ids=lambda s: s[0][:20])
def test_no_date_or_budget_is_taken_wrongly_without_a_mark(
    sentence: tuple[str, dict[str, Any], set[str]],
) -> None:
    text, expected, marks = sentence
    reading = read(text)
    codes = {w["code"] for w in reading["warnings"]}
    for field in ("start_date", "budget_total"):
        said = reading["request"].get(field)
        assert said in {None, expected.get(field)} or codes & {"DATE_ASSUMED", "BUDGET_ASSUMED"}
    assert ("DATE_ASSUMED" in codes) >= ("DATE_ASSUMED" in marks)
    assert "".join(span["text"] for span in reading["spans"]) == text

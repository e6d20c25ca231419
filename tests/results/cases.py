"""The acceptance cases: rows of a tool, and the right answers to questions about them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from backend.results.values import parse_json

FOLDER = Path(__file__).parent / "cases"
NAMES = ("results-200", "results-2000")


def read_rows(name: str) -> str:
    """The rows as the tool gave them."""
    return (FOLDER / name / "rows.json").read_text(encoding="utf-8")


def read_case(name: str) -> dict[str, Any]:
    """Questions and answers, with exact numbers."""
    case = parse_json((FOLDER / name / "queries.json").read_text(encoding="utf-8"))
    assert isinstance(case, dict)
    return case


def assert_within(part: Any, whole: Any) -> None:
    """Everything that `part` says, `whole` says too."""
    if isinstance(part, dict):
        for key, value in part.items():
            assert_within(value, whole[key])
    else:
        assert part == whole


def assert_packed(answer: dict[str, Any], packed: dict[str, Any]) -> None:
    """A cut answer draws on the first ten and last five elements alone."""
    assert set(answer) == {"truncated", "total", "first", "last", "hint"}
    assert answer["truncated"] is True
    assert answer["total"] == packed["total"]
    assert_is_prefix(answer["first"], packed["first"])
    assert_is_prefix(answer["last"][::-1], packed["last"][::-1])


def assert_is_prefix(part: Sequence[Any], whole: Sequence[Any]) -> None:
    """The part is how the whole begins, and not nothing."""
    assert part
    assert list(part) == list(whole[: len(part)])

"""Where the line is: what a result costs whole and behind a handle, by its rows and by what is asked.

Tokens. A result that stands in the context is sent again with every round. A question that the
summary does not answer takes a call of `result_query` and a round more, with the base of every
request; where all rows are needed, the handle gives them in pages of 500 tokens.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backend.bench.context.strategies import HANDLE, Conversation, Size, measure
from backend.bench.timing import make_rows
from backend.results.asking import answer
from backend.results.document import Document
from backend.results.handle import make_hint
from backend.results.summary import summarize
from backend.results.values import parse_json, write_json

ROWS = (5, 8, 10, 15, 20, 30, 50, 100, 200, 500, 1000)
ROUNDS = (3, 6)
_ROW = 3


@dataclass(frozen=True)
class FollowUp:
    """A question after a result: from the summary, where that knows; else by these elements."""

    text: str
    from_summary: Callable[[Mapping[str, Any]], Any]
    from_rows: Callable[[Sequence[Any]], Any]
    path: str = ""


FOLLOW_UPS = (
    FollowUp("how many", lambda s: s["rows"], len),
    FollowUp(
        "total",
        lambda s: s["columns"]["amount"]["sum"],
        lambda rows: sum(r["amount"] for r in rows),
    ),
    FollowUp(
        "by status",
        lambda s: dict(s["columns"]["status"]["top"]),
        lambda rows: dict(Counter(row["status"] for row in rows)),
    ),
    FollowUp(
        "largest",
        lambda s: s["columns"]["amount"]["max"],
        lambda rows: max(r["amount"] for r in rows),
    ),
    FollowUp("one column", lambda _: None, lambda rows: [r["order_id"] for r in rows], "order_id"),
    FollowUp(
        "one row", lambda s: dict(enumerate(s["sample"])).get(_ROW), lambda rows: rows[_ROW], "row"
    ),
)


@dataclass(frozen=True)
class Result:
    """A result with what would stand in the context for it."""

    rows: Sequence[Any]
    document: Document
    summary: Mapping[str, Any]
    whole: Size
    behind: Size

    @classmethod
    def of(cls, count: int) -> "Result":
        """So many made-up orders."""
        rows = [parse_json(text) for text in make_rows(0, count)]
        document = Document.of(rows)
        summary = summarize(document)
        shown = {"handle": HANDLE, "state": "ready", "summary": summary}
        shown["hint"] = make_hint(document.place, "en")
        sizes = measure(write_json(rows)), measure(write_json(shown))
        return cls(rows, document, summary, *sizes)

    def ask(self, path: str) -> tuple[Any, Size]:
        """What `result_query` answers, and what call and answer take."""
        found, _ = answer(self.document, path, None, "en")
        call = measure(write_json({"handle": HANDLE, "path": path}))
        return found, call + measure(write_json(found))

    def read_pages(self, key: str = "") -> Iterator[Size]:
        """All rows, or one field of all, in as few answers as are not cut."""
        start, count = 0, len(self.rows)
        while start < len(self.rows):
            end = min(start + count, len(self.rows))
            found, size = self.ask(f"rows[{start}:{end}]{key and '.'}{key}")
            if found.get("truncated"):
                count = max(min(count, end - start) * 3 // 4, 1)
                continue
            yield size
            start = end


def draw_line(base: Size, counts: Sequence[int] = ROWS) -> dict[str, Any]:
    """The table, and from how many rows and tokens on a handle costs less."""
    lines = [_measure(Result.of(count), base) for count in counts]
    return {
        "lines": lines,
        "follow_ups": [follow_up.text for follow_up in FOLLOW_UPS],
        "thresholds": {
            "smaller_from": _find_first(lines, lambda line: line["rounds"]["6"]),
            "six_questions_from": _find_first(lines, lambda line: line["six_questions"]),
            "all_rows_from": _find_first(lines, lambda line: line["all_rows"]),
        },
    }


def _find_first(
    lines: Sequence[Mapping[str, Any]], choose: Callable[[Mapping[str, Any]], Mapping[str, int]]
) -> dict[str, int] | None:
    found = next((ln for ln in lines if choose(ln)["handle"] < choose(ln)["whole"]), None)
    return None if found is None else {"rows": found["rows"], "tokens": found["whole_tokens"]}


def _measure(result: Result, base: Size) -> dict[str, Any]:
    whole, behind = result.whole.tokens, result.behind.tokens
    known = [f for f in FOLLOW_UPS if f.from_summary(result.summary) == f.from_rows(result.rows)]
    return {
        "rows": len(result.rows),
        "whole_tokens": whole,
        "handle_tokens": behind,
        "rounds": {str(n): {"whole": n * whole, "handle": n * behind} for n in ROUNDS},
        "summary_answers": [follow_up.text for follow_up in known],
        "six_questions": {
            "whole": len(FOLLOW_UPS) * (base + result.whole).tokens,
            "handle": _ask_all(result, base, known),
        },
        "all_rows": {
            "whole": len(FOLLOW_UPS) * (base + result.whole).tokens,
            "handle": _read_all(result, base),
        },
    }


def _ask_all(result: Result, base: Size, known: Sequence[FollowUp]) -> int:
    """A round for each question, and one more for each call that it takes."""
    main = Conversation(base + result.behind)
    for follow_up in FOLLOW_UPS:
        main.ask()
        for size in () if follow_up in known else _query(result, follow_up):
            main.add(size)
            main.ask()
    return main.sent.tokens


def _query(result: Result, follow_up: FollowUp) -> Iterator[Size]:
    if follow_up.path == "row":
        yield result.ask(f"rows[{_ROW}]")[1]
    else:
        yield from result.read_pages(follow_up.path)


def _read_all(result: Result, base: Size) -> int:
    """As many rounds, each of which needs every row: all pages are read before the first."""
    main = Conversation(base + result.behind)
    for size in result.read_pages():
        main.ask()
        main.add(size)
    for _ in FOLLOW_UPS:
        main.ask()
    return main.sent.tokens

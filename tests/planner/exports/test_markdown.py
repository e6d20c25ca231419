"""The plan as Markdown: readable in both languages; whatever a name holds is shown as text."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from backend.planner.exports.markdown import escape_markdown, write_markdown
from tests.factories import make_poi, make_snapshot
from tests.planner.exports.deliveries import HOTELS, deliver, deliver_two_cities
from tests.planner.plans import make_draft

READERS = {
    "commonmark": MarkdownIt("commonmark"),
    "gfm-like": MarkdownIt("gfm-like", {"linkify": True, "html": True}),
}
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "| [x](javascript:alert(1)) |",
    "![x](https://evil.example/x.png)",
    "<script>alert(1)</script>",
    "`code` *star* _under_ ~~strike~~ **bold**",
    "https://evil.example/a www.evil.example evil.com me@evil.example",
    "&lt;b&gt; &amp; &#60;",
    "# head\n\n- list\n> quote\n\n---\n\n<div>",
    "ends with a backslash\\",
    "[^1]: note $x$ ==mark==",
    "[ref]: http://evil.example",
)


def read(text: str, reader: str = "gfm-like") -> list[Token]:
    """All tokens, those of lines too."""
    tokens = READERS[reader].parse(text)
    return [inner for token in tokens for inner in (token, *(token.children or ()))]


def read_texts(text: str, level: str) -> list[str]:
    """What is shown in each element of a kind."""
    tokens = READERS["gfm-like"].parse(text)
    return [
        "".join(child.content for child in tokens[n + 1].children or ())
        for n, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag == level
    ]


@pytest.mark.parametrize(
    ("locale", "head", "days", "words"),
    [
        ("zh-CN", "北京、西安 · 2026-10-13 至 2026-10-17", "第 2 天 · 2026-10-14 周三 · 北京",
         ("故宫博物院", "午餐", "住宿：东单酒店", "2 × 60.00 = 120.00 CNY", "地铁 16 分钟")),
        ("en", "Beijing, Xi'an · 2026-10-13 to 2026-10-17", "Day 2 · Wed 2026-10-14 · Beijing",
         ("bj-gugong", "Lunch", "Night at bj-h-dongdan", "2 × 60.00 = 120.00 CNY", "Metro 16 min")),
    ],
)  # fmt: skip
def test_a_plan_is_readable_in_the_requests_language(
    locale: str, head: str, days: str, words: tuple[str, ...]
) -> None:
    delivered = deliver_two_cities(locale=locale)
    text = write_markdown(delivered)
    assert read_texts(text, "h1") == [head]
    heads = read_texts(text, "h2")
    assert heads[1] == days
    assert len(heads) == 5 + 1 + bool([v for v in delivered.violations if v.where.item is None])
    shown = "\n".join(token.content for token in read(text) if token.type == "inline")
    for word in words:
        assert word in shown.replace("\\", "")
    items = [token for token in read(text) if token.type == "list_item_open" and token.level == 1]
    assert len(items) >= len(delivered.entries)
    assert f"**{delivered.itinerary.costs.total:.2f} CNY**" in text


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_text(name: str, reader: str) -> None:
    rows = [make_poi("odd", name_en=name, booking="required", book_days_ahead=1)]
    delivered = deliver(make_snapshot(pois=rows), make_draft({2: ["odd"]}, hotels=HOTELS))
    tokens = read(write_markdown(delivered), reader)
    plain = deliver(
        make_snapshot(pois=[rows[0].model_copy(update={"name_en": "odd"})]),
        make_draft({2: ["odd"]}, hotels=HOTELS),
    )
    usual = [token.type for token in read(write_markdown(plain), reader)]
    assert [t.type for t in tokens if t.type != "text"] == [t for t in usual if t != "text"]
    assert any(token.content == " ".join(name.split()) for token in tokens)


@given(st.text(st.sampled_from("<>[]()!*_`#&|~^$@:/.\\\n -+=1aw语"), max_size=40) | st.text())
def test_any_text_is_shown_as_it_is(text: str) -> None:
    for reader in READERS:
        line = READERS[reader].parse(f"- x {escape_markdown(text)} y")
        inline = [token for token in line if token.type == "inline"]
        assert len(inline) == 1
        children = inline[0].children or []
        assert {child.type for child in children} == {"text"}
        shown = "".join(child.content for child in children)
        kept = "".join(" " if _is_dropped(c) else c for c in text)
        assert shown == f"x {' '.join(kept.split())} y"


def _is_dropped(character: str) -> bool:
    return (
        ord(character) < 32 or character in "\x7f\u2028\u2029" or "\ud800" <= character < "\ue000"
    )


def test_what_clashes_and_what_would_help_come_first() -> None:
    delivered: Any = deliver_two_cities(locale="en")
    text = write_markdown(
        replace(
            delivered,
            status="infeasible",
            clash=("The plan costs 10 over the <budget>.",),
            relaxation="Raise the budget by 10.",
        )
    )
    before = text[: text.index("## Day 1")]
    assert "This cannot be done quite as asked" in before
    assert "over the \\<budget\\>." in before
    assert "What would help: Raise the budget by 10." in before


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_plan_that_is_not_finished_says_so(status: str) -> None:
    delivered = deliver_two_cities(locale="en", must_see=["bj-guobo"])
    text = write_markdown(replace(delivered, status=status))
    assert "This plan is not finished" in text
    assert "## Please note" in text
    assert "The must-see place bj-guobo is not in the plan." in text


def test_a_day_of_nothing_and_a_way_over_midnight() -> None:
    snapshot = make_snapshot(days=2, trains=[], origin=None, hotels=[], day_start="20:30")
    text = write_markdown(deliver(snapshot, make_draft()))
    assert "Nothing is planned on this day." in text
    rows = [make_poi("bar", opening_hours="22:00-03:00", duration_min=150)]
    late = make_snapshot(pois=rows, day_end="26:00")
    text = write_markdown(deliver(late, make_draft({2: [("bar", 23 * 60)]}, hotels=HOTELS)))
    assert "- 23:00–01:30 (+1) · **bar** · free" in text

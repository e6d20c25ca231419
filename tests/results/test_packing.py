"""Answers of at most 500 tokens: whole where they fit, else honest ends."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backend.results.asking import MAX_TOKENS, pack_page, pack_value
from backend.results.document import Document, read_path
from backend.results.query import run_query
from backend.results.values import count_tokens, parse_json, write_json
from tests.random_inputs import count_examples


def pack(path: str, value: Any) -> dict[str, Any]:
    answer = pack_value(read_path(Document.of(value), path), "en")
    assert count_tokens(write_json(answer)) <= MAX_TOKENS
    return answer


def test_the_line_is_500_tokens() -> None:
    for count in range(240, 260):
        value = [1] * count
        is_whole = count_tokens(write_json({"value": value})) <= MAX_TOKENS
        assert ("value" in pack("rows[*]", value)) == is_whole


def test_elements_are_cut_and_left_out_from_the_middle() -> None:
    rows = [{f"k{n}": "京" * 1000 for n in range(30)} for _ in range(100)]
    answer = pack("rows", rows)
    assert answer["total"] == 100
    assert answer["first"]
    assert len(answer["first"][0]) <= 12
    assert all(len(text) <= 200 for text in answer["first"][0].values())
    short = pack("rows", [{"text": "x" * 300, "n": n} for n in range(50)])
    assert short["first"][0]["text"] == "x" * 199 + "…"
    assert short["last"][-1]["n"] == 49


def test_a_long_text_shows_its_characters() -> None:
    text = "".join(chr(0x4E00 + n % 5000) for n in range(1_000_000))
    answer = pack("value", text)
    assert answer["total"] == len(text)
    assert text.startswith(answer["first"])
    assert text.endswith(answer["last"])
    assert pack("value[500000:500010]", text) == {"value": text[500_000:500_010]}


def test_a_wide_object_shows_its_first_and_last_keys() -> None:
    answer = pack("rows[0]", [{f"k{n}": n for n in range(10_000)}])
    assert answer["total"] == 10_000
    assert answer["first"][0] == {"k0": 0}
    assert answer["last"][-1] == {"k9999": 9999}


def test_a_long_page_counts_all_that_matches() -> None:
    document = Document.of([{"n": n} for n in range(1000)])
    answer = pack_page(run_query(document, {"select": ["n"], "limit": 600}), "zh-CN")
    assert answer["total"] == 1000
    assert answer["first"][0] == {"n": 0}
    assert answer["last"][-1] == {"n": 599}
    assert count_tokens(write_json(answer)) <= MAX_TOKENS


def test_a_number_of_thousands_of_digits_is_cut_too() -> None:
    answer = pack("value", parse_json("1" + "0" * 4000))
    assert answer["truncated"] is True


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=20)
    | st.sampled_from(["京" * 300, "x" * 1000]),
    lambda inner: st.lists(inner, max_size=20) | st.dictionaries(st.text(), inner, max_size=15),
)


@settings(max_examples=count_examples(25), suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(values, max_size=20))
def test_any_answer_fits(value: Any) -> None:
    parse_json(write_json(pack("rows[*]", value)))

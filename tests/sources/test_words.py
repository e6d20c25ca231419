"""The words of HTML, of any HTML."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.sources.formats import strip_html


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<p>one</p><p>two</p>", "one two"),
        ("a<b>b</b>c &amp; d&nbsp;e", "abc & d e"),
        ("<SCRIPT>x</p>y</script >z<style>q", "z"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("a<!-- <b>no</b> -->b<br/>c", "a b c"),
        ("<!doctype html>x<a href='>'", "x'"),
        ("open <b", "open <b"),
        ("<", "<"),
        ("", ""),
    ],
)
def test_words(text: str, words: str) -> None:
    assert strip_html(text) == words


@given(st.text("<>!-/abscript \n&;'", max_size=200))
def test_any_text_is_read(text: str) -> None:
    assert "\n" not in strip_html(text)


@pytest.mark.parametrize(
    "piece", ["<", "<a", "<!--", "</", "<script>", "<!", "&", "<script", "-->"]
)
def test_a_long_text_takes_one_pass(piece: str) -> None:
    strip_html(piece * (200_000 // len(piece)))

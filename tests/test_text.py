"""Echoes of what came from outside are one line, short, and can be stored."""

from hypothesis import given
from hypothesis import strategies as st

from backend.text import (
    LONGEST_ECHO,
    LONGEST_QUOTE,
    LONGEST_STEP,
    escape_step,
    make_pointer,
    quote,
    shorten,
    suggest,
)


@given(st.text() | st.text(min_size=200))
def test_an_echo_is_short_and_can_be_stored(text: str) -> None:
    shown = shorten(text)
    assert len(shown) <= LONGEST_ECHO
    assert "\n" not in shown
    shown.encode("utf-8")
    assert len(quote(text)) <= 11 * LONGEST_QUOTE


def test_a_number_of_any_length_is_quoted() -> None:
    assert quote(12) == "12"
    assert len(quote(10**100)) <= LONGEST_QUOTE
    assert quote(10**10_000) == "a number of thousands of digits"


def test_names_are_suggested_however_far() -> None:
    assert suggest("list_poi", ["list_pois", "get_poi", "arrange", "submit"]).startswith(
        "list_pois"
    )
    assert suggest("%" * 10_000, ["a", "b", "c", "d"]) == "a, b, c"


def test_a_pointer_escapes_and_cuts_its_steps() -> None:
    assert make_pointer() == ""
    assert make_pointer("a/b", 2, "~") == "/a~1b/2/~0"
    assert make_pointer("x\0") == "/x?"
    assert len(make_pointer("y" * 5000)) == LONGEST_STEP + 1
    assert escape_step("z" * 5000) == "z" * 5000

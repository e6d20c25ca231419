"""Sums of floats are rounded step by step, under every Python."""

from hypothesis import given
from hypothesis import strategies as st

from backend.money import add_up


def test_what_python_3_12_would_make_up_for_is_lost() -> None:
    assert add_up([1e16, 1.0, -1e16]) == 0.0
    assert add_up([0.1] * 10) == 0.9999999999999999
    assert add_up([]) == 0


@given(st.lists(st.integers()))
def test_whole_numbers_are_added_as_ever(values: list[int]) -> None:
    assert add_up(values) == sum(values)

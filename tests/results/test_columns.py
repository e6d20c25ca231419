"""Columns keep every value, and whatever form they take, they answer alike."""

from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.results.blocks import pack_column, unpack_column
from backend.results.columns import ListColumn, make_column
from backend.results.numbers import Check
from backend.results.texts import TextColumn
from backend.results.values import MISSING, Op, identity_key, write_json

numbers = (
    st.integers(-(10**19), 10**19)
    | st.integers(-3, 3)
    | st.decimals(-1000, 1000, places=3)
    | st.sampled_from([Decimal(t) for t in ("1.0", "1.10", "-0.0", "1E+3", "1E-30", "0.5")])
)
scalars = numbers | st.none() | st.just(MISSING) | st.booleans() | st.sampled_from(["", "a", "1"])
lists = st.lists(numbers, min_size=1) | st.lists(scalars, min_size=1)
ops = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])


def show(values: list[Any]) -> list[str]:
    return ["missing" if value is MISSING else write_json(value) for value in values]


@given(lists)
def test_values_come_back_digit_by_digit(values: list[Any]) -> None:
    column = make_column(values)
    assert show(column.values()) == show(values)
    assert column.present().tolist() == [value is not MISSING for value in values]


@given(lists, ops, numbers | st.none() | st.booleans() | st.sampled_from(["a", "1"]))
def test_comparisons_are_those_of_the_values(values: list[Any], op: Any, operand: Any) -> None:
    check = Check(op, operand)
    assert make_column(values).mask(check).tolist() == [check(value) for value in values]


@given(lists, st.lists(scalars.filter(lambda v: v is not MISSING), max_size=3))
def test_membership_is_that_of_the_values(values: list[Any], options: list[Any]) -> None:
    check = Check("in", options)
    assert make_column(values).mask(check).tolist() == [check(value) for value in values]


@given(lists)
def test_equal_values_get_one_number(values: list[Any]) -> None:
    for column in (make_column(values), ListColumn(values)):
        codes, uniques = column.factorize()
        found = [identity_key(uniques[code]) for code in codes]
        assert found == [identity_key(value) for value in values]
        assert len(set(map(identity_key, uniques))) == len(uniques)


@given(lists, st.data())
def test_fewer_rows_are_the_same_rows(values: list[Any], data: st.DataObject) -> None:
    chosen = data.draw(st.lists(st.integers(0, len(values) - 1)))
    taken = make_column(values).take(np.array(chosen, dtype=np.int32))
    assert show(taken.values()) == show([values[n] for n in chosen])


@pytest.mark.parametrize("far", ["1e999999999", "-1e999999999", "1e-999999999", "1e41"])
def test_literals_beyond_all_bounds_are_compared(far: str) -> None:
    values = [-(2**61), 0, 2**61]
    comparisons: tuple[Op, ...] = ("==", "<", ">=")
    for op in comparisons:
        check = Check(op, Decimal(far))
        assert make_column(values).mask(check).tolist() == [check(value) for value in values]


texts = st.lists(st.text(max_size=6) | st.sampled_from(["abc", "客户1", "\ud800", ""]), min_size=1)


@given(texts, ops, st.sampled_from(["abc", "客户1", "", "z"]), st.data())
def test_a_run_of_texts_answers_as_a_list(
    values: list[str], op: Any, operand: str, data: st.DataObject
) -> None:
    column = unpack_column(pack_column(TextColumn.of(values)))
    assert isinstance(column, TextColumn)
    assert column.values() == values
    assert column.lengths.tolist() == list(map(len, values))
    check = Check(op, operand)
    assert column.mask(check).tolist() == [check(value) for value in values]
    chosen = data.draw(st.lists(st.integers(0, len(values) - 1)))
    taken = column.take(np.array(chosen, dtype=np.int32)).values()
    assert taken == [values[n] for n in chosen]

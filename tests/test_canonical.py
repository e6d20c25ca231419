"""The fast writer and the reference implementation of canonical JSON agree on whatever is written."""

import json
from typing import Any

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from backend.canonical import dump_canonical

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
@example([1.0, -0.0, 0.1, 1e-4, 1e-5, 1e-7, 1e15, 1e16, 1e21, 123456789012345.6])
@example({"\U0001f600": 1, "\uff5e": 2, "城": 3, "": 4, "\x7f\x1f\u2028/": '\x08\x00"\\'})
def test_both_writers_agree(value: Any) -> None:
    assert dump_canonical(value) == rfc8785.dumps(value)


@pytest.mark.parametrize("value", [2**53, float("nan"), float("inf"), "\ud800", {1: 2}, {"a": b""}])
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises(rfc8785.CanonicalizationError):
        dump_canonical(value)


def test_it_reads_back_as_what_it_was() -> None:
    value = {"b": [1, 2.5, "上海", None], "a": {"z": True, "y": -0.25}}
    assert json.loads(dump_canonical(value)) == value

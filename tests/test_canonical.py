"""Canonical JSON is the reference's, byte for byte, and it is refused where that refuses."""

import math
from typing import Any

import pytest
import rfc8785
from hypothesis import example, given
from hypothesis import strategies as st

from backend.canonical import dump_canonical

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(VALUES)
@example({"\ue000": 1, "\U00010000": 2})
@example([39.0, -0.0, 1e-7, 1e21, 0.1, 1e16, 123456789012345680.0, 5e-324])
@example({"b": '\u2028\x7f\x00"\\/', "a": (1, 2)})
def test_it_gives_the_bytes_of_the_reference(value: Any) -> None:
    assert dump_canonical(value) == rfc8785.dumps(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, 2**53, "\ud800", {1: 2}, {"a": {"b"}}])
def test_what_has_no_canonical_form_is_refused(value: Any) -> None:
    with pytest.raises((rfc8785.CanonicalizationError, UnicodeEncodeError)):
        dump_canonical(value)

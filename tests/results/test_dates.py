"""Dates read all at once are those that are read one by one."""

from hypothesis import given
from hypothesis import strategies as st

from backend.results.texts import TextColumn, find_ends, find_plain_ends, read_moment

number = st.integers(0, 31).map(lambda n: f"{n:02d}")
days = st.tuples(st.sampled_from(["2024", "2025", "1900", "0000"]), number, number).map("-".join)
times = st.tuples(st.sampled_from("T x"), number, number, number).map(
    lambda t: f"{t[0]}{':'.join(t[1:])}"
)
moments = st.one_of(
    st.lists(days, min_size=1, max_size=3),
    st.lists(st.tuples(days, times).map("".join), min_size=1, max_size=3),
    st.lists(st.datetimes().map(lambda d: d.isoformat(timespec="minutes")), min_size=1),
    st.lists(st.datetimes().map(lambda d: d.isoformat(" ", timespec="seconds")), min_size=1),
)


@given(moments)
def test_both_ways_find_the_same_ends(texts: list[str]) -> None:
    each = [read_moment(text) for text in texts]
    known = [moment for moment in each if moment is not None]
    expected = (min(known), max(known)) if len(known) == len(each) else None
    assert find_ends(texts) == expected
    plain = find_plain_ends(TextColumn.of(texts))
    assert plain is None or plain == expected


def test_a_space_and_a_t_between_day_and_time_are_one_moment_apart() -> None:
    texts = ["2026-01-01 10:00", "2026-01-01T09:00"] * 3
    found = find_ends(texts)
    assert found is not None
    assert [moment[1] for moment in found] == ["2026-01-01T09:00", "2026-01-01 10:00"]


def test_the_plain_form_is_read_at_once() -> None:
    texts = ["2024-02-29T23:59:59", "2024-01-01T00:00:00"]
    found = find_plain_ends(TextColumn.of(texts))
    assert found is not None
    assert [moment[1] for moment in found] == texts[::-1]

"""Cheaper choices under a budget: within it where anything is, and no dearer than before."""

import itertools

from hypothesis import given
from hypothesis import strategies as st

from backend.agent.policy.rides import Choice, Picks, cut_costs, pick_best


def choice(slot: int, number: int, cost: float, discomfort: float) -> Choice:
    return Choice(("leg", str(slot)), (str(number),), cost / 2, discomfort, ways=cost / 2)


SLOTS = st.lists(
    st.lists(st.tuples(st.integers(0, 900), st.integers(0, 900)), min_size=1, max_size=4),
    min_size=1,
    max_size=4,
).map(
    lambda slots: [
        [choice(s, n, cost, pain) for n, (cost, pain) in enumerate(rows)]
        for s, rows in enumerate(slots)
    ]
)


def total(picks: Picks) -> float:
    return sum(one.cost for one in picks.values())


@given(SLOTS, st.integers(0, 3000))
def test_the_allowance_is_kept_where_anything_keeps_it(
    options: list[list[Choice]], allowance: int
) -> None:
    best = pick_best(options)
    cut = cut_costs(best, options, allowance, lambda picks: True)
    cheapest = sum(min(one.cost for one in rows) for rows in options)
    assert total(cut) <= max(allowance, cheapest)
    assert total(cut) <= total(best)
    if total(best) <= allowance:
        assert cut == best


@given(SLOTS)
def test_nothing_impossible_is_picked(options: list[list[Choice]]) -> None:
    forbidden = options[0][0]

    def is_possible(picks: Picks) -> bool:
        return forbidden not in picks.values()

    start = {rows[-1].slot: rows[-1] for rows in options}
    cut = cut_costs(start, options, 0, is_possible)
    assert is_possible(cut) or forbidden == options[0][-1]


def test_the_swap_that_hurts_least_goes_first() -> None:
    options = [
        [choice(0, 0, 500, 0), choice(0, 1, 300, 10)],
        [choice(1, 0, 500, 0), choice(1, 1, 250, 400)],
    ]
    best = pick_best(options)
    cut = cut_costs(best, options, 850, lambda picks: len(picks) == 2)
    assert [one.ids for one in itertools.chain(cut.values())] == [("1",), ("0",)]

"""Trains spread over the day: slots by the contract's formula, ties, gaps filled, one minute."""

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from backend.pool.build import Choice, spread_trains

CHOICES = st.lists(
    st.builds(
        Choice,
        id=st.text("aAbB1-", min_size=1, max_size=3),
        depart=st.integers(0, 1439) | st.sampled_from((0, 600, 601, 720, 1439)),
        journey=st.sampled_from((60, 60, 90, 240)),
        price=st.sampled_from((None, Decimal(0), Decimal(88), Decimal("88.5"))),
    ),
    max_size=14,
    unique_by=lambda choice: choice.id,
)


def choice(train_id: str, depart: int, journey: int = 60, price: str | None = "10") -> Choice:
    return Choice(train_id, depart, journey, None if price is None else Decimal(price))


def test_few_trains_all_stay_in_order_of_departure() -> None:
    trains = [choice("b", 600), choice("B", 600), choice("a", 700)]
    assert spread_trains(trains, 3) == ["B", "b", "a"]


def test_the_last_departure_falls_into_the_last_slot() -> None:
    # first 0, last 100, two slots: 49 * 2 // 100 = 0, 50 * 2 // 100 = 1, 100 is capped to slot 1
    trains = [choice("a", 0, 90), choice("b", 49, 60), choice("c", 50, 60), choice("d", 100, 30)]
    assert spread_trains(trains, 2) == ["b", "d"]


def test_equal_journeys_fall_to_price_then_id_and_an_unknown_price_is_last() -> None:
    trains = [
        choice("a", 600, price=None),
        choice("c", 600, price="0"),
        choice("b", 600, price="0"),
    ]
    assert spread_trains(trains, 1) == ["b"]
    assert spread_trains(trains[:2], 1) == ["c"]


def test_all_at_one_minute_are_one_slot_and_then_fill_up_by_id() -> None:
    trains = [choice(name, 600, journey) for name, journey in (("a", 90), ("b", 30), ("c", 90))]
    assert spread_trains(trains, 2) == ["a", "b"]


def test_empty_slots_are_filled_with_the_widest_gap() -> None:
    trains = [choice("a", 0), choice("b", 10), choice("c", 40), choice("d", 1000)]
    # slots of three: a, b, c in the first, d in the last; c is farthest from a and d
    assert spread_trains(trains, 3) == ["a", "c", "d"]


def test_equal_gaps_fall_to_the_earlier_then_to_the_id() -> None:
    trains = [choice("m", 500, 10), choice("z", 0), choice("b", 1000), choice("a", 1000)]
    # two slots: z; of m, a, b the quickest is m; then z-m and m-a are equally far: a is left, by id
    assert spread_trains(trains, 3) == ["z", "m", "a"]


@given(trains=CHOICES, size=st.integers(1, 9), data=st.data())
def test_the_spread_is_the_contracts_and_blind_to_the_order_of_rows(
    trains: list[Choice], size: int, data: st.DataObject
) -> None:
    shuffled = data.draw(st.permutations(trains))
    assert spread_trains(shuffled, size) == spread_plainly(trains, size)


def spread_plainly(trains: list[Choice], size: int) -> list[str]:
    """Section 3 once more, sentence by sentence."""
    unknown = Decimal(10**9)
    chosen = list(trains)
    if len(trains) > size:
        departures = [train.depart for train in trains]
        first, last = min(departures), max(departures)
        slots: list[list[Choice]] = [[] for _ in range(size)]
        for train in trains:
            at = 0
            if first != last:
                at = min(size - 1, (train.depart - first) * size // (last - first))
            slots[at].append(train)
        chosen = []
        for slot in slots:
            by_merit = [(t.journey, unknown if t.price is None else t.price, t.id, t) for t in slot]
            if by_merit:
                chosen.append(min(by_merit)[-1])
        while len(chosen) < size:
            left = [train for train in trains if train not in chosen]
            widest = max(gap(train, chosen) for train in left)
            farthest = [train for train in left if gap(train, chosen) == widest]
            chosen.append(sorted(farthest, key=lambda t: (t.depart, t.id))[0])
    return [train.id for train in sorted(chosen, key=lambda t: (t.depart, t.id))]


def gap(train: Choice, chosen: list[Choice]) -> int:
    return min(abs(train.depart - other.depart) for other in chosen)

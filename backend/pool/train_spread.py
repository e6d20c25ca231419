"""Chooses trains spread over the day: the quickest of each slot first, then the widest gaps."""

from collections.abc import Sequence
from decimal import Decimal
from typing import NamedTuple


class Choice(NamedTuple):
    """What the spread looks at: departure and journey in minutes, price None where unknown."""

    id: str
    depart: int
    journey: int
    price: Decimal | None


def spread_trains(choices: Sequence[Choice], size: int) -> list[str]:
    """Ids of at most `size` trains, listed by departure, then id."""
    chosen = list(choices) if len(choices) <= size else _choose(choices, size)
    return [choice.id for choice in sort_by_departure(chosen)]


def sort_by_departure(choices: Sequence[Choice]) -> list[Choice]:
    """By departure, then id."""
    return sorted(choices, key=lambda choice: (choice.depart, choice.id))


def _choose(choices: Sequence[Choice], size: int) -> list[Choice]:
    chosen = _pick_by_slot(choices, size)
    taken = {choice.id for choice in chosen}
    gaps = {
        choice: min(abs(choice.depart - other.depart) for other in chosen)
        for choice in choices
        if choice.id not in taken
    }
    while len(chosen) < size:
        best = min(gaps, key=lambda choice: (-gaps[choice], choice.depart, choice.id))
        chosen.append(best)
        del gaps[best]
        for choice, gap in gaps.items():
            gaps[choice] = min(gap, abs(choice.depart - best.depart))
    return chosen


def _pick_by_slot(choices: Sequence[Choice], size: int) -> list[Choice]:
    first = min(choice.depart for choice in choices)
    span = max(choice.depart for choice in choices) - first
    best: dict[int, Choice] = {}
    for choice in choices:
        slot = min(size - 1, (choice.depart - first) * size // span) if span else 0
        if slot not in best or _merit(choice) < _merit(best[slot]):
            best[slot] = choice
    return list(best.values())


def _merit(choice: Choice) -> tuple[int, bool, Decimal, str]:
    return choice.journey, choice.price is None, choice.price or Decimal(0), choice.id

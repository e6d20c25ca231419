"""What the trip's trains and beds cost, and cheaper ones where the budget asks for it.

A choice has a cost, which the traveller pays, and a discomfort, in the same money. The best choice
has the least sum; under a budget the swap that saves most for its discomfort goes first.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from backend.planner.adding import add_up

Slot = tuple[str, str]
"""What is chosen: ("leg", "0") or ("hotel", city id)."""


@dataclass(frozen=True)
class Choice:
    """One way to fill a slot; all amounts are the party's. `ways` is a guess, `price` is not."""

    slot: Slot
    ids: tuple[str, ...]
    price: float
    discomfort: float
    ways: float = 0.0

    @property
    def cost(self) -> float:
        """What the choice costs with the local transport that it brings about."""
        return self.price + self.ways


Picks = dict[Slot, Choice]


def pick_best(options: Sequence[Sequence[Choice]]) -> Picks:
    """The choice with the least sum in each slot."""
    best = [min(choices, key=lambda c: c.cost + c.discomfort) for choices in options if choices]
    return {choice.slot: choice for choice in best}


def cut_costs(
    picks: Picks,
    options: Sequence[Sequence[Choice]],
    allowance: float,
    is_possible: Callable[[Picks], bool],
) -> Picks:
    """`picks` with swaps until all together cost no more than `allowance`, or none saves more."""
    cut = dict(picks)
    while add_up(choice.cost for choice in cut.values()) > allowance:
        swaps = [
            choice
            for choices in options
            for choice in choices
            if choice.slot in cut
            and choice.cost < cut[choice.slot].cost
            and is_possible({**cut, choice.slot: choice})
        ]
        if not swaps:
            break
        best = max(swaps, key=lambda choice: _rate_swap(cut[choice.slot], choice))
        cut[best.slot] = best
    return cut


def _rate_swap(before: Choice, after: Choice) -> float:
    """Saving for each unit of discomfort; a unit is added, so that free comfort divides by one."""
    return (before.cost - after.cost) / (1 + max(0.0, after.discomfort - before.discomfort))

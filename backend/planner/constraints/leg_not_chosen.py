"""A train is chosen for each leg for which the pool has one."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding


def find(context: CheckContext) -> Iterator[Finding]:
    """Legs without a choice although the pool has trains or connections for them."""
    for move in context.trip.moves:
        leg = context.snapshot.legs[move.leg]
        if move.is_own and (leg.trains or leg.connections):
            day = (leg.date - context.snapshot.request.start_date).days + 1
            ends = context.name_city(leg.from_city), context.name_city(leg.to_city)
            yield Finding(day, None, {"leg": move.leg, "start": ends[0], "end": ends[1]})


LEG_NOT_CHOSEN = Constraint(
    "LEG_NOT_CHOSEN",
    "error",
    {
        "zh-CN": "行程段 {leg}（{start} → {end}）还没有选车次。",
        "en": "No train is chosen for leg {leg} ({start} → {end}).",
    },
    find,
    fix={"zh-CN": "请从候选车次中选择。", "en": "Choose one of the candidates."},
)

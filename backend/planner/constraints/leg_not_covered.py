"""Warns of a leg without trains: the traveller has to arrange it."""

from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding


def find(context: CheckContext) -> Iterator[Finding]:
    """Legs for which the pool has neither trains nor connections."""
    for number, leg in enumerate(context.snapshot.legs):
        if leg.trains or leg.connections:
            continue
        day = (leg.date - context.snapshot.request.start_date).days + 1
        ends = context.name_city(leg.from_city), context.name_city(leg.to_city)
        yield Finding(day, _find_item(context, day, number), {"start": ends[0], "end": ends[1]})


def _find_item(context: CheckContext, day: int, leg: int) -> int | None:
    ends = context.snapshot.legs[leg].from_city, context.snapshot.legs[leg].to_city
    for number, item in enumerate(context.itinerary.days[day - 1].items):
        if item.kind == "leg" and (item.from_city, item.to_city) == ends:
            return number
    return None


LEG_NOT_COVERED = Constraint(
    "LEG_NOT_COVERED",
    "warning",
    {
        "zh-CN": "{start} → {end} 没有可选车次，请自行安排交通。",
        "en": "There is no train from {start} to {end}: this leg is left to the traveller.",
    },
    find,
)

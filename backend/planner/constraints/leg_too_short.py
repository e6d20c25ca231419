"""There is enough time for a way between two cities that the traveller arranges.

Its times are unknown, so its estimated length is compared with the time that is left for it.
"""

import datetime as dt
from collections.abc import Iterator

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import LegItem
from backend.planner.moves import Move


def find(context: CheckContext) -> Iterator[Finding]:
    """Such legs with less time than estimated between the last place before and the first after."""
    for move in context.trip.moves:
        if move.is_own:
            yield from _check(context, move)


def _check(context: CheckContext, move: Move) -> Iterator[Finding]:
    day = (context.snapshot.legs[move.leg].date - context.snapshot.request.start_date).days + 1
    ends = move.from_city, move.to_city
    items = enumerate(context.itinerary.days[day - 1].items)
    shown = (n for n, i in items if isinstance(i, LegItem) and (i.from_city, i.to_city) == ends)
    number = next(shown, None)
    if number is None:
        return
    places = context.located(day)
    before = [p for p in places if p.item < number and p.end_city == move.from_city]
    after = [p for p in places if p.item > number and p.start_city == move.to_city]
    if not before or not after:
        return
    needed = move.arrive - move.depart
    lacking = before[-1].end + needed - after[0].start
    if lacking > dt.timedelta():
        values = {"name": after[0].name, "other": before[-1].name}
        minutes = int(needed.total_seconds()) // 60
        amount = lacking // dt.timedelta(minutes=1)
        yield Finding(day, after[0].item, {**values, "needed": minutes}, amount=amount)


LEG_TOO_SHORT = Constraint(
    "LEG_TOO_SHORT",
    "error",
    {
        "zh-CN": "从“{other}”到“{name}”要换城市，自行前往约需 {needed} 分钟，时间不够。",
        "en": "From “{other}” to “{name}” is another city: the own way takes about {needed} "
        "minutes, and there are fewer.",
    },
    find,
    fix={
        "zh-CN": "请去掉一处，或改到别的日子。",
        "en": "Leave one of them out, or move it to another day.",
    },
)

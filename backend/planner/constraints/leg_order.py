"""Trains follow one another: none leaves before the one before it has arrived."""

import datetime as dt
from collections.abc import Iterator
from itertools import pairwise

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import LegItem


def find(context: CheckContext) -> Iterator[Finding]:
    """Trains that leave before the train listed before them has arrived."""
    rides = [
        (day, number, item)
        for day, number, item in context.items()
        if isinstance(item, LegItem) and item.mode == "train"
    ]
    for (_, _, before), (day, number, after) in pairwise(rides):
        assert before.arrive is not None
        assert after.depart is not None
        if after.depart < before.arrive:
            yield Finding(
                day,
                number,
                amount=(before.arrive - after.depart) // dt.timedelta(minutes=1),
                values={
                    "number": after.number,
                    "depart": f"{after.depart:%m-%d %H:%M}",
                    "other": before.number,
                    "arrive": f"{before.arrive:%m-%d %H:%M}",
                },
            )


LEG_ORDER = Constraint(
    "LEG_ORDER",
    "error",
    {
        "zh-CN": "{number} 次 {depart} 发车，早于 {other} 次 {arrive} 到达。",
        "en": "{number} leaves at {depart}, before {other} arrives at {arrive}.",
    },
    find,
    fix={"zh-CN": "请换一个车次。", "en": "Take another train."},
)

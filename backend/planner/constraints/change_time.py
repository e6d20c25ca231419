"""Between the two trains of a connection there is enough time to change, and at most four hours."""

import datetime as dt
from collections.abc import Iterator
from itertools import pairwise

from backend.planner.check_context import CheckContext
from backend.planner.constraint import Constraint, Finding
from backend.planner.itinerary import LegItem
from backend.pool.connections import LONGEST_WAIT_MIN, OTHER_STATION_MIN, SAME_STATION_MIN


def find(context: CheckContext) -> Iterator[Finding]:
    """Second trains of connections that leave too soon or too late after the first.

    A second train that leaves before the first arrives is found by LEG_ORDER instead.
    """
    rides = [
        (day, number, item)
        for day, number, item in context.items()
        if isinstance(item, LegItem) and item.mode == "train"
    ]
    for (_, _, before), (day, number, after) in pairwise(rides):
        if not context.is_connection(before, after) or before.arrive is None:
            continue
        assert after.depart is not None
        have = (after.depart - before.arrive) // dt.timedelta(minutes=1)
        is_same = before.to_station == after.from_station
        least = SAME_STATION_MIN if is_same else OTHER_STATION_MIN
        if have >= 0 and not least <= have <= LONGEST_WAIT_MIN:
            values = {"number": after.number, "other": before.number, "have": have}
            yield Finding(day, number, {**values, "least": least, "most": LONGEST_WAIT_MIN})


CHANGE_TIME = Constraint(
    "CHANGE_TIME",
    "error",
    {
        "zh-CN": "{other} 次换乘 {number} 次有 {have} 分钟，应为 {least} 至 {most} 分钟。",
        "en": "From {other} to {number} there are {have} minutes to change; it should be {least} "
        "to {most}.",
    },
    find,
    fix={"zh-CN": "请换一个接续车次。", "en": "Take another connection."},
)
